package io.edgeplug.system.files;

import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The names and directories on watched paths. One thread at a time. */
final class Ways {

    /**
     * Enough for the files of a node behind several links each. A user who owns a directory on the way can lead its
     * links through any number. With the longest names, this limit is some 4 MiB, twice that during a scan, of a heap
     * of 32.
     */
    private static final int MAX = 1 << 13;

    /** By the number of the watch. A directory has one number, by whichever path it was reached. */
    private final Map<Integer, Directory> directories = new HashMap<>();

    /**
     * The lookups in a directory.
     *
     * @param path of the directory when it was watched, without links
     * @param paths by a name that was looked up in it, the paths on whose way it was
     * @param patterns by a path whose last directory it is, the names that were looked for
     */
    private record Directory(Path path, Map<String, Set<String>> paths, Map<String, Set<NameGlob>> patterns) {

        Set<String> concerned(String name) {
            Set<String> concerned = new HashSet<>(paths.getOrDefault(name, Set.of()));
            patterns.forEach((path, names) -> {
                if (names.stream().anyMatch(one -> one.matches(name))) {
                    concerned.add(path + "/" + name);
                }
            });
            return concerned;
        }

        Set<String> all() {
            Set<String> all = new HashSet<>();
            paths.values().forEach(all::addAll);
            patterns.keySet().forEach(path -> all.add(path.isEmpty() ? FileWatch.EVERYTHING : path));
            return all;
        }
    }

    /** How many names and directories there are. */
    private int size;

    int size() {
        return size;
    }

    boolean isFull() {
        return size >= MAX;
    }

    private Directory directory(int watch, Path path) {
        size += directories.containsKey(watch) ? 0 : 1;
        return directories.computeIfAbsent(watch, number -> new Directory(path, new HashMap<>(), new HashMap<>()));
    }

    /** On the way of a path, a name is looked up in that directory. */
    void add(int watch, Path directory, String name, String path) {
        Directory one = directory(watch, directory);
        int parent = path.lastIndexOf('/');
        boolean isListed = path.substring(parent + 1).equals(name)
                && one.patterns().getOrDefault(path.substring(0, parent), Set.of()).stream()
                        .anyMatch(names -> names.matches(name));
        // Otherwise each of thousands of files in a directory would be noted twice.
        if (!isListed
                && one.paths().computeIfAbsent(name, any -> new HashSet<>()).add(path)) {
            size++;
        }
    }

    /** A path leads to that directory, in which names are looked for. */
    void add(int watch, Path directory, NameGlob names, String path) {
        directory(watch, directory)
                .patterns()
                .computeIfAbsent(path, any -> new HashSet<>())
                .add(names);
    }

    /** The paths that may lead elsewhere after an event for a name, or for the directory if the name is empty. */
    Set<String> concerned(int watch, String name) {
        Directory one = directories.get(watch);
        if (one == null) {
            return Set.of();
        }
        return name.isEmpty() ? one.all() : one.concerned(name);
    }

    /** The same after a mount or an unmount. */
    Set<String> concerned(Collection<Path> mountPoints) {
        Set<String> concerned = new LinkedHashSet<>();
        for (Path point : mountPoints) {
            directories.values().stream()
                    .filter(one -> one.path().equals(point.getParent()))
                    .forEach(one -> concerned.addAll(one.concerned(
                            Objects.requireNonNull(point.getFileName()).toString())));
        }
        return concerned;
    }

    /** The paths of the directories. */
    Set<Path> paths() {
        Set<Path> paths = new HashSet<>();
        directories.values().forEach(one -> paths.add(one.path()));
        return paths;
    }

    /** The numbers of all watches. */
    Set<Integer> watches() {
        return Set.copyOf(directories.keySet());
    }
}
