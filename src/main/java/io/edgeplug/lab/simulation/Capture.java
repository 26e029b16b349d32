package io.edgeplug.lab.simulation;

import io.edgeplug.system.files.Look;
import io.edgeplug.system.kernel.PlainText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Makes a tree of the files that a scan looked at, so that the same scan of the tree has the same result.
 *
 * <p>It is a witness of the scan's {@link io.edgeplug.system.files.Sysfs}. It reads no file by itself and only follows links.
 * The tree has only files that the scan has seen, with their directories and links. Files that cannot be written are
 * left out, and a comment says so.
 */
public final class Capture implements Consumer<Look> {

    /** The limit for the characters of a tree. A node with 4,096 VFs has about 6 million. */
    private static final int MAX_LENGTH = 1 << 25;

    /** The kernel's own limit (path_resolution(7)). */
    private static final int MAX_LINKS = 40;

    /** Replaces a device node, which no file can be. On any host where the tree is unpacked, this is a device node. */
    private static final String SOME_DEVICE = "/dev/null";

    /** The directory in which names alone are information. Elsewhere, names that were not looked up stay private. */
    private static final Path SYS = Path.of("sys");

    /** Links in here depend on the process that looks, so the next scan would find nothing there. */
    private static final Path PROC = Path.of("proc");

    private static final Pattern UNWRITABLE = Pattern.compile("\\s(/|$)|(^|/)[\\s#\\[]| = | -> |[\\p{Cntrl}\\uFFFD]");

    private final Path root;
    private final NavigableMap<Path, byte[]> files = new TreeMap<>();
    private final NavigableMap<Path, String> links = new TreeMap<>();
    private final NavigableSet<Path> directories = new TreeSet<>();
    private final NavigableSet<String> problems = new TreeSet<>();

    /** A capture of the scan of the node below {@code root}. */
    public Capture(Path root) {
        this.root = root;
    }

    @Override
    public void accept(Look look) {
        try {
            if (!isWritable(look.path())) {
                return;
            }
            switch (look) {
                case Look.Read read -> follow(look.path()).ifPresent(file -> files.put(file, read.content()));
                case Look.Listed listed -> list(listed);
                case Look.Seen seen -> see(seen.path());
                case Look.Noted noted -> note(Path.of(noted.path()), noted.line());
                case Look.Failed failed -> problems.add(failed.path() + ": " + failed.problem());
            }
        } catch (IOException | InvalidPathException e) {
            problems.add(look.path() + ": " + e.getMessage());
        }
    }

    /**
     * The tree, which is always the same for the same node.
     *
     * @param withIdentities as they are; otherwise with placeholders
     * @throws IOException if it would be too large to attach to a report
     */
    public String text(boolean withIdentities) throws IOException {
        Identities identities = new Identities();
        UnaryOperator<String> name = withIdentities ? UnaryOperator.identity() : identities::path;
        NavigableMap<Path, String> entries = new TreeMap<>();
        directories.forEach(path -> entries.put(path, "/"));
        files.forEach((path, content) -> entries.put(
                path,
                " = "
                        + AttributeValue.of(withIdentities ? content : identities.content(path, content))
                                .text()));
        links.forEach((path, target) -> entries.put(path, " -> " + name.apply(target)));
        parents(entries.keySet()).forEach(entries::remove);

        StringBuilder text = new StringBuilder();
        Path section = Path.of("");
        for (Map.Entry<Path, String> entry : inSections(entries)) {
            Path directory = Objects.requireNonNullElse(entry.getKey().getParent(), Path.of(""));
            if (!directory.equals(section)) {
                section = directory;
                text.append("\n[").append(name.apply(section.toString())).append("]\n");
            }
            text.append(name.apply(String.valueOf(entry.getKey().getFileName())))
                    .append(entry.getValue())
                    .append('\n');
        }
        problems.forEach(problem -> text.append("# left out: ")
                .append(PlainText.of(name.apply(problem)))
                .append('\n'));
        if (text.length() > MAX_LENGTH) {
            throw new IOException("a capture of this node has " + text.length() + " characters, more than " + MAX_LENGTH
                    + ": name fewer files in match.paths");
        }
        return text.toString();
    }

    /** Sorted by directory, so that each is one section. */
    private static List<Map.Entry<Path, String>> inSections(NavigableMap<Path, String> entries) {
        return entries.entrySet().stream()
                .sorted(Comparator.comparing(
                        entry -> String.valueOf(entry.getKey().getParent())))
                .toList();
    }

    private static Set<Path> parents(Collection<Path> paths) {
        Set<Path> parents = new HashSet<>();
        for (Path path : paths) {
            for (Path way = path.getParent(); way != null && parents.add(way); way = way.getParent()) {
                // The search goes on further up.
            }
        }
        return parents;
    }

    /** A name with a line break, for example, would be another line of the tree. */
    private boolean isWritable(String path) {
        boolean isWritable = !UNWRITABLE.matcher(path).find();
        if (!isWritable) {
            problems.add(path + ": a tree cannot hold such a name");
        }
        return isWritable;
    }

    private void list(Look.Listed listed) throws IOException {
        Optional<Path> directory = follow(listed.path());
        if (directory.isEmpty()) {
            return;
        }
        directories.add(directory.orElseThrow());
        if (!directory.orElseThrow().startsWith(SYS)) {
            return;
        }
        for (String name : listed.names()) {
            Path path = directory.orElseThrow().resolve(name);
            if (!isWritable(path.toString())) {
                continue;
            }
            if (Files.isSymbolicLink(root.resolve(path))) {
                see(path.toString());
            } else if (Files.isDirectory(root.resolve(path))) {
                directories.add(path);
            }
        }
    }

    private void see(String path) throws IOException {
        Optional<Path> seen = follow(path);
        if (seen.isEmpty()) {
            return;
        }
        Path place = seen.orElseThrow();
        if (Files.isDirectory(root.resolve(place))) {
            directories.add(place);
        } else if (Files.isRegularFile(root.resolve(place))) {
            files.putIfAbsent(place, new byte[0]);
        } else {
            links.put(place, SOME_DEVICE);
        }
    }

    /** Each line once, however often the kernel said it. */
    private void note(Path file, String line) {
        String before = new String(files.getOrDefault(file, new byte[0]), StandardCharsets.UTF_8);
        if (before.lines().noneMatch(line.strip()::equals)) {
            files.put(file, (before + line).getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * The destination of a path, from the root, without links; empty if there is none. Every link on the way is kept.
     */
    private Optional<Path> follow(String path) throws IOException {
        Deque<String> ahead = new ArrayDeque<>(List.of(path.split("/")));
        Path place = Path.of("");
        int followed = 0;
        while (!ahead.isEmpty()) {
            String name = ahead.remove();
            if (name.isEmpty() || name.equals(".")) {
                continue;
            }
            if (name.equals("..")) {
                place = Objects.requireNonNullElse(place.getParent(), Path.of(""));
                continue;
            }
            Path next = place.resolve(name);
            if (next.startsWith(PROC)) {
                return Optional.of(next.resolve(String.join("/", ahead)));
            }
            Optional<String> target = target(next);
            if (target.isEmpty()) {
                place = next;
            } else if (++followed > MAX_LINKS) {
                return Optional.empty();
            } else {
                List<String> names = List.of(target.orElseThrow().split("/"));
                names.reversed().forEach(ahead::addFirst);
            }
        }
        return Files.exists(root.resolve(place), LinkOption.NOFOLLOW_LINKS) ? Optional.of(place) : Optional.empty();
    }

    /** The target of a link, relative to it. An absolute target would lead out of the unpacked tree. */
    private Optional<String> target(Path path) throws IOException {
        String known = links.get(path);
        if (known != null) {
            return Optional.of(known);
        }
        if (!Files.isSymbolicLink(root.resolve(path))) {
            return Optional.empty();
        }
        Path target = Files.readSymbolicLink(root.resolve(path));
        if (!isWritable(target.toString())) {
            return Optional.empty();
        }
        if (target.isAbsolute()) {
            Path directory = Objects.requireNonNullElse(path.getParent(), Path.of(""));
            target = directory.relativize(Path.of("/").relativize(target));
        }
        links.put(path, target.toString());
        return Optional.of(target.toString());
    }
}
