package io.edgeplug.system.files;

import io.edgeplug.system.files.Destination.Intruder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Finds users who can change a file: its owner, users who can write to it, and users who can lead its path to another
 * file, as {@link PathRule} says.
 *
 * <p>Root trusts files that only root can change. Other users trust root and themselves. They also trust the group of a
 * file, because on most systems each user has a group, and they act only with their own rights.
 */
public final class Ownership {

    private static final Path ROOT_DIRECTORY = Path.of("/");
    private static final int ROOT = 0;
    private static final int WRITABLE_BY_GROUP = 0020;
    private static final int WRITABLE_BY_OTHERS = 0002;

    private Ownership() {}

    /**
     * Finds a user other than root and the user of this process who can change the file or the directory.
     *
     * @return a text that follows the file's name, such as {@code belongs to uid 1000, not to root}; empty if nobody
     *     can
     * @throws IOException if it cannot be looked at
     */
    public static Optional<String> problem(Path file) throws IOException {
        return problem(file, PathRule.ofThisProcess(ROOT_DIRECTORY));
    }

    /** Whether this process runs as root. */
    public static boolean isRoot() {
        return PathRule.ownUid() == ROOT;
    }

    /** The same for another process. */
    static Optional<String> problem(Path file, PathRule rule) throws IOException {
        Destination found = follow(file, rule);
        Optional<String> stranger = stranger(Path.of(found.path()), rule.uid());
        // What was moved still has the content that its owner has given it.
        return stranger.isPresent() ? stranger : way(found, intruder -> !intruder.isMover());
    }

    /**
     * Finds a user other than root and the user of this process who can lead a path to another file.
     *
     * @return a text that follows the file's name, such as {@code is reached by /home/u, which belongs to u}
     */
    static Optional<String> way(Path file) throws IOException {
        return way(follow(file, PathRule.ofThisProcess(ROOT_DIRECTORY)), intruder -> true);
    }

    private static Destination follow(Path file, PathRule rule) throws IOException {
        return new PathWalk(ROOT_DIRECTORY, null, PathWalk.WAIT, rule)
                .follow(file.toAbsolutePath().toString());
    }

    private static Optional<String> way(Destination found, Predicate<Intruder> counts) {
        return found.intruders().stream()
                .filter(counts)
                .findFirst()
                .map((Intruder intruder) -> "is reached by " + intruder.place() + ", " + intruder.why());
    }

    private static Optional<String> stranger(Path file, long uid) throws IOException {
        int owner = (Integer) Files.getAttribute(file, "unix:uid");
        int mode = (Integer) Files.getAttribute(file, "unix:mode");
        if (owner != ROOT && owner != uid) {
            return Optional.of("belongs to uid " + owner + ", not to root");
        }
        int others = uid == ROOT ? WRITABLE_BY_GROUP | WRITABLE_BY_OTHERS : WRITABLE_BY_OTHERS;
        return (mode & others) != 0
                ? Optional.of("can be written by others than its owner, mode %04o".formatted(mode & 07777))
                : Optional.empty();
    }
}
