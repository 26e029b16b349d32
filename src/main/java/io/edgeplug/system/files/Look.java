package io.edgeplug.system.files;

import java.util.List;

/** One look at a file through {@link Sysfs}, and its result. A look at an absent file is not reported. */
public sealed interface Look {

    /** From the root, as it was requested. */
    String path();

    /**
     * The file was read.
     *
     * @param content its first bytes, as many as were requested; not a copy
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
    record Read(String path, byte[] content) implements Look {}

    /** The directory was listed. */
    record Listed(String path, List<String> names) implements Look {
        public Listed {
            names = List.copyOf(names);
        }
    }

    /** Only the kind of the file, or the target of its link, was read. */
    record Seen(String path) implements Look {}

    /** The kernel said something that no file has; the path stands for it. */
    record Noted(String path, String line) implements Look {}

    /**
     * The look failed.
     *
     * @param problem the call and the kernel's reason, such as {@code read vendor: Input/output error}
     */
    record Failed(String path, String problem) implements Look {}
}
