package io.edgeplug.lab.localkubelet;

import static io.edgeplug.lab.localkubelet.TestPlugin.healthy;
import static io.edgeplug.lab.localkubelet.TestPlugin.unhealthy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.edgeplug.model.device.ResourceName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");

    @TempDir
    Path directory;

    @Test
    void listsAndAllocationsAreWrittenAsTheKubeletWritesThem() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a", 0, 1), unhealthy("b"));
            assertThat(saved().get("PodDeviceEntries").isJsonNull()).isTrue();
            assertThat(saved().get("RegisteredDevices")).hasToString("{\"example.com/vf\":[\"a\"]}");

            node.kubelet().admit(PodSpec.of("pod", VF, 1));
            JsonObject entry = saved().getAsJsonArray("PodDeviceEntries").get(0).getAsJsonObject();
            assertThat(entry.keySet())
                    .containsExactly("PodUID", "ContainerName", "ResourceName", "DeviceIDs", "AllocResp");
            assertThat(entry.get("DeviceIDs")).hasToString("{\"0\":[\"a\"],\"1\":[\"a\"]}");
            // envs: IDS=a
            assertThat(entry.get("AllocResp").getAsString()).isEqualTo("CggKA0lEUxIBYQ==");
        }
    }

    @Test
    void nextKubeletKnowsResourcesAndPods() throws Exception {
        Pod pod;
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a", 1), healthy("b"));
            pod = node.kubelet().admit(PodSpec.of("pod", VF, 1));
            node.kubelet().admit(PodSpec.of("gone", VF, 1));
            node.kubelet().remove("gone");
        }
        try (TestNode node = TestNode.open(directory)) {
            assertThat(node.kubelet().pods()).containsExactly(pod);
            ResourceState state = node.kubelet().resource(VF);
            assertThat(state.known()).isTrue();
            assertThat(state.capacity()).isZero();
            assertThat(state.allocated()).isEqualTo(pod.container("main").devices(VF));
        }
    }

    @Test
    void corruptChecksumIsRefusedAndNamed() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a"));
        }
        Path file = directory.resolve(Checkpoint.FILE);
        Files.writeString(file, Files.readString(file).replace("[\"a\"]", "[\"b\"]"));
        try (TestNode node = TestNode.open(directory)) {
            assertThat(node.events()).startsWith(new KubeletEvent.CheckpointRefused(file, "checkpoint is corrupted"));
            assertThat(node.kubelet().resources()).isEmpty();
        }
    }

    @Test
    void whatIsNoCheckpointIsRefused() throws Exception {
        Path file = directory.resolve(Checkpoint.FILE);
        for (String content : List.of(
                "",
                "{}",
                "[1]",
                "{\"Data\":",
                "{\"Data\":{\"PodDeviceEntries\":[{}],\"RegisteredDevices\":{}},\"Checksum\":1}")) {
            Files.writeString(file, content);
            assertThatIOException()
                    .as(content)
                    .isThrownBy(() -> Checkpoint.read(file))
                    .withMessageStartingWith("checkpoint is corrupted");
        }
    }

    /** Numbers computed apart from this code, by the formula that gives two published kubelets' files their checksums. */
    @Test
    void checksumIsTheKubelets() {
        TreeMap<String, List<String>> registered = new TreeMap<>();
        registered.put("example.com/fpga", List.of());
        registered.put("example.com/vf", List.of("0000:3b:02.1", "0000:3b:02.2"));
        assertThat(new Checkpoint(List.of(), registered).checksum()).isEqualTo(2131748178L);

        TreeMap<Long, List<String>> devices = new TreeMap<>();
        devices.put(-1L, List.of("0000:3b:02.2"));
        devices.put(1L, List.of("0000:3b:02.1"));
        Checkpoint.Entry entry = new Checkpoint.Entry("uid", "main", "example.com/vf", devices, "CggKA0lEUxIBYQ==");
        assertThat(new Checkpoint(List.of(entry, entry), registered).checksum()).isEqualTo(2554654025L);
    }

    private JsonObject saved() throws Exception {
        return JsonParser.parseString(Files.readString(directory.resolve(Checkpoint.FILE)))
                .getAsJsonObject()
                .getAsJsonObject("Data");
    }
}
