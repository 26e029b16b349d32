package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static io.edgeplug.api.dra.DraNode.VF1_NAME;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What containers are told of the devices of their claims (KEP-5304), as KubeVirt reads it. */
@Timeout(90)
final class MetadataFileTest extends OnDraNode {

    /** The decoder of k8s.io/dynamic-resource-allocation 0.37.1 takes this file, and finds nothing wrong in it. */
    private static final Path GOLDEN = Path.of("src/test/resources/io/edgeplug/api/dra/metadata.json");

    private static final String TARGETS = "/var/run/kubernetes.io/dra-device-attributes/";

    private Path files() {
        return directory.resolve("plugins/edgeplug.io/dra-device-metadata");
    }

    private List<String> names() throws Exception {
        try (Stream<Path> all = Files.list(files())) {
            return all.map(file -> String.valueOf(file.getFileName())).sorted().toList();
        }
    }

    private static JsonObject fromTemplate(String name, String podClaim) {
        JsonObject claim = TestClaims.allocated(name, VF0_NAME);
        JsonObject annotations = new JsonObject();
        annotations.addProperty("resource.kubernetes.io/pod-claim-name", podClaim);
        Json.object(claim, "metadata").add("annotations", annotations);
        return claim;
    }

    /** The mounts of a claim, from the node to the container. */
    private List<String> mounts(String claim) throws Exception {
        JsonObject spec = JsonParser.parseString(node.specification(claim)).getAsJsonObject();
        return spec.getAsJsonArray("devices").asList().stream()
                .map(device -> Json.object(device.getAsJsonObject(), "containerEdits"))
                .flatMap(edits -> edits.get("mounts") instanceof JsonArray all ? all.asList().stream() : Stream.of())
                .map(mount -> Json.text(mount.getAsJsonObject(), "hostPath") + " "
                        + Json.text(mount.getAsJsonObject(), "containerPath") + " "
                        + mount.getAsJsonObject().get("options"))
                .toList();
    }

    @Test
    void fileHasTheDevicesOfARequestWithTheAttributesOfTheirSlice() throws Exception {
        node.allocate("mine", VF0_NAME, VF1_NAME);
        prepare("mine");

        assertThat(names()).containsExactly("uid-of-mine_vfs.json");
        assertThat(Files.readString(files().resolve("uid-of-mine_vfs.json"))).isEqualTo(Files.readString(GOLDEN));
        assertThat(mounts("mine"))
                .containsExactly(files() + "/uid-of-mine_vfs.json " + TARGETS
                        + "resourceclaims/mine/vfs/edgeplug.io-metadata.json [\"rbind\",\"rprivate\",\"ro\"]");
    }

    @Test
    void claimFromATemplateIsFoundByTheNameThatItsPodHasForIt() throws Exception {
        node.server.put(fromTemplate("pod-nic-x7k2p", "nic"));
        prepare("pod-nic-x7k2p");

        assertThat(mounts("pod-nic-x7k2p"))
                .singleElement()
                .asString()
                .contains(" " + TARGETS + "resourceclaimtemplates/nic/vfs/edgeplug.io-metadata.json ");
        assertThat(Files.readString(files().resolve("uid-of-pod-nic-x7k2p_vfs.json")))
                .contains("\"podClaimName\":\"nic\"");
    }

    @Test
    void nameThatIsNoNameDoesNotBecomeAPath() {
        node.server.put(fromTemplate("mine", "../../../etc"));

        assertThat(error("mine")).contains("its annotation resource.kubernetes.io/pod-claim-name is no DNS label");
        assertThat(files()).doesNotExist();
    }

    @Test
    void fileIsGoneAfterTheClaim() throws Exception {
        node.allocate("mine", VF0_NAME);
        prepare("mine");
        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();

        assertThat(names()).isEmpty();
    }

    @Test
    void filesAreWrittenAgainIfTheyAreMissingAndOthersAreRemoved() throws Exception {
        node.allocate("mine", VF0_NAME, VF1_NAME);
        prepare("mine");
        node.stopDaemon();
        Files.delete(files().resolve("uid-of-mine_vfs.json"));
        Files.writeString(files().resolve("uid-of-other_vfs.json"), "{}");
        node.startDaemon();

        assertThat(names()).containsExactly("uid-of-mine_vfs.json");
        assertThat(Files.readString(files().resolve("uid-of-mine_vfs.json"))).isEqualTo(Files.readString(GOLDEN));
    }

    @Test
    void fileIsWrittenWhenTheClaimIsPreparedAgainAfterABoot() throws Exception {
        node.allocate("mine", VF0_NAME);
        prepare("mine");
        node.stopDaemon();
        node.loseWhatABootTakes();
        node.startDaemon();
        Object ignored = node.kubelet.register();

        assertThat(names()).isEmpty();
        prepare("mine");
        assertThat(names()).containsExactly("uid-of-mine_vfs.json");
    }
}
