package io.edgeplug.node.supply;

import static io.edgeplug.node.supply.SupplyNode.A;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.model.device.Device;
import io.edgeplug.node.prepare.UseNotes;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is logged of notes of uses. */
final class UsesTest {

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    @Test
    void diskThatIsFullOrReadOnlyIsToldWithWhatToDo() {
        assertThat(Uses.remedy(new FileSystemException("/used/a1", null, "No space left on device")))
                .isEqualTo("; make room there, and the pod starts");
        assertThat(Uses.remedy(new FileSystemException("/used/a1", null, "Read-only file system")))
                .isEqualTo("; mount it writable, and the pod starts");
        assertThat(Uses.remedy(new FileSystemException("/used/a1", null, "Input/output error")))
                .isEmpty();
    }

    @Test
    void problemOfANoteIsLoggedAgainForTheNextNoteAfterAPersonHasDeletedTheFirst() throws Exception {
        SupplyNode node = new SupplyNode(closing, directory);
        UseNotes notes = new UseNotes(node.node.sysfs());
        Uses uses = new Uses(node.node.sysfs(), node.monitor.custodian(), directory);
        Device device = node.monitor.here(A).orElseThrow();

        try (LogLines log = LogLines.open()) {
            for (int pod = 0; pod < 2; pod++) {
                notes.note(device, "example.com/dpu", Set.of("pod-" + pod), directory);
                uses.readAgain();
                uses.tellOnce(A, "is not offered");
                uses.tellOnce(A, "is not offered");
                notes.forget(A);
                uses.readAgain();
            }
            assertThat(log.with(A + ": is not offered")).hasSize(2);
        }
    }
}
