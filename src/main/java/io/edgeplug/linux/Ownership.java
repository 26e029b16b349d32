package io.edgeplug.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Finds users who can change a file: its owner, and users who can replace it, a directory on its path, or a link on
 * that path.
 *
 * <p>Root trusts files that only root can change. Other users trust root and themselves. They also trust members of a
 * group, because on most systems each user has a group, and they act only with their own rights.
 */
public final class Ownership {

    private static final int ROOT = 0;
    private static final int STICKY = 01000;
    private static final int WRITABLE_BY_GROUP = 0020;
    private static final int WRITABLE_BY_OTHERS = 0002;

    /** The kernel's limit; see path_resolution(7). */
    private static final int MAX_LINKS = 40;

    private final Path file;
    private final int uid;
    private final Deque<Path> names = new ArrayDeque<>();
    private int links;

    private Ownership(Path file, int uid) {
        this.file = file;
        this.uid = uid;
    }

    /**
     * Finds a user other than root and the user of this process who can change the file or the directory.
     *
     * @return a text that follows the file's name, such as {@code belongs to uid 1000, not to root}; empty if nobody
     *     can
     * @throws IOException if it cannot be looked at
     */
    public static Optional<String> problem(Path file) throws IOException {
        return problem(file, ownUid());
    }

    /** Whether this process runs as root. */
    public static boolean isRoot() throws IOException {
        return ownUid() == ROOT;
    }

    private static int ownUid() throws IOException {
        return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }

    /** The same for a process of that user. */
    static Optional<String> problem(Path file, int uid) throws IOException {
        return new Ownership(file.toAbsolutePath(), uid).problem();
    }

    /** Follows the path as the kernel does: checks both a link and its target. */
    private Optional<String> problem() throws IOException {
        Path at = Path.of("/");
        file.forEach(names::addLast);
        Optional<String> problem = stranger(at);
        while (problem.isEmpty() && !names.isEmpty()) {
            Path name = names.removeFirst();
            if (name.toString().equals("..")) {
                at = at.getParent() == null ? at : at.getParent();
            } else if (!name.toString().isEmpty() && !name.toString().equals(".")) {
                Path part = at.resolve(name);
                problem = stranger(part);
                at = Files.isSymbolicLink(part) ? beforeTarget(part, at) : part;
            }
        }
        return problem;
    }

    /** Puts a link's target in front of the remaining path. Returns the directory from which to go on. */
    private Path beforeTarget(Path link, Path directory) throws IOException {
        links++;
        if (links > MAX_LINKS) {
            throw new IOException("has too many links on its way");
        }
        Path target = Files.readSymbolicLink(link);
        for (int i = target.getNameCount() - 1; i >= 0; i--) {
            names.addFirst(target.getName(i));
        }
        return target.isAbsolute() ? Path.of("/") : directory;
    }

    private Optional<String> stranger(Path part) throws IOException {
        int owner = (Integer) Files.getAttribute(part, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        int mode = (Integer) Files.getAttribute(part, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        String subject = part.equals(file) ? "" : "is reached by " + part + ", which ";
        if (owner != ROOT && owner != uid) {
            return Optional.of(subject + "belongs to uid " + owner + ", not to root");
        }
        // A link has no mode of its own. In a sticky directory nobody can replace files of others.
        boolean isPassed = FileKind.ofMode(mode) == FileKind.DIRECTORY && (mode & STICKY) != 0 && !names.isEmpty();
        int others = uid == ROOT ? WRITABLE_BY_GROUP | WRITABLE_BY_OTHERS : WRITABLE_BY_OTHERS;
        return (mode & others) != 0 && !isPassed && !Files.isSymbolicLink(part)
                ? Optional.of(subject + "can be written by others than its owner, mode %04o".formatted(mode & 07777))
                : Optional.empty();
    }
}
