package io.edgeplug.linux;

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
 * What is mounted in some directories, of which inotify tells nothing: a descriptor to be polled for {@code POLLPRI}, see
 * proc_pid_mountinfo(5). One thread at a time.
 */
final class Mounts {

    /** Of the thread: a test's has mounts of its own. */
    private static final String FILE = "/proc/thread-self/mountinfo";

    /** A change among more is found by the scan every 60 s. */
    private static final int MAX = 1 << 14;

    private static final int POINT = 4;
    private static final int FIELDS = 6;
    private static final int OCTAL_DIGITS = 3;

    private final KernelCalls calls;
    private final int descriptor;

    /** By its number, the place of each mount, wherever: what is unmounted first was there before anybody asked. */
    private Map<String, String> mounts = Map.of();

    private Mounts(KernelCalls calls, int descriptor) {
        this.calls = calls;
        this.descriptor = descriptor;
    }

    /** From here on changes are told; without a {@code /proc}, none. */
    static Mounts open(KernelCalls calls) {
        Mounts opened = new Mounts(calls, calls.open(FILE, KernelCalls.O_RDONLY | KernelCalls.O_CLOEXEC));
        opened.mounts = opened.read();
        return opened;
    }

    /** Negative if there is none. */
    int descriptor() {
        return descriptor;
    }

    /** Where in these directories something else is mounted than when this was asked last, or opened. */
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

    /** What is mounted now; as it was if that cannot be read, for the directories are looked at within the minute. */
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

    /** A name that the locale cannot spell is in no way. */
    private static Optional<Path> path(String text) {
        try {
            return Optional.of(Path.of(text));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    /** The kernel writes blanks and backslashes as {@code \040}, and all other bytes as they are. */
    private static String plain(String escaped) {
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
            int ignored = calls.close(descriptor);
        }
    }
}
