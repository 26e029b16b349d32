package io.edgeplug.node.inventory;

import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A node of real directories, in which tests make files, and {@code /dev/cams} in it. */
abstract class FilesBelow {

    static final Duration SETTLE = Duration.ofMillis(150);

    @TempDir
    Path root = Path.of("");

    Path dev = Path.of("");
    Path cams = Path.of("");

    @BeforeEach
    void make() throws IOException {
        // not the temporary directory's own links
        root = root.toRealPath();
        dev = Files.createDirectory(root.resolve("dev"));
        cams = Files.createDirectory(dev.resolve("cams"));
    }

    Path file(Path directory, String name) throws IOException {
        return Files.createFile(directory.resolve(name));
    }

    WatchedFiles watch(Duration settle, String... patterns) throws IOException {
        return WatchedFiles.open(Sysfs.at(root), settle, patterns);
    }
}
