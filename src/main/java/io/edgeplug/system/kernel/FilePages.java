package io.edgeplug.system.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Pages of this process's memory that are those of files: the JVM's own code, and the classes in its cache. See
 * proc_pid_smaps(5) and madvise(2).
 */
public final class FilePages {

    private static final int MADV_DONTNEED = 4;

    /**
     * A mapping that nobody can write to, of a file that the JVM keeps mapped until it ends: range, permissions, offset,
     * device, inode, path.
     */
    private static final Pattern READ_ONLY = Pattern.compile(
            "(\\p{XDigit}+)-(\\p{XDigit}+) r-[x-][ps] \\p{XDigit}+ \\S+ [1-9]\\d* +/.*(?:/libjvm\\.so|\\.aot)");

    private FilePages() {}

    /** Addresses of pages, from the first byte on. */
    record Range(long begin, long length) {}

    /**
     * Takes the pages of the JVM's code and of its class cache to which nobody can write out of this process's memory. The
     * kernel keeps them in its cache of files as long as it has room, and maps those again that are touched, up to 64 KB at a
     * time, without reading the file.
     */
    public static void giveBack() throws IOException {
        for (Range range : clean(Files.readAllLines(Path.of("/proc/self/smaps")))) {
            KernelCalls.checked(KernelCalls.madvise(range.begin, range.length, MADV_DONTNEED));
        }
    }

    /**
     * The mappings that lose nothing. One in which a page was changed before it was made read-only, as addresses are by the
     * loader, would lose the change, also if that page is swapped out. Other files are left alone: they may go at any
     * time, and by the time of the call something else may be at the same addresses.
     */
    static List<Range> clean(List<String> smaps) {
        List<Range> clean = new ArrayList<>();
        Matcher mapping = READ_ONLY.matcher("");
        boolean isClean = false;
        for (String line : smaps) {
            if (line.startsWith("Anonymous:") || line.startsWith("Swap:")) {
                isClean = isClean && line.endsWith(" 0 kB");
            } else if (line.startsWith("VmFlags:")) {
                if (isClean) {
                    long begin = Long.parseUnsignedLong(mapping.group(1), 16);
                    clean.add(new Range(begin, Long.parseUnsignedLong(mapping.group(2), 16) - begin));
                }
                isClean = false;
            } else if (!isClean) {
                isClean = mapping.reset(line).matches();
            }
        }
        return clean;
    }
}
