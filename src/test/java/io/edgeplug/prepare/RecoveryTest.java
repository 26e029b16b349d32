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

    private static final String COPY = "edgeplug-0b0d3c5e-8c8f-4c59-9e3a-6d1f6c1f2a77.bin";

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
        Path staged = Files.createFile(prepared.node.root().resolve("lib/firmware/" + COPY));
        Path others = Files.createFile(prepared.node.root().resolve("lib/firmware/edgeplug-region.bin"));

        prepared.preparer.recover();

        assertThat(staged).doesNotExist();
        assertThat(others).exists();
    }

    @Test
    void imageThatCannotBeTakenAwayIsTold() throws Exception {
        Path staged = prepared.node.root().resolve("lib/firmware").resolve(COPY);
        // which root cannot delete either
        Files.createDirectories(staged.resolve("full"));

        prepared.preparer.recover();

        assertThat(prepared.events)
                .containsExactly(new PrepareEvent.Recovered(
                        staged.toRealPath().toString(),
                        "is left of a preparation that was killed, and cannot be deleted: DirectoryNotEmptyException"));
    }
}
