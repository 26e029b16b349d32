package io.edgeplug.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.node.container.Allocation.Mount;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files by which containers learn which devices they have. */
final class ClaimMetadataTest {

    @TempDir
    private Path directory = Path.of("");

    private Path files() {
        return directory.resolve("dra-device-metadata");
    }

    private List<String> names() throws Exception {
        try (Stream<Path> all = Files.list(files())) {
            return all.map(file -> String.valueOf(file.getFileName())).sorted().toList();
        }
    }

    @Test
    void fileIsMountedWhereItsReadersLookForIt() {
        ClaimMetadata metadata = new ClaimMetadata(files());

        assertThat(metadata.mount("uid", "mine", null, "vfs", "edgeplug.io"))
                .isEqualTo(new Mount(
                        files() + "/uid_vfs.json",
                        "/var/run/kubernetes.io/dra-device-attributes/resourceclaims/mine/vfs/edgeplug.io-metadata.json",
                        true));
        assertThat(metadata.mount("uid", "pod-nic-x7k2p", "nic", "vfs", "edgeplug.io")
                        .containerPath())
                .isEqualTo("/var/run/kubernetes.io/dra-device-attributes/resourceclaimtemplates/nic/vfs/"
                        + "edgeplug.io-metadata.json");
    }

    @Test
    void everybodyMayReadThemAndNobodysLinkIsFollowed() throws Exception {
        ClaimMetadata metadata = new ClaimMetadata(files());
        Files.createDirectories(files());
        Path other = Files.writeString(directory.resolve("other"), "other");
        Path file = Files.createSymbolicLink(files().resolve("uid_vfs.json"), other);

        assertThat(metadata.write("uid", Map.of("vfs", "{}\n"))).isEmpty();
        assertThat(other).hasContent("other");
        assertThat(file).isRegularFile().hasContent("{}\n");
        assertThat(Files.isSymbolicLink(file)).isFalse();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r--r--");
    }

    @Test
    void filesOfAClaimGoAndThoseOfOthersStay() throws Exception {
        ClaimMetadata metadata = new ClaimMetadata(files());
        assertThat(metadata.write("uid-1", Map.of("a", "{}", "b", "{}"))).isEmpty();
        assertThat(metadata.write("uid-11", Map.of("a", "{}"))).isEmpty();

        metadata.remove("uid-1");
        assertThat(names()).containsExactly("uid-11_a.json");
        Files.writeString(files().resolve("uid-3_a.json"), "{}");
        ClaimMetadata next = new ClaimMetadata(files());
        assertThat(next.keep(Map.of("uid-2", Map.of("a", "{}")))).isEmpty();
        assertThat(names()).containsExactly("uid-2_a.json");
        next.remove("uid-2");
        assertThat(names()).isEmpty();
    }

    @Test
    void whatIsInTheWayIsNamed() throws Exception {
        Files.createDirectories(files().resolve("uid_vfs.json"));

        assertThat(new ClaimMetadata(files()).write("uid", Map.of("vfs", "{}")))
                .contains("cannot write " + files() + "/uid_vfs.json: is a directory");
    }
}
