package io.edgeplug.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Who can change a file: its owner, and whoever can replace it, a directory on the way to it, or a link on that way.
 *
 * <p>Root trusts what root alone can change. Other users trust root and themselves, and the members of a group, which on
 * most systems is a user's own: they act with no more than their own rights.
 */
public final class Ownership {

    private static final int ROOT = 0;
    private static final int STICKY = 01000;
    private static final int WRITABLE_BY_GROUP = 0020;
    private static final int WRITABLE_BY_OTHERS = 0002;

    /** As many as the kernel follows; see path_resolution(7). */
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
     * Who else than root, and the user who runs this process, can change the file or the directory.
     *
     * @return a text that follows the file's name, as {@code belongs to uid 1000, not to root}; empty if nobody can
     * @throws IOException if it cannot be looked at
     */
    public static Optional<String> problem(Path file) throws IOException {
        return problem(file, ownUid());
    }

    /** Whether this process is root's. */
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

    /** Goes the way that the kernel goes: where a link leads to is looked at as well as the link. */
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

    /** Where to go on from, now that the names of a link's target are those that come next. */
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
        // a link has no mode of its own, and in a sticky directory nobody can replace what is another's
        boolean isPassed = FileKind.ofMode(mode) == FileKind.DIRECTORY && (mode & STICKY) != 0 && !names.isEmpty();
        int others = uid == ROOT ? WRITABLE_BY_GROUP | WRITABLE_BY_OTHERS : WRITABLE_BY_OTHERS;
        return (mode & others) != 0 && !isPassed && !Files.isSymbolicLink(part)
                ? Optional.of(subject + "can be written by others than its owner, mode %04o".formatted(mode & 07777))
                : Optional.empty();
    }
}
