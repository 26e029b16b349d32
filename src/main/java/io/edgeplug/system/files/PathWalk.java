package io.edgeplug.system.files;

import io.edgeplug.system.files.Destination.Intruder;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows a path name by name, as in path_resolution(7), and finds the users who can make a name on the way lead
 * elsewhere, as {@link PathRule} says.
 *
 * <p>If there are none, nobody else can change the result meanwhile. If there are some, the result says so. So no file
 * has to be opened.
 */
final class PathWalk {

    /** The kernel's limit. */
    private static final int MAX_LINKS = 40;

    /** The kernel has no limit but that of each link, which allows 65,000 names. An Allocate looks at all of them. */
    private static final int MAX_NAMES_OF_LINKS = 1024;

    /** The root of absolute links. In a captured node, device nodes are links to those of this node. */
    private static final Path HOST = Path.of("/");

    /** Waits for whatever does not answer. */
    static final Consumer<String> WAIT = mount -> {};

    /** Waits for nothing that may not answer. */
    static final Consumer<String> REFUSE = mount -> {
        throw new FarPathException(mount);
    };

    /** The names of users and groups that were looked up, by attribute and number. */
    private static final Map<String, String> NAMES = new ConcurrentHashMap<>();

    /** Far more than own directories on the paths of devices. A user may own files of thousands of users. */
    private static final int MAX_NAMES = 1024;

    private final Path root;
    private final PathRule rule;
    private final Set<Intruder> intruders = new LinkedHashSet<>();
    private final @Nullable Trail trail;
    private final Consumer<String> onFar;

    /** The mount points that {@link #onFar} gets before the walk reaches them. */
    private final Set<String> far;

    private Path place;

    /** What is at the present place; null before the first look. */
    private @Nullable FileStatus here;

    private int links;
    private int allNamesOfLinks;
    private boolean hasAbsoluteLink;

    /** The part of the path so far, for the trail. Names from the target of a link count as the name of the link. */
    private String named = "";

    /** How many names from links are ahead. */
    private int namesOfLinks;

    /**
     * A walk in the tree below a directory, where its paths begin.
     *
     * @param trail is told of each step before it is taken
     * @param onFar gets the mount point of each file system that may never answer, before the walk looks there;
     *     {@link #WAIT}, {@link #REFUSE}, or one that may throw a {@link FarPathException} too
     */
    PathWalk(Path root, @Nullable Trail trail, Consumer<String> onFar) throws IOException {
        this(root, trail, onFar, PathRule.ofThisProcess(root));
    }

    PathWalk(Path root, @Nullable Trail trail, Consumer<String> onFar, PathRule rule) throws IOException {
        this.root = root.toRealPath();
        this.place = this.root;
        this.trail = trail;
        this.onFar = onFar;
        this.far = far(onFar);
        this.rule = rule;
        if (!far.isEmpty()) {
            FileWatch.upFrom(this.root.toString()).reversed().forEach(this::come);
        }
    }

    static Set<String> far(Consumer<String> onFar) {
        return onFar.equals(WAIT) ? Set.of() : FarMounts.ofThisProcess().now();
    }

    private void come(String path) {
        if (far.contains(path)) {
            onFar.accept(path);
        }
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
            } else if (!name.isEmpty() && trail != null) {
                named += "/" + name;
            }
            if (name.equals("..")) {
                go(Objects.requireNonNullElse(place.getParent(), place), null);
            } else if (!name.isEmpty() && !name.equals(".")) {
                step(name, ahead);
            }
        }
        FileStatus found = lookHere();
        if (hasAbsoluteLink && root.equals(HOST)) {
            compare(path, found);
        }
        // A file outside of the tree has no other name on its node.
        String resolved =
                place.startsWith(root) ? name(place) : HOST.resolve(path).toString();
        // A captured node's files lead to nodes of this machine, whose numbers say nothing about its devices.
        boolean isNumbered = found.kind().isNode() && place.startsWith(root);
        return new Destination(
                resolved,
                found.kind(),
                found.rights().device(),
                found.inode(),
                isNumbered ? found.number() : "",
                List.copyOf(intruders));
    }

    /**
     * Some links in {@code /proc} lead to a file that their text does not name, such as one in a container; see
     * {@code proc_pid_root(5)}. All of them have an absolute text, or one that names nothing.
     */
    private void compare(String path, FileStatus found) throws IOException {
        FileStatus ofKernel = FileStatus.of(root.resolve(path));
        if (ofKernel.inode() != found.inode()
                || ofKernel.rights().device() != found.rights().device()) {
            throw new FileSystemException(path, null, "a link on the way does not lead where its text says");
        }
    }

    /** Follows the path of a directory in which names will be looked for. */
    void follow(String directory, NameGlob names) throws IOException {
        Destination ignored = follow(directory);
        if (trail != null) {
            trail.list(place, names, named);
        }
        if (names.isLiteral()) {
            come(place.resolve(names.text()).toString());
        }
    }

    private void step(String name, Deque<String> ahead) throws IOException {
        if (trail != null) {
            trail.lookUp(place, name, named);
        }
        Path next = place.resolve(name);
        come(next.toString());
        FileStatus found = FileStatus.of(next, LinkOption.NOFOLLOW_LINKS);
        // A captured device node is a link out of its tree. The directories there say nothing about its node.
        if (place.startsWith(root)) {
            judge(next, found);
        }
        if (FileKind.isLink(found.rights().mode())) {
            links++;
            if (links > MAX_LINKS) {
                throw new FileSystemException(next.toString(), null, "Too many levels of symbolic links");
            }
            String target = Files.readSymbolicLink(next).toString();
            if (target.startsWith("/")) {
                hasAbsoluteLink = true;
                go(HOST, null);
            }
            List<String> names = List.of(target.split("/"));
            allNamesOfLinks += names.size();
            if (allNamesOfLinks > MAX_NAMES_OF_LINKS) {
                throw new FileSystemException(
                        next.toString(), null, "links on the way have more than " + MAX_NAMES_OF_LINKS + " names");
            }
            names.reversed().forEach(ahead::addFirst);
            namesOfLinks += names.size();
        } else if (!ahead.isEmpty() && found.kind() != FileKind.DIRECTORY) {
            throw new NotDirectoryException(next.toString());
        } else {
            go(next, found);
        }
    }

    private void go(Path next, @Nullable FileStatus found) {
        place = next;
        here = found;
    }

    private FileStatus lookHere() throws IOException {
        if (here == null) {
            here = FileStatus.of(place, LinkOption.NOFOLLOW_LINKS);
        }
        return here;
    }

    private void judge(Path entry, FileStatus found) throws IOException {
        PathRule.Status directory = lookHere().rights();
        PathRule.Status status = found.rights();
        if (status.device() != directory.device()) {
            status = status.shownBy(FarMounts.ofThisProcess().server(FileStatus.number(status.device())));
        }
        for (PathRule.Breach breach : rule.breaches(directory, status)) {
            intruders.add(
                    switch (breach) {
                        case SERVER ->
                            others(entry, "which a program of user " + status.server() + " shows as that of another");
                        case OWNER -> owner(place, lookHere(), "");
                        case ANYONE -> others(place, "to which anyone can write");
                        case GROUP -> others(place, "to which group " + group() + " can write");
                        case ENTRY_OWNER -> owner(entry, found, ", in a directory to which others can write");
                        case LINK ->
                            others(
                                    entry,
                                    "a link that the kernel does not follow in a directory to which others can write");
                        case MOUNT ->
                            others(entry, "which is another file system, in a directory to which others can write");
                        case MOVED ->
                            new Intruder(
                                    Optional.empty(),
                                    name(entry),
                                    "which anyone may have moved into a directory to which others can write",
                                    true);
                        case NAMES -> others(entry, "which has more names, in a directory to which others can write");
                    });
        }
    }

    private Intruder owner(Path file, FileStatus found, String where) throws IOException {
        String user = nameOf(file, "posix:owner", found.rights().uid());
        return new Intruder(Optional.of(user), name(file), "which belongs to " + user + where, false);
    }

    private Intruder others(Path file, String why) {
        return new Intruder(Optional.empty(), name(file), why, false);
    }

    private String group() throws IOException {
        return nameOf(place, "posix:group", lookHere().rights().gid());
    }

    /**
     * The name of a user or a group. It may come from a server, which may not answer (nsswitch.conf(5)). So a walk that
     * must not wait uses the name that another one has looked up.
     */
    private String nameOf(Path file, String attribute, long number) throws IOException {
        String key = attribute + number;
        if (onFar.equals(REFUSE)) {
            String known = NAMES.get(key);
            if (known == null) {
                throw new FarPathException(file.toString());
            }
            return known;
        }
        String name = String.valueOf(Files.getAttribute(file, attribute, LinkOption.NOFOLLOW_LINKS));
        if (NAMES.size() < MAX_NAMES || NAMES.containsKey(key)) {
            NAMES.put(key, name);
        }
        return name;
    }

    /** The path as the node sees it. */
    private String name(Path file) {
        return HOST.resolve(root.relativize(file)).toString();
    }
}
