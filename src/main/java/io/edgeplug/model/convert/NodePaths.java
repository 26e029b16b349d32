package io.edgeplug.model.convert;

import io.edgeplug.system.files.FileKind;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Files of the node that a plugin finds in its directories at its start, and that a class must name. */
record NodePaths(Sysfs sysfs) {

    /** The depth to which smarter-device-manager looks. */
    private static final int MAX_DEPTH = 11;

    /** The /dev of a node has hundreds. */
    private static final int MAX_FILES = 65_536;

    /** Those of device nodes, on a node that does not have them now. */
    private static final Set<String> DIRECTORIES =
            Set.of("/dev/snd", "/dev/dri", "/dev/input", "/dev/bus/usb", "/dev/infiniband", "/dev/dma_heap");

    boolean isDirectory(String path) {
        return kind(path).equals(Optional.of(FileKind.DIRECTORY));
    }

    /** The path as a class names it: a directory ends with a slash. */
    String asWritten(String path) {
        boolean isDirectory =
                isDirectory(path) || (DIRECTORIES.contains(path) && kind(path).isEmpty());
        return isDirectory && !path.endsWith("/") ? path + "/" : path;
    }

    private Optional<FileKind> kind(String path) {
        try {
            return sysfs.kind(relative(path));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Files and directories below a directory, by absolute path, sorted; none if it is missing. What goes meanwhile or
     * may not be listed is left out.
     */
    List<String> below(String directory) throws IOException {
        Path start = sysfs.locate(relative(directory));
        if (!Files.isDirectory(start)) {
            return List.of();
        }
        Walk walk = new Walk(start);
        // Links are not followed, because one may lead anywhere.
        Path ignored = Files.walkFileTree(start, Set.of(), MAX_DEPTH, walk);
        return walk.found.stream()
                .map(path -> directory + "/" + start.relativize(path))
                .sorted()
                .toList();
    }

    private static final class Walk extends SimpleFileVisitor<Path> {

        private final List<Path> found = new ArrayList<>();
        private final Path start;

        Walk(Path start) {
            this.start = start;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            return directory.equals(start) ? FileVisitResult.CONTINUE : visitFile(directory, attributes);
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            found.add(file);
            return found.size() < MAX_FILES ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
            return FileVisitResult.CONTINUE;
        }
    }

    private static String relative(String path) {
        return path.substring(1);
    }
}
