package io.edgeplug.model.config;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * When each file of a configuration was last written, so that it can be told whether a file was changed since.
 *
 * @param files with their times; those that cannot be looked at are left out
 */
public record ConfigStamps(SortedMap<Path, FileTime> files) {

    /** The present times. May wait for the disk, but opens no file. */
    public static ConfigStamps of(Path mainFile) {
        SortedMap<Path, FileTime> files = new TreeMap<>();
        add(files, mainFile);
        try (DirectoryStream<Path> all =
                Files.newDirectoryStream(mainFile.resolveSibling(ConfigFiles.CLASS_DIRECTORY), "*.toml")) {
            for (Path file : all) {
                // One more shows that there are too many.
                if (files.size() > ConfigFiles.MAX_CLASS_FILES + 1) {
                    break;
                }
                add(files, file);
            }
        } catch (IOException | DirectoryIteratorException e) {
            // What cannot be listed is reported when it is read.
        }
        return new ConfigStamps(files);
    }

    private static void add(SortedMap<Path, FileTime> files, Path file) {
        try {
            files.put(file, Files.getLastModifiedTime(file));
        } catch (IOException e) {
            // It is missing, or the reader says what is wrong with it.
        }
    }

    /** The first file that is new, was written or was removed between these times and newer ones. */
    public Optional<Path> firstChange(ConfigStamps newer) {
        TreeSet<Path> all = new TreeSet<>(files.keySet());
        all.addAll(newer.files.keySet());
        return all.stream()
                .filter(file ->
                        !Optional.ofNullable(files.get(file)).equals(Optional.ofNullable(newer.files.get(file))))
                .findFirst();
    }
}
