package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that change while they are read. */
final class FileStampsTest {

    @TempDir
    private Path directory = Path.of("");

    /** The kubelet's client certificate and its key are in one file, which is read for each of them. */
    @Test
    void changeBetweenTwoReadsOfOneFileIsSeen() throws Exception {
        Path file = Files.writeString(directory.resolve("kubelet-client-current.pem"), "old");
        FileStamps stamps = new FileStamps();
        stamps.note(file);
        assertThat(stamps.areCurrent()).isTrue();

        Files.move(Files.writeString(directory.resolve("new"), "newer"), file, StandardCopyOption.ATOMIC_MOVE);
        stamps.note(file);

        assertThat(stamps.areCurrent()).isFalse();
    }
}
