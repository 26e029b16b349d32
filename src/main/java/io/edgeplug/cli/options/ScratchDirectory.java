package io.edgeplug.cli.options;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** A directory that is deleted with its content when it is closed or the process has ended. */
public final class ScratchDirectory implements AutoCloseable {

    private static final int ATTEMPTS = 10;

    /** A file system in memory; see shm_overview(7). */
    private static final Path MEMORY = Path.of("/dev/shm");

    private final Path path;
    private final Thread atExit;

    private ScratchDirectory(Path path) {
        this.path = path;
        this.atExit = Thread.ofPlatform().unstarted(this::deleteAtExit);
    }

    /** Makes one in the directory for temporary files. */
    public static ScratchDirectory make(String prefix) throws IOException {
        return deletedAtExit(Files.createTempDirectory(prefix));
    }

    /** Makes one for thousands of small files, which a disk takes a minute for: in memory where that can be had. */
    static ScratchDirectory ofSmallFiles(String prefix) throws IOException {
        return Files.isWritable(MEMORY) ? deletedAtExit(Files.createTempDirectory(MEMORY, prefix)) : make(prefix);
    }

    private static ScratchDirectory deletedAtExit(Path made) {
        ScratchDirectory directory = new ScratchDirectory(made);
        Runtime.getRuntime().addShutdownHook(directory.atExit);
        return directory;
    }

    /** Ctrl-C ends the process without closing anything. */
    private void deleteAtExit() {
        // Other threads may still write here, so an emptied directory may not stay empty.
        for (int attempt = 0; attempt < ATTEMPTS && Files.exists(path); attempt++) {
            try {
                delete();
            } catch (IOException e) {
                path.toFile().deleteOnExit();
            }
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        if (!isEnding()) {
            delete();
        }
    }

    private boolean isEnding() {
        try {
            return !Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            return true;
        }
    }

    private void delete() throws IOException {
        Files.walkFileTree(path, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) {
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, IOException e) throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
