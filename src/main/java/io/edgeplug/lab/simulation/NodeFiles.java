package io.edgeplug.lab.simulation;

import io.edgeplug.lab.simulation.Tree.Entry;
import io.edgeplug.system.files.WholeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The files below a simulated node's root, for one writer and any number of readers. No reader sees half a file. */
final class NodeFiles {

    /** It is in the root itself: on the same file system, but in no directory of sysfs that somebody lists. */
    private static final String UNFINISHED = ".unfinished";

    private static final Path BUSES = Path.of("sys/bus");

    private final Path root;

    /** The files below that directory, which is made if it is missing. */
    NodeFiles(Path root) throws IOException {
        Files.createDirectories(root);
        this.root = root.toRealPath();
    }

    Path root() {
        return root;
    }

    /**
     * Adds the entries of a tree, or nothing if it has a mistake.
     *
     * @throws IllegalArgumentException if something is in the way
     */
    void add(Tree tree) throws IOException {
        tree.entries().forEach(this::checkFree);
        // A reader that sees a function on the bus must find the rest of it too.
        for (Entry entry : tree.entries()) {
            if (!entry.path().startsWith(BUSES)) {
                add(entry);
            }
        }
        for (Entry entry : tree.entries()) {
            if (entry.path().startsWith(BUSES)) {
                add(entry);
            }
        }
    }

    /**
     * The destination of a path, with links resolved.
     *
     * @throws NoSuchFileException if it leads nowhere
     * @throws IllegalArgumentException if it leads out of the root
     */
    Path real(Path path) throws IOException {
        Path real = root.resolve(path).toRealPath();
        if (!real.startsWith(root)) {
            throw new IllegalArgumentException(path + " leads out of the node");
        }
        return real;
    }

    /**
     * Gives a file other bytes, by a new file in its place. In sysfs, the same file would answer differently.
     * Thread-safe.
     */
    synchronized void replace(Path file, byte[] bytes) throws IOException {
        WholeFile.PUBLIC.write(root, UNFINISHED, root.relativize(file).toString(), bytes);
    }

    /** Removes every link in {@code sys} that leads into that directory, and then the directory. */
    void remove(Path directory) throws IOException {
        List<Path> links;
        // Only a few of thousands of links lead there, and each call on a path leaves garbage.
        try (Stream<Path> all = Files.find(
                root.resolve("sys"),
                Integer.MAX_VALUE,
                (path, attributes) -> attributes.isSymbolicLink() && leadsInto(path, directory))) {
            // Links on the bus come first, because everyone looks there.
            links = all.sorted(Comparator.comparing(this::isOnBus).reversed()).toList();
        }
        for (Path link : links) {
            Files.delete(link);
        }
        List<Path> rest;
        try (Stream<Path> all = Files.walk(directory)) {
            rest = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : rest) {
            Files.delete(path);
        }
    }

    private static boolean leadsInto(Path link, Path directory) {
        try {
            return link.resolveSibling(Files.readSymbolicLink(link)).normalize().startsWith(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isOnBus(Path link) {
        return root.relativize(link).startsWith(BUSES);
    }

    private void checkFree(Entry entry) {
        Path place = root.resolve(entry.path());
        if (Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
            throw Tree.mistake(entry.line(), entry.path() + " is there already");
        }
        for (Path way = place.getParent(); way != null && !way.equals(root); way = way.getParent()) {
            if (Files.exists(way, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(way, LinkOption.NOFOLLOW_LINKS)) {
                throw Tree.mistake(
                        entry.line(),
                        entry.path() + " leads through " + root.relativize(way) + ", which is no directory");
            }
        }
    }

    private void add(Entry entry) throws IOException {
        Path place = root.resolve(entry.path());
        Path parent = place.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        switch (entry) {
            case Entry.File file -> replace(place, file.value().bytes());
            case Entry.Link link -> Files.createSymbolicLink(place, Path.of(link.target()));
            case Entry.Directory directory -> Files.createDirectories(root.resolve(directory.path()));
        }
    }
}
