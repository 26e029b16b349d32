package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.model.device.PodInterface;
import io.edgeplug.node.container.ClaimMetadata;
import io.edgeplug.node.container.ClaimSpecs;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.pods.PreparedClaims;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
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
    void specificationFollowsTheInterfaceOfItsDevice() throws Exception {
        AtomicReference<Optional<PodInterface>> now = new AtomicReference<>(Optional.empty());
        PreparedClaims notes = PreparedClaims.read(directory.resolve("claims"));
        try (ClaimFiles files = new ClaimFiles(
                notes,
                new ClaimSpecs(directory.resolve("cdi")),
                new ClaimMetadata(directory.resolve("metadata")),
                new ClaimInterfaces((uid, device) ->
                        uid.equals(UID) && device.equals(VF) ? Objects.requireNonNull(now.get()) : Optional.empty()),
                "boot")) {
            Path file = directory.resolve("cdi/edgeplug-claim_uid.json");
            now.set(Optional.of(new PodInterface("net1", Optional.of("ens1f0v0"), "", List.of())));
            files.noteReady(claim().ready("boot", """
                    {"cdiVersion": "0.5.0", "kind": "edgeplug.io/claim",
                    "devices": [{"name": "x", "containerEdits": {"env": ["A=1"]}}]}""", Map.of()));
            assertThat(file).content().contains("1.1.0", "\"hostInterfaceName\": \"ens1f0v0\"", "=net1");

            now.set(Optional.of(new PodInterface("net1", Optional.empty(), "", List.of())));
            files.followInterfaces();
            assertThat(file).content().contains("0.5.0", "=net1").doesNotContain("netDevices");

            // The next daemon writes what is so then, and not what was so when the claim was prepared.
            now.set(Optional.of(new PodInterface("net1", Optional.of("dev7"), "", List.of())));
            files.recover();
            assertThat(file).content().contains("1.1.0", "\"hostInterfaceName\": \"dev7\"");

            files.remove(UID);
            files.followInterfaces();
            assertThat(file).doesNotExist();
        }
    }

    @Test
    void nothingIsWrittenOnceTheyAreClosed() throws Exception {
        PreparedClaims notes = PreparedClaims.read(directory.resolve("claims"));
        ClaimFiles files = new ClaimFiles(
                notes,
                new ClaimSpecs(directory.resolve("cdi")),
                new ClaimMetadata(directory.resolve("metadata")),
                new ClaimInterfaces((uid, device) -> Optional.empty()),
                "boot");
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
