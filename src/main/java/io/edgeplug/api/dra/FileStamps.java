package io.edgeplug.api.dra;

import io.edgeplug.system.files.ForeignFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Files that were read, and whether one of them has changed since; thread-safe. */
final class FileStamps {

    /** By path, a value that changes when the file changes. */
    private final Map<Path, Object> stamps = new ConcurrentHashMap<>();

    /**
     * Notes a file. Call it before the file is read, so that a change in between is seen. A file that is read twice
     * keeps its first note.
     */
    void note(Path file) {
        Object ignored = stamps.putIfAbsent(file, stamp(file));
    }

    /** Whether no file has changed. */
    boolean areCurrent() {
        return stamps.entrySet().stream().allMatch(one -> one.getValue().equals(stamp(one.getKey())));
    }

    private static Object stamp(Path file) {
        try {
            // A link counts as the file that it leads to, because a rotation makes it lead to another one.
            BasicFileAttributes found = Files.readAttributes(ForeignFile.near(file), BasicFileAttributes.class);
            return List.of(String.valueOf(found.fileKey()), found.lastModifiedTime(), found.size());
        } catch (IOException e) {
            return "missing";
        }
    }
}
