package io.edgeplug.system.files;

import io.edgeplug.system.kernel.KernelCalls;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Watches mounts in some directories, which inotify does not report. It has a descriptor for a poll with
 * {@code POLLPRI}, see proc_pid_mountinfo(5). One thread at a time.
 */
final class Mounts {

    /** The file of the thread, because a test may have mounts of its own. */
    static final String FILE = "/proc/thread-self/mountinfo";

    /** Among more mounts, changes are found only by the scan every 60 s. */
    private static final int MAX = 1 << 14;

    private static final int POINT = 4;
    private static final int FIELDS = 6;
    private static final int OCTAL_DIGITS = 3;

    private final int descriptor;

    /**
     * The mount points by the number of the mount, also those outside: an unmounted one must have been known before.
     */
    private Map<String, String> mounts = Map.of();

    private Mounts(int descriptor) {
        this.descriptor = descriptor;
    }

    /** From now on changes are reported; without {@code /proc} there are none. */
    static Mounts open() {
        Mounts opened = new Mounts(KernelCalls.open(FILE, KernelCalls.O_RDONLY | KernelCalls.O_CLOEXEC));
        opened.mounts = opened.read();
        return opened;
    }

    /** Negative if there is none. */
    int descriptor() {
        return descriptor;
    }

    /** The places in these directories where the mounts differ from the last call, or from the opening. */
    Set<Path> changed(Set<Path> directories) {
        Map<String, String> before = mounts;
        mounts = read();
        Set<String> changed = new HashSet<>(differing(before, mounts));
        changed.addAll(differing(mounts, before));
        return changed.stream()
                .flatMap(point -> path(plain(point)).stream())
                .filter(point ->
                        point.getParent() != null && directories.contains(Objects.requireNonNull(point.getParent())))
                .collect(Collectors.toSet());
    }

    private static Set<String> differing(Map<String, String> some, Map<String, String> others) {
        Set<String> differing = new HashSet<>();
        some.forEach((number, point) -> {
            if (!point.equals(others.get(number))) {
                differing.add(point);
            }
        });
        return differing;
    }

    /**
     * The present mounts. If they cannot be read, the last ones, because the directories are scanned within a minute.
     */
    private Map<String, String> read() {
        Map<String, String> found = new HashMap<>();
        try (Stream<String> lines = Files.lines(Path.of(FILE), StandardCharsets.ISO_8859_1)) {
            lines.limit(MAX)
                    .map(line -> line.split(" ", FIELDS))
                    .filter(line -> line.length == FIELDS)
                    .forEach(line -> found.put(line[0], line[POINT]));
        } catch (IOException | UncheckedIOException e) {
            return mounts;
        }
        return found;
    }

    /** A name that the locale cannot encode is on no path. */
    private static Optional<Path> path(String text) {
        try {
            return Optional.of(Path.of(text));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    /** The kernel writes blanks and backslashes as {@code \040}, and all other bytes as they are. */
    static String plain(String escaped) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int at = 0;
        while (at < escaped.length()) {
            boolean isOctal = escaped.charAt(at) == '\\' && at + OCTAL_DIGITS < escaped.length();
            bytes.write(isOctal ? Integer.parseInt(escaped, at + 1, at + 1 + OCTAL_DIGITS, 8) : escaped.charAt(at));
            at += isOctal ? 1 + OCTAL_DIGITS : 1;
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    void close() {
        if (descriptor >= 0) {
            int ignored = KernelCalls.close(descriptor);
        }
    }
}
