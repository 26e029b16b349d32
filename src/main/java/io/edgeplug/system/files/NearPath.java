package io.edgeplug.system.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Follows a link in a directory where other programs write, but never into a file system that may not answer. */
final class NearPath {

    /** The kernel's limit. */
    private static final int MAX_LINKS = 40;

    private static final int MAX_NAMES = 1024;

    /** Its links lead to files of other processes, which may be anywhere; see proc_pid_root(5). */
    private static final String PROC = "proc";

    private final Path file;
    private final Path root;
    private final Set<String> refused;
    private int links;

    private NearPath(Path file, Path root, Set<String> refused) {
        this.file = file;
        this.root = root;
        this.refused = refused;
    }

    /**
     * Where a file is, if its name is a link; else the file. The directory itself is where an administrator wants it, so
     * the file systems on the way there are not refused.
     *
     * @param root where absolute links begin
     * @param far the mount points of file systems that may not answer
     * @throws IOException if it leads to one of them, or nowhere; the message follows the file's name
     */
    static Path of(Path file, Path root, Set<String> far) throws IOException {
        if (!Files.isSymbolicLink(file)) {
            return file;
        }
        if (far.contains(FarMounts.UNKNOWN)) {
            throw new IOException("is a link, and this node has more file systems that may not answer than the "
                    + FarMounts.MAX + " that edgeplug knows apart");
        }
        Path directory =
                Objects.requireNonNull(file.toAbsolutePath().getParent()).toRealPath();
        Set<String> refused = new HashSet<>(far);
        refused.add(root.resolve(PROC).toString());
        for (Path own = directory; own != null; own = own.getParent()) {
            refused.remove(own.toString());
        }
        return new NearPath(file, root, refused).follow(directory);
    }

    private Path follow(Path directory) throws IOException {
        Path place = directory;
        Deque<String> ahead = new ArrayDeque<>(List.of(String.valueOf(file.getFileName())));
        while (!ahead.isEmpty()) {
            String name = ahead.remove();
            if (name.equals("..") && !place.equals(root)) {
                place = Objects.requireNonNullElse(place.getParent(), place);
            } else if (!name.isEmpty() && !name.equals(".") && !name.equals("..")) {
                place = step(place, name, ahead);
            }
        }
        return place;
    }

    private Path step(Path place, String name, Deque<String> ahead) throws IOException {
        Path next = place.resolve(name);
        if (refused.contains(next.toString())) {
            throw new IOException("is a link to " + next + ", a file system that may not answer");
        }
        if (!Files.isSymbolicLink(next)) {
            return next;
        }
        links++;
        String target = Files.readSymbolicLink(next).toString();
        List.of(target.split("/")).reversed().forEach(ahead::addFirst);
        if (links > MAX_LINKS || ahead.size() > MAX_NAMES) {
            throw new IOException("Too many levels of symbolic links");
        }
        return target.startsWith("/") ? root : place;
    }
}
