package io.edgeplug.lab.localkubelet;

import static io.edgeplug.lab.localkubelet.TestPlugin.healthy;
import static io.edgeplug.lab.localkubelet.TestPlugin.unhealthy;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletEvent.DeviceHealth;
import io.edgeplug.lab.localkubelet.KubeletEvent.PodStatus;
import io.edgeplug.model.device.ResourceName;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the status of a pod says of the health of its devices. */
class PodHealthTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");
    private static final ResourceName FPGA = ResourceName.parse("example.com/fpga");

    @TempDir
    Path directory;

    @Test
    void podIsToldOfADeviceThatFallsIllAndOfOneThatRecovers() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            node.kubelet().admit(PodSpec.of("pod", VF, 1));
            plugin.send(healthy("a"), healthy("b"));
            plugin.send(unhealthy("a"), healthy("b"));
            plugin.send(unhealthy("a"), unhealthy("b"));
            plugin.send(healthy("a"), healthy("b"), healthy("c"));
            node.await(VF, state -> state.capacity() == 3);
            assertThat(node.events(PodStatus.class))
                    .containsExactly(
                            new PodStatus("pod", List.of(new DeviceHealth("main", VF, "a", false))),
                            new PodStatus("pod", List.of(new DeviceHealth("main", VF, "a", true))));
            assertThat(node.events(PodStatus.class))
                    .extracting(PodStatus::text)
                    .startsWith("pod: status: main: example.com/vf a Unhealthy");
        }
    }

    @Test
    void endOfTheStreamIsNotToldAndTheDeviceStaysHealthyInTheStatus() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            TestPlugin other = node.registered(FPGA, "fpga.sock", healthy("x"));
            node.kubelet().admit(new PodSpec("pod", List.of(new PodSpec.Container("main", Map.of(VF, 1, FPGA, 1)))));
            plugin.endStreams();
            assertThat(node.await(VF, state -> !state.registered()).allocatable())
                    .isZero();
            assertThat(node.events(PodStatus.class)).isEmpty();

            other.send(unhealthy("x"));
            node.awaitEvents(PodStatus.class, 1);
            assertThat(node.events(PodStatus.class))
                    .containsExactly(new PodStatus(
                            "pod",
                            List.of(
                                    new DeviceHealth("main", FPGA, "x", false),
                                    new DeviceHealth("main", VF, "a", true))));
        }
    }

    @Test
    void deviceThatVanishesIsNotTold() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            node.kubelet().admit(PodSpec.of("pod", VF, 1));
            plugin.send(healthy("b"), healthy("c"));
            node.await(VF, state -> state.capacity() == 2);
            assertThat(node.events(PodStatus.class)).isEmpty();
        }
    }

    @Test
    void in136PodIsToldOfAnotherResourcesDeviceOfTheSameId() throws Exception {
        assertThat(toldOfAnotherResource(36))
                .containsExactly(new PodStatus("pod", List.of(new DeviceHealth("main", VF, "same", true))));
    }

    @Test
    void from137PodIsToldOfItsOwnDevicesOnly() throws Exception {
        assertThat(toldOfAnotherResource(37)).isEmpty();
    }

    @Test
    void upTo135NoPodIsTold() throws Exception {
        assertThat(toldOfAnotherResource(35)).isEmpty();
    }

    private List<PodStatus> toldOfAnotherResource(int minor) throws Exception {
        try (TestNode node = TestNode.open(directory, KubeletOptions.DEFAULTS.withMinorVersion(minor))) {
            node.registered(VF, "vf.sock", healthy("same"));
            TestPlugin other = node.registered(FPGA, "fpga.sock", healthy("same"));
            node.kubelet().admit(PodSpec.of("pod", VF, 1));
            other.send(unhealthy("same"));
            node.await(FPGA, state -> state.allocatable() == 0);
            return node.events(PodStatus.class);
        }
    }
}
