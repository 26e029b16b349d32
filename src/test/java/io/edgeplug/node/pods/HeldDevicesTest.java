package io.edgeplug.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.TestDaemon;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.scan.DeviceScan;
import io.edgeplug.system.files.Destination;
import io.edgeplug.system.files.FileKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the kubelet's checkpoint tells of who holds what, and what it does not tell. */
@Timeout(120)
final class HeldDevicesTest {

    @TempDir
    private Path directory = Path.of("");

    private HeldDevices held(String ids) throws IOException {
        Files.writeString(directory.resolve(HeldDevices.FILE), """
                {"Data":{"PodDeviceEntries":[{"PodUID":"uid","ContainerName":"main","ResourceName":"example.com/x",
                "DeviceIDs":%s,"AllocResp":""}],"RegisteredDevices":{}},"Checksum":1}
                """.formatted(ids));
        return HeldDevices.read(directory);
    }

    private Device vf() throws IOException {
        return vf(directory);
    }

    static Device vf(Path directory) throws IOException {
        try (SimulatedNode node = SimulatedNode.unpack(DemoNode.tree(), directory.resolve("tree"))) {
            return new DeviceScan(node.sysfs()).function(TestDaemon.VF0).getFirst();
        }
    }

    static Device file(String id) {
        return new PathDevice(
                id,
                List.of(new PathDevice.File(
                        "/etc/" + id, Optional.of(new Destination("/etc/" + id, FileKind.FILE, 0, 0, "", List.of())))),
                Optional.empty(),
                Health.HEALTHY);
    }

    /** The name of each USB adapter begins alike. */
    @Test
    void claimHoldsADeviceBesideThoseThatPodsHoldAfterAnotherPodHasEnded() throws IOException {
        Files.writeString(directory.resolve(HeldDevices.FILE), """
                {"Data":{"PodDeviceEntries":[
                {"PodUID":"one","ContainerName":"main","ResourceName":"example.com/x","DeviceIDs":["usb-a","usb-b"]},
                {"PodUID":"ended","ContainerName":"main","ResourceName":"example.com/x","DeviceIDs":["usb-c"]}
                ],"RegisteredDevices":{}},"Checksum":1}
                """);
        HeldDevices held = HeldDevices.read(directory);
        held.forget(Set.of("ended"));

        held.with(List.of(new HeldDevices.Holding("two", "claim c", "example.com/y", "usb-d", Optional.of("c"))));

        assertThat(held.all(resource -> true).map(HeldDevices.Holding::id))
                .containsExactlyInAnyOrder("usb-a", "usb-b", "usb-d");
    }

    /** A reload may make a device of shares, or shares of a device. */
    @Test
    void aDeviceIsAnothersIfAContainerHasAShareOfIt() throws IOException {
        Files.writeString(directory.resolve(HeldDevices.FILE), """
                {"Data":{"PodDeviceEntries":[
                {"PodUID":"one","ContainerName":"main","ResourceName":"example.com/x","DeviceIDs":["usb-a::1","usb-b"]}
                ],"RegisteredDevices":{}},"Checksum":1}
                """);
        HeldDevices held = HeldDevices.read(directory);
        ResourceName resource = ResourceName.parse("example.com/x");

        assertThat(held.otherHolder(resource, Set.of("usb-a"))).isPresent();
        assertThat(held.otherHolder(resource, Set.of("usb-a::1"))).isPresent();
        assertThat(held.otherHolder(resource, Set.of("usb-a::0"))).isEmpty();
        assertThat(held.otherHolder(resource, Set.of("usb-b::0"))).isPresent();
        assertThat(held.otherHolder(resource, Set.of("usb-a::1", "usb-b"))).isEmpty();
    }

    @Test
    void deviceIsHeldFromItsAllocationUntilItsPodIsGone() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {});
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(TestDaemon.NODE0, state -> state.allocatable() == 2, TestDaemon.PATIENCE);
            Device device = daemon.monitor
                    .current()
                    .device(TestDaemon.NODE0, TestDaemon.VF0.toString())
                    .orElseThrow();
            assertThat(HeldDevices.read(kubeletDir).all(device)).isEmpty();

            kubelet.admit(PodSpec.of("pod", TestDaemon.NODE0, 2));
            assertThat(HeldDevices.read(kubeletDir).all(device))
                    .containsExactly(new HeldDevices.Holding(
                            "pod", "main", TestDaemon.NODE0.toString(), TestDaemon.VF0.toString()));

            kubelet.remove("pod");
            assertThat(HeldDevices.read(kubeletDir).all(device)).isEmpty();
        }
    }

    @Test
    void kubeletsBeforeNumaNodesWroteALists() throws IOException {
        assertThat(held("[\"a\",\"" + TestDaemon.VF0 + "\"]").all(vf())).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000:3b:01.0", "0000:3b:01.0::2", "0000:3b:01.0-region1", "0000:3b:01.0-region1::0"})
    void deviceIsHeldWithAShareOrAPartOfIt(String id) throws IOException {
        assertThat(held("{\"0\":[\"" + id + "\"]}").all(vf())).isNotEmpty();
    }

    @Test
    void functionIsHeldAsLongAsAnyPodHoldsAPartOfIt() throws IOException {
        Files.writeString(directory.resolve(HeldDevices.FILE), """
                {"Data":{"PodDeviceEntries":[
                {"PodUID":"first","ContainerName":"main","ResourceName":"example.com/x",
                "DeviceIDs":{"0":["0000:3b:01.0-region0"]},"AllocResp":""},
                {"PodUID":"second","ContainerName":"main","ResourceName":"example.com/x",
                "DeviceIDs":{"0":["0000:3b:01.0-region1"]},"AllocResp":""}],"RegisteredDevices":{}},"Checksum":1}
                """);
        HeldDevices held = HeldDevices.read(directory);
        Device vf = vf();

        assertThat(held.all(vf)).extracting(HeldDevices.Holding::pod).containsExactly("first", "second");
        held.forget(Set.of("first"));
        assertThat(held.all(vf)).extracting(HeldDevices.Holding::pod).containsExactly("second");
        held.forget(Set.of("second"));
        assertThat(held.all(vf)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000:3b:01.1", "0000:3b:01", "0000:3b:01.00", "g1", ""})
    void othersAreOthers(String id) throws IOException {
        assertThat(held("{\"-1\":[\"" + id + "\"]}").all(vf())).isEmpty();
    }

    @Test
    void filesAreHeldByTheirNames() throws IOException {
        assertThat(held("{\"-1\":[\"g1::0\"]}").all(file("g1"))).isNotEmpty();
        assertThat(held("{\"-1\":[\"g1-2\"]}").all(file("g1"))).isEmpty();
    }

    @Test
    void kubeletThatGaveNothingHasNullForNothing() throws IOException {
        Files.writeString(
                directory.resolve(HeldDevices.FILE),
                "{\"Data\":{\"PodDeviceEntries\":null,\"RegisteredDevices\":{}},\"Checksum\":1}");

        assertThat(HeldDevices.read(directory).all(vf())).isEmpty();
    }
}
