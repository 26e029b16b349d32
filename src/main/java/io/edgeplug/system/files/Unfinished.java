package io.edgeplug.system.files;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names under which processes write files before they rename them. A process that is killed leaves such a file, so
 * the first one that this process writes in a directory takes those away. Thread-safe.
 */
final class Unfinished {

    private static final String PART = ".part";

    /** The file, the process that writes it, and a number, so that no two writers use the same name. */
    private static final Pattern NAME = Pattern.compile(".*\\.(\\d{1,10})\\.\\d+\\" + PART);

    private static final AtomicLong COUNT = new AtomicLong();

    /** What this process is writing now. */
    private static final Set<Path> BEING_WRITTEN = ConcurrentHashMap.newKeySet();

    /** The directories without files of killed processes. */
    private static final Set<Path> TIDY = ConcurrentHashMap.newKeySet();

    private Unfinished() {}

    /** A name for a file of that name while it is being written. */
    static String begin(Path directory, String name) throws IOException {
        String aside = name + "." + ProcessHandle.current().pid() + "." + COUNT.incrementAndGet() + PART;
        BEING_WRITTEN.add(directory.resolve(aside));
        if (TIDY.add(directory)) {
            tidy(directory);
        }
        return aside;
    }

    /** Whether a file has such a name. */
    static boolean is(String name) {
        return NAME.matcher(name).matches();
    }

    static void end(Path directory, String aside) {
        BEING_WRITTEN.remove(directory.resolve(aside));
    }

    private static void tidy(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + PART)) {
            for (Path file : files) {
                Matcher unfinished = NAME.matcher(String.valueOf(file.getFileName()));
                if (unfinished.matches() && !isBeingWritten(file, Long.parseLong(unfinished.group(1)))) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /** A process of before a boot may have had the number of this one. */
    private static boolean isBeingWritten(Path file, long writer) {
        return writer == ProcessHandle.current().pid()
                ? BEING_WRITTEN.contains(file)
                : ProcessHandle.of(writer).isPresent();
    }
}
