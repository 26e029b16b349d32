package io.edgeplug.lab.localkubelet;

import static io.edgeplug.lab.localkubelet.TestPlugin.healthy;
import static io.edgeplug.lab.localkubelet.TestPlugin.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.v1beta1.Device;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginOptionsTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");

    @TempDir
    Path directory;

    @Test
    void preferredDevicesAreTaken() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = register(node, false, true, healthy("a"), healthy("b"), healthy("c"), healthy("d"));
            plugin.preferred = request -> List.of("b", "d");
            Pod pod = node.kubelet().admit(PodSpec.of("pod", VF, 2));

            assertThat(pod.container("main").devices(VF)).containsExactly("b", "d");
            assertThat(plugin.preferences).singleElement().satisfies(request -> {
                assertThat(request.getContainerRequests(0).getAvailableDeviceIDsList())
                        .containsExactlyInAnyOrder("a", "b", "c", "d");
                assertThat(request.getContainerRequests(0).getAllocationSize()).isEqualTo(2);
            });
            assertThat(node.events()).contains(new KubeletEvent.Preferred("pod", "main", VF, List.of("b", "d")));
        }
    }

    @Test
    void preferredDevicesThatAreNotAvailableAreIgnored() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = register(node, false, true, healthy("a"), healthy("b"), healthy("c"));
            plugin.preferred = request -> List.of("nonsense", "c");
            Pod pod = node.kubelet().admit(PodSpec.of("pod", VF, 2));
            assertThat(pod.container("main").devices(VF))
                    .hasSize(2)
                    .contains("c")
                    .doesNotContain("nonsense");
        }
    }

    @Test
    void withoutAPolicyPreferenceIsAskedAlsoWhereThereIsNoChoice() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = register(node, false, true, healthy("a"), healthy("b"));
            node.kubelet().admit(PodSpec.of("pod", VF, 2));
            assertThat(plugin.preferences).hasSize(1);
        }
    }

    @Test
    void whatThePluginPrefersBeyondTheNumberIsIgnored() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = register(node, false, true, healthy("a"), healthy("b"), healthy("c"));
            plugin.preferred = request -> List.of("a", "b");
            assertThat(node.kubelet()
                            .admit(PodSpec.of("pod", VF, 1))
                            .container("main")
                            .devices(VF))
                    .hasSize(1)
                    .isSubsetOf("a", "b");
        }
    }

    @Test
    void devicesOfInitContainersMustBeIncluded() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = register(node, false, true, healthy("a"), healthy("b"), healthy("c"));
            plugin.preferred = request ->
                    request.getContainerRequests(0).getAllocationSize() == 1 ? List.of("b") : List.of("b", "c");
            Pod pod = node.kubelet()
                    .admit(new PodSpec(
                            "pod",
                            List.of(new PodSpec.Container("load", Map.of(VF, 1))),
                            List.of(new PodSpec.Container("main", Map.of(VF, 2)))));
            assertThat(pod.container("main").devices(VF)).containsExactly("b", "c");
            assertThat(plugin.preferences.getLast().getContainerRequests(0)).satisfies(request -> {
                assertThat(request.getMustIncludeDeviceIDsList()).containsExactly("b");
                assertThat(request.getAvailableDeviceIDsList()).containsExactlyInAnyOrder("a", "b", "c");
                assertThat(request.getAllocationSize()).isEqualTo(2);
            });
        }
    }

    @Test
    void preferenceIsNotAskedOfAPluginWithoutTheOption() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = register(node, true, false, healthy("a"), healthy("b"));
            node.kubelet().admit(PodSpec.of("pod", VF, 1));
            assertThat(plugin.preferences).isEmpty();
        }
    }

    @Test
    void failingPreferenceRefusesThePod() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = register(node, false, true, healthy("a"), healthy("b"));
            plugin.preferred = request -> {
                throw Status.INTERNAL.withDescription("no idea").asRuntimeException();
            };
            assertThatExceptionOfType(AdmissionException.class)
                    .isThrownBy(() -> node.kubelet().admit(PodSpec.of("pod", VF, 1)))
                    .withMessage("Allocate failed due to device plugin GetPreferredAllocation rpc failed with err: "
                            + "rpc error: code = Internal desc = no idea, which is unexpected");
        }
    }

    @Test
    void preStartIsCalledBeforeEachStart() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = register(node, true, false, healthy("a"));
            node.kubelet().admit(PodSpec.of("pod", VF, 1));
            ContainerAllocation first = node.kubelet().startContainer("pod", "main");
            ContainerAllocation again = node.kubelet().startContainer("pod", "main");

            assertThat(first.envs()).containsEntry("IDS", "a");
            assertThat(again).isEqualTo(first);
            assertThat(plugin.preStarts)
                    .hasSize(2)
                    .allSatisfy(
                            request -> assertThat(request.getDevicesIdsList()).containsExactly("a"));
            assertThat(node.events())
                    .endsWith(
                            new KubeletEvent.PreStarted("pod", "main", VF, List.of("a")),
                            new KubeletEvent.Started("pod", "main", again));
        }
    }

    @Test
    void failedPreStartIsTriedAgainByTheNextStart() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = register(node, true, false, healthy("a"));
            node.kubelet().admit(PodSpec.of("pod", VF, 1));
            plugin.preStart = Status.DEADLINE_EXCEEDED.withDescription("a: still resetting");
            assertThatExceptionOfType(ContainerStartException.class)
                    .isThrownBy(() -> node.kubelet().startContainer("pod", "main"))
                    .withMessage("device plugin PreStartContainer rpc failed with err: "
                            + "rpc error: code = DeadlineExceeded desc = a: still resetting");

            plugin.preStart = Status.OK;
            assertThat(node.kubelet().startContainer("pod", "main").envs()).containsEntry("IDS", "a");
        }
    }

    @Test
    void preStartIsNotCalledWithoutTheOption() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = register(node, false, true, healthy("a"));
            node.kubelet().admit(PodSpec.of("pod", VF, 1));
            node.kubelet().startContainer("pod", "main");
            assertThat(plugin.preStarts).isEmpty();
        }
    }

    @Test
    void containerOfADeadPluginDoesNotStart() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = register(node, true, false, healthy("a"));
            node.kubelet().admit(PodSpec.of("pod", VF, 1));
            plugin.endStreams();
            node.await(VF, state -> !state.registered());
            assertThatExceptionOfType(ContainerStartException.class)
                    .isThrownBy(() -> node.kubelet().startContainer("pod", "main"))
                    .satisfies(refusal -> assertThat(refusal.getMessage())
                            .matches("device plugin PreStartContainer rpc failed with err: "
                                    + "endpoint &\\{\\{\\{} \\{0 0}} example.com/vf "
                                    + Pattern.quote(directory.resolve("vf.sock").toString())
                                    + " 0x[0-9a-f]+ \\{\\d+ \\d+ 0x[0-9a-f]+} <nil>} has been stopped"));
        }
    }

    private TestPlugin register(TestNode node, boolean preStart, boolean preferred, Device... devices)
            throws Exception {
        TestPlugin plugin = node.plugin("vf.sock", devices);
        plugin.options = options(preStart, preferred);
        node.register(VF, "vf.sock");
        node.await(VF, state -> state.allocatable() == devices.length);
        return plugin;
    }
}
