package io.edgeplug.model.config;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * When each file of a configuration was last written, so that it can be told whether a file was changed since.
 *
 * @param files with their stamps; those that cannot be looked at are left out
 */
record ConfigStamps(SortedMap<Path, Stamp> files) {

    /** The kernel's clock for files stands still for some milliseconds, in which the size may change. */
    record Stamp(FileTime written, long size) {}

    /** The present stamps. May wait for the disk, but opens no file. */
    static ConfigStamps of(Path mainFile) {
        SortedMap<Path, Stamp> files = new TreeMap<>();
        add(files, mainFile);
        Path directory = mainFile.resolveSibling(ConfigFiles.CLASS_DIRECTORY);
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, ConfigFiles.CLASS_FILES)) {
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

    private static void add(SortedMap<Path, Stamp> files, Path file) {
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            files.put(file, new Stamp(found.lastModifiedTime(), found.size()));
        } catch (IOException e) {
            // It is missing, or the reader says what is wrong with it.
        }
    }

    /** The first file that is new, was written or was removed between these stamps and newer ones. */
    Optional<Path> firstChange(ConfigStamps newer) {
        TreeSet<Path> all = new TreeSet<>(files.keySet());
        all.addAll(newer.files.keySet());
        return all.stream()
                .filter(file ->
                        !Optional.ofNullable(files.get(file)).equals(Optional.ofNullable(newer.files.get(file))))
                .findFirst();
    }
}
