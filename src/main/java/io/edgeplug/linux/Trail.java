package io.edgeplug.linux;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * One round of looks at files: each directory on the way of one is watched before a name is looked up in it, so that
 * what changes from then on is told. One thread at a time.
 */
public final class Trail {

    private final FileWatch watch;
    private final Ways ways = new Ways();
    private final Map<Path, Integer> watches = new HashMap<>();
    private boolean isComplete = true;

    Trail(FileWatch watch) {
        this.watch = watch;
    }

    /** A name is about to be looked up, on the way of that path. */
    void lookUp(Path directory, String name, String path) {
        int number = watch(directory);
        if (number >= 0) {
            ways.add(number, directory, name, path);
            watch.add(known -> known.add(number, directory, name, path));
        }
    }

    /** Names are about to be looked for in the directory that a path leads to. */
    void list(Path directory, NameGlob names, String path) {
        int number = watch(directory);
        if (number >= 0) {
            ways.add(number, directory, names, path);
            watch.add(known -> known.add(number, directory, names, path));
        }
    }

    private int watch(Path directory) {
        int number = ways.isFull() ? watch.full() : watches.computeIfAbsent(directory, watch::watch);
        isComplete &= number != FileWatch.UNWATCHED;
        return number;
    }

    Ways ways() {
        return ways;
    }

    /** Whether all directories on the way are watched. */
    boolean isComplete() {
        return isComplete;
    }
}
