package io.edgeplug.system.files;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * One round of looks at files. Each directory on the path of a file is watched before a name is looked up in it, so
 * that later changes are reported. One thread at a time.
 */
public final class Trail {

    private final FileWatch watch;
    private final Ways ways = new Ways();
    private final Map<Path, Integer> watches = new HashMap<>();
    private boolean isComplete = true;

    Trail(FileWatch watch) {
        this.watch = watch;
    }

    /** A name on that path is about to be looked up. */
    void lookUp(Path directory, String name, String path) {
        int number = watch(directory);
        if (number >= 0) {
            ways.add(number, directory, name, path);
            watch.add(known -> known.add(number, directory, name, path));
        }
    }

    /** Names are about to be looked for in the directory of a path. */
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

    /** Whether all directories on the paths are watched. */
    boolean isComplete() {
        return isComplete;
    }
}
