package io.edgeplug.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is left of a process that was killed; what it leaves of a function beside a kubelet, KilledDaemonTest has. */
@Timeout(60)
final class RecoveryTest {

    @TempDir
    private Path directory = Path.of("");

    private PreparedNode prepared;

    @BeforeEach
    void open() throws IOException {
        prepared = PreparedNode.open(directory);
    }

    @AfterEach
    void close() {
        prepared.close();
    }

    /** Else only root could start a daemon, even one that is tried out with files. */
    @Test
    void nodeOnWhichNothingWasBegunIsNotWrittenTo() throws Exception {
        prepared.preparer.recover();

        assertThat(prepared.node.root().resolve("run")).doesNotExist();
    }

    @Test
    void imagesOfAKilledProcessAreTakenAway() throws Exception {
        Files.createDirectories(prepared.node.root().resolve("lib/firmware"));
        Path staged = Files.createFile(prepared.node.root().resolve("lib/firmware/edgeplug-1.bin"));
        Path others = Files.createFile(prepared.node.root().resolve("lib/firmware/other.bin"));

        prepared.preparer.recover();

        assertThat(staged).doesNotExist();
        assertThat(others).exists();
    }
}
