package io.edgeplug.model.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.edgeplug.system.files.Ownership;
import io.edgeplug.system.files.Sysfs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodePathsTest {

    @TempDir
    private Path root = Path.of("");

    @Test
    void filesAndDirectoriesOfAllLevelsAreFound() throws Exception {
        Files.createDirectories(root.resolve("dev/snd/by-path"));
        Files.createFile(root.resolve("dev/snd/controlC0"));
        Files.createSymbolicLink(root.resolve("dev/fd"), Path.of("snd"));

        assertThat(new NodePaths(Sysfs.at(root)).below("/dev"))
                .containsExactly("/dev/fd", "/dev/snd", "/dev/snd/by-path", "/dev/snd/controlC0");
        assertThat(new NodePaths(Sysfs.at(root)).below("/devices")).isEmpty();
    }

    @Test
    void directoryThatMayNotBeListedIsLeftOut() throws Exception {
        assumeFalse(Ownership.isRoot(), "root may list each");
        Path closed = Files.createDirectories(root.resolve("dev/closed"));
        Files.createFile(root.resolve("dev/open"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));

        assertThat(new NodePaths(Sysfs.at(root)).below("/dev")).containsExactly("/dev/open");
    }
}
