package io.edgeplug.node.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.edgeplug.system.files.Ownership;
import io.edgeplug.system.files.Sysfs;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class UseNotesTest {

    private static final String NOTE = "resource=example.com/x\npods=uid-1\nkubelet_dir=/var/lib/kubelet\n";

    @TempDir
    private Path root = Path.of("");

    @Test
    void noteThatCannotBeOpenedJustNowStillSaysWhoUsedTheDevice() throws Exception {
        assumeFalse(Ownership.isRoot(), "root may open each file");
        Path note =
                Files.createDirectories(root.resolve("var/lib/edgeplug/used")).resolve("g1.used");
        Files.writeString(note, NOTE);
        Files.setPosixFilePermissions(note, PosixFilePermissions.fromString("---------"));

        assertThatThrownBy(() -> new UseNotes(Sysfs.at(root)).release("g1")).isInstanceOf(FileSystemException.class);

        Files.setPosixFilePermissions(note, PosixFilePermissions.fromString("rw-------"));
        assertThat(note).hasContent(NOTE);
    }

    @Test
    void damagedNoteDoesNotPreventTheScrub() throws Exception {
        Path note =
                Files.createDirectories(root.resolve("var/lib/edgeplug/used")).resolve("g1.used");
        Files.writeString(note, "\\u00zz");

        new UseNotes(Sysfs.at(root)).release("g1");

        assertThat(Files.readString(note)).contains("released=");
    }
}
