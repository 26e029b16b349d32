package io.edgeplug.linux;

import io.edgeplug.linux.Destination.Intruder;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Follows a path name by name, as in path_resolution(7), and finds the users who can change each directory on the way.
 *
 * <p>If the directories are trusted, nobody else can change the result meanwhile. If they are not, the result says so.
 * So no file has to be opened.
 */
final class PathWalk {

    private static final String LOOK = "unix:mode,uid,gid,dev,ino";

    /** The kernel's limit. */
    private static final int MAX_LINKS = 40;

    /** The root of absolute links. In a captured node, device nodes are links to those of this node. */
    private static final Path HOST = Path.of("/");

    private static final int WRITABLE_BY_GROUP = 0020;
    private static final int WRITABLE_BY_ALL = 0002;

    private final Path root;
    private final Map<Path, Optional<Intruder>> directories = new LinkedHashMap<>();
    private final Optional<Trail> trail;
    private Path place;

    /** The attributes of the present place; empty before the first look. */
    private Optional<Map<String, Object>> here = Optional.empty();

    private int links;

    /** The part of the path so far. Names from the target of a link count as the name of the link. */
    private String named = "";

    private int namesOfLinks;

    /**
     * A walk in the tree below a directory, where its paths begin.
     *
     * @param trail is told of each step before it is taken
     */
    PathWalk(Path root, Optional<Trail> trail) throws IOException {
        this.root = root.toRealPath();
        this.place = this.root;
        this.trail = trail;
    }

    /**
     * The destination of an absolute path.
     *
     * @throws IOException if it leads nowhere, or cannot be followed
     */
    Destination follow(String path) throws IOException {
        Deque<String> ahead = new ArrayDeque<>(List.of(path.split("/")));
        while (!ahead.isEmpty()) {
            String name = ahead.remove();
            if (namesOfLinks > 0) {
                namesOfLinks--;
            } else if (!name.isEmpty()) {
                named += "/" + name;
            }
            if (name.equals("..")) {
                go(Objects.requireNonNullElse(place.getParent(), place), Optional.empty());
            } else if (!name.isEmpty() && !name.equals(".")) {
                step(name, ahead);
            }
        }
        Map<String, Object> found = lookHere();
        List<Intruder> intruders =
                directories.values().stream().flatMap(Optional::stream).toList();
        // A file outside of the tree has no other name on its node.
        String resolved =
                place.startsWith(root) ? name(place) : HOST.resolve(path).toString();
        return new Destination(resolved, kind(found), number(found, "dev"), number(found, "ino"), intruders);
    }

    /** Follows the path of a directory in which names will be looked for. */
    void follow(String directory, NameGlob names) throws IOException {
        Destination ignored = follow(directory);
        trail.ifPresent(one -> one.list(place, names, named));
    }

    private void step(String name, Deque<String> ahead) throws IOException {
        trail.ifPresent(one -> one.lookUp(place, name, named));
        // A captured device node is a link out of its tree. The directories there say nothing about its node.
        if (place.startsWith(root) && !directories.containsKey(place)) {
            directories.put(place, intruder(place, lookHere()));
        }
        Path next = place.resolve(name);
        Map<String, Object> found = look(next);
        if (isLink(found)) {
            links++;
            if (links > MAX_LINKS) {
                throw new FileSystemException(next.toString(), null, "Too many levels of symbolic links");
            }
            String target = Files.readSymbolicLink(next).toString();
            if (target.startsWith("/")) {
                go(HOST, Optional.empty());
            }
            List<String> names = List.of(target.split("/"));
            names.reversed().forEach(ahead::addFirst);
            namesOfLinks += names.size();
        } else if (!ahead.isEmpty() && kind(found) != FileKind.DIRECTORY) {
            throw new NotDirectoryException(next.toString());
        } else {
            go(next, Optional.of(found));
        }
    }

    private void go(Path next, Optional<Map<String, Object>> found) {
        place = next;
        here = found;
    }

    private Map<String, Object> lookHere() throws IOException {
        if (here.isEmpty()) {
            here = Optional.of(look(place));
        }
        return here.orElseThrow();
    }

    private Optional<Intruder> intruder(Path directory, Map<String, Object> found) throws IOException {
        long owner = number(found, "uid");
        if (owner != 0 && owner != number(look(root), "uid") && owner != own("uid")) {
            String user = Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).getName();
            return Optional.of(new Intruder(
                    Optional.of(user), through(directory) + ", which belongs to " + user + ": see trust_owner"));
        }
        long mode = number(found, "mode");
        // In a sticky directory nobody can replace files of others, but everyone can be the first to make one.
        if ((mode & WRITABLE_BY_ALL) != 0) {
            return Optional.of(new Intruder(Optional.empty(), through(directory) + ", to which anyone can write"));
        }
        long group = number(found, "gid");
        if ((mode & WRITABLE_BY_GROUP) != 0 && group != 0 && group != own("gid")) {
            Object name = Files.getAttribute(directory, "posix:group", LinkOption.NOFOLLOW_LINKS);
            return Optional.of(
                    new Intruder(Optional.empty(), through(directory) + ", to which group " + name + " can write"));
        }
        return Optional.empty();
    }

    private String through(Path directory) {
        return "its way leads through " + name(directory);
    }

    /** The path as the node sees it. */
    private String name(Path file) {
        return HOST.resolve(root.relativize(file)).toString();
    }

    private static long own(String name) throws IOException {
        return number(Files.readAttributes(Path.of("/proc/self"), LOOK), name);
    }

    private static Map<String, Object> look(Path file) throws IOException {
        return Files.readAttributes(file, LOOK, LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean isLink(Map<String, Object> found) {
        return FileKind.isLink((int) number(found, "mode"));
    }

    private static FileKind kind(Map<String, Object> found) {
        return FileKind.ofMode((int) number(found, "mode"));
    }

    private static long number(Map<String, Object> found, String name) {
        return found.get(name) instanceof Number number ? number.longValue() : 0;
    }
}
