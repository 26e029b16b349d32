package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.node.container.ClaimMetadata;
import io.edgeplug.node.container.ClaimSpecs;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.node.prepare.InterfaceNotes;
import io.edgeplug.system.files.Sysfs;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of claims, and that nobody writes them after the end. */
final class ClaimFilesTest {

    private static final String UID = "uid";
    private static final String VF = "0000:3b:01.0";

    @TempDir
    private Path directory = Path.of("");

    private static PreparedClaim claim() {
        PreparedClaim.Device device = new PreparedClaim.Device(
                "vfs",
                "node1",
                "0000-3b-01-0",
                Optional.empty(),
                VF,
                "example.com/vf",
                false,
                Optional.of("edgeplug.io/claim=x"));
        return new PreparedClaim(UID, "default", "mine", List.of(), List.of(device));
    }

    @Test
    void nothingIsWrittenOnceTheyAreClosed() throws Exception {
        PreparedClaims notes = PreparedClaims.read(directory.resolve("claims"));
        ClaimFiles files = new ClaimFiles(
                notes,
                new ClaimSpecs(directory.resolve("cdi")),
                new ClaimMetadata(directory.resolve("metadata")),
                new ClaimInterfaces(new InterfaceNotes(Sysfs.at(directory)), id -> Optional.empty()));
        PreparedClaim begun = claim();
        PreparedClaim ready = begun.ready("boot", "{}", Map.of("vfs", "{}"));
        files.note(begun);
        assertThat(files.has(UID, VF)).isTrue();
        files.close();

        List<ThrowingCallable> writers = List.of(
                () -> files.note(ready),
                () -> files.noteReady(ready),
                () -> files.restore(ready),
                () -> files.remove(UID));
        for (ThrowingCallable writer : writers) {
            assertThatThrownBy(writer).hasMessage("edgeplug has read its configuration again meanwhile");
        }
        assertThat(files.has(UID, VF)).isFalse();
        assertThat(PreparedClaims.read(directory.resolve("claims")).all()).containsExactly(begun);
        assertThat(directory.resolve("cdi")).doesNotExist();
        assertThat(directory.resolve("metadata")).doesNotExist();
    }
}
