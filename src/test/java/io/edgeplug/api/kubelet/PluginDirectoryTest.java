package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class PluginDirectoryTest {

    @TempDir
    private Path path = Path.of("");

    /** Else a resource registers with the new kubelet in the belief that it is the old one, and then once more. */
    @Test
    void viewIsOfNowAlsoBeforeTheWatcherHasSeenTheEvent() throws Exception {
        Path socket = path.resolve("kubelet.sock");
        try (PluginDirectory directory = PluginDirectory.open(path, false)) {
            for (int i = 0; i < 1000; i++) {
                Files.createFile(socket);
                assertThat(directory.view().kubelet()).as("made %d", i).isPresent();
                Files.delete(socket);
                assertThat(directory.view().kubelet()).as("deleted %d", i).isEmpty();
            }
        }
    }

    /** All resources look whenever one is woken: if each look woke all, they would never rest. */
    @Test
    void lookingWithoutAChangeWakesNobody() throws Exception {
        try (PluginDirectory directory = PluginDirectory.open(path, false)) {
            long generation = directory.view().generation();
            directory.view();
            assertThat(directory.view().generation()).isEqualTo(generation);
        }
    }
}
