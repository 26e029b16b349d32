package io.edgeplug.linux;

import java.util.List;

/** One look at a file through {@link Sysfs}, and what was there; a file that is absent is no look. */
public sealed interface Look {

    /** From the root, as it was asked for. */
    String path();

    /**
     * The file was read.
     *
     * @param content its first bytes, as many as were asked for; not a copy
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
    record Read(String path, byte[] content) implements Look {}

    /** The directory was listed. */
    record Listed(String path, List<String> names) implements Look {
        public Listed {
            names = List.copyOf(names);
        }
    }

    /** Only what kind of file it is, or where its link leads, was asked. */
    record Seen(String path) implements Look {}

    /**
     * The look failed.
     *
     * @param problem the call and the kernel's reason, as {@code read vendor: Input/output error}
     */
    record Failed(String path, String problem) implements Look {}
}
