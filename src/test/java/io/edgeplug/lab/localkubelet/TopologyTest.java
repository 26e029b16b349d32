package io.edgeplug.lab.localkubelet;

import static io.edgeplug.lab.localkubelet.TestPlugin.healthy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.v1beta1.Device;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopologyTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");
    private static final ResourceName FPGA = ResourceName.parse("example.com/fpga");
    private static final KubeletOptions BEST_EFFORT = with(TopologyPolicy.BEST_EFFORT);
    private static final KubeletOptions RESTRICTED = with(TopologyPolicy.RESTRICTED);
    private static final KubeletOptions SINGLE = with(TopologyPolicy.SINGLE_NUMA_NODE);

    @TempDir
    Path directory;

    @RepeatedTest(3)
    void devicesOfAllResourcesComeFromOneNode() throws Exception {
        try (TestNode node = TestNode.open(directory, SINGLE)) {
            node.registered(VF, "vf.sock", healthy("a", 0), healthy("b", 1), healthy("c", 1));
            node.registered(FPGA, "fpga.sock", healthy("x", 1));
            Pod pod = node.kubelet().admit(wants("pod", Map.of(VF, 2, FPGA, 1)));
            assertThat(pod.container("main").devices(VF)).containsExactly("b", "c");
        }
    }

    @Test
    void singleNumaNodeRefusesWhatNoNodeHas() throws Exception {
        try (TestNode node = TestNode.open(directory, SINGLE)) {
            node.registered(VF, "vf.sock", healthy("a", 0), healthy("b", 1));
            assertMisaligned(node, wants("pod", Map.of(VF, 2)));
            assertThat(node.events()).endsWith(new KubeletEvent.AlignmentFailed("pod", "main"));
            assertThat(node.kubelet().pods()).isEmpty();
        }
    }

    @Test
    void singleNumaNodeRefusesResourcesOnDifferentNodes() throws Exception {
        try (TestNode node = TestNode.open(directory, SINGLE)) {
            node.registered(VF, "vf.sock", healthy("a", 0));
            node.registered(FPGA, "fpga.sock", healthy("x", 1));
            assertMisaligned(node, wants("pod", Map.of(VF, 1, FPGA, 1)));
        }
    }

    @Test
    void restrictedTakesTwoNodesWhereOneNeverCould() throws Exception {
        try (TestNode node = TestNode.open(directory, RESTRICTED)) {
            node.registered(VF, "vf.sock", healthy("a", 0), healthy("b", 1), healthy("c", 1));
            assertThat(node.kubelet()
                            .admit(wants("pod", Map.of(VF, 3)))
                            .container("main")
                            .devices(VF))
                    .hasSize(3);
        }
    }

    @Test
    void restrictedRefusesTwoNodesWhereOneCouldIfItWereFree() throws Exception {
        try (TestNode node = TestNode.open(directory, RESTRICTED)) {
            node.registered(VF, "vf.sock", healthy("a", 0), healthy("b", 0), healthy("c", 1));
            // the narrowest nodes of the lowest numbers come first
            node.kubelet().admit(wants("first", Map.of(VF, 1)));
            assertThat(node.kubelet().resource(VF).allocated()).isSubsetOf("a", "b");
            assertMisaligned(node, wants("second", Map.of(VF, 2)));
        }
    }

    @Test
    void bestEffortAdmitsWhatCannotBeAligned() throws Exception {
        try (TestNode node = TestNode.open(directory, BEST_EFFORT)) {
            node.registered(VF, "vf.sock", healthy("a", 0));
            node.registered(FPGA, "fpga.sock", healthy("x", 1));
            Pod pod = node.kubelet().admit(wants("pod", Map.of(VF, 1, FPGA, 1)));
            assertThat(pod.container("main").devices(FPGA)).containsExactly("x");
        }
    }

    @Test
    void resourceWithoutTopologyGoesWithAnyNode() throws Exception {
        try (TestNode node = TestNode.open(directory, SINGLE)) {
            node.registered(VF, "vf.sock", healthy("a"), healthy("b"));
            node.registered(FPGA, "fpga.sock", healthy("x", 1));
            assertThat(node.kubelet()
                            .admit(wants("pod", Map.of(VF, 2, FPGA, 1)))
                            .container("main")
                            .devices(VF))
                    .hasSize(2);
        }
    }

    @Test
    void deviceWithoutNodesIsNeverAlignedBesideOneThatHasSome() throws Exception {
        try (TestNode node = TestNode.open(directory, SINGLE)) {
            node.registered(VF, "vf.sock", healthy("a", 0), healthy("b"));
            assertMisaligned(node, wants("pod", Map.of(VF, 2)));
            node.kubelet().admit(wants("one", Map.of(VF, 1)));
            assertThat(node.kubelet().resource(VF).allocated()).containsExactly("a");
            assertMisaligned(node, wants("two", Map.of(VF, 1)));
        }
    }

    @Test
    void deviceOnANodeThatTheMachineHasNotIsNeverAligned() throws Exception {
        try (TestNode node = TestNode.open(directory, SINGLE.withNumaNodes(Set.of(0)))) {
            node.registered(VF, "vf.sock", healthy("a", 7));
            assertMisaligned(node, wants("pod", Map.of(VF, 1)));
        }
    }

    @Test
    void deviceOnTwoNodesIsAlignedOnEither() throws Exception {
        try (TestNode node = TestNode.open(directory, SINGLE)) {
            node.registered(VF, "vf.sock", healthy("a", 0, 1));
            node.registered(FPGA, "fpga.sock", healthy("x", 1));
            node.kubelet().admit(wants("pod", Map.of(VF, 1, FPGA, 1)));
        }
    }

    @Test
    void preferenceIsAskedAmongAlignedDevicesAndOnlyWhereThereIsAChoice() throws Exception {
        try (TestNode node = TestNode.open(directory, SINGLE)) {
            TestPlugin plugin = preferring(node, healthy("a", 0), healthy("b", 0), healthy("c", 1));
            plugin.preferred = request -> List.of("c", "b");
            Pod pod = node.kubelet().admit(wants("pod", Map.of(VF, 1)));
            assertThat(plugin.preferences)
                    .singleElement()
                    .satisfies(request -> assertThat(
                                    request.getContainerRequests(0).getAvailableDeviceIDsList())
                            .containsExactlyInAnyOrder("a", "b"));
            assertThat(pod.container("main").devices(VF)).containsExactly("b");

            node.kubelet().admit(wants("rest", Map.of(VF, 1)));
            assertThat(plugin.preferences).hasSize(1);
        }
    }

    @Test
    void alignedDevicesMustBeIncludedWhereThereAreTooFew() throws Exception {
        try (TestNode node = TestNode.open(directory, BEST_EFFORT)) {
            TestPlugin plugin = preferring(node, healthy("a", 0), healthy("b", 1), healthy("c", 1));
            node.registered(FPGA, "fpga.sock", healthy("x", 0));
            plugin.preferred = request -> List.of("a", "c");
            Pod pod = node.kubelet().admit(wants("pod", Map.of(VF, 2, FPGA, 1)));
            assertThat(pod.container("main").devices(VF)).containsExactly("a", "c");
            assertThat(plugin.preferences.getLast().getContainerRequests(0).getMustIncludeDeviceIDsList())
                    .containsExactly("a");
        }
    }

    @Test
    void devicesOfInitContainersDrawTheOthersToTheirNode() throws Exception {
        try (TestNode node = TestNode.open(directory, SINGLE)) {
            node.registered(VF, "vf.sock", healthy("a", 0), healthy("b", 1), healthy("c", 1));
            node.registered(FPGA, "fpga.sock", healthy("x", 1), healthy("y", 0));
            node.kubelet().admit(wants("taker", Map.of(FPGA, 1)));
            PodSpec spec = new PodSpec(
                    "pod",
                    List.of(new PodSpec.Container("load", Map.of(VF, 1, FPGA, 1))),
                    List.of(new PodSpec.Container("main", Map.of(VF, 2))));
            assertThat(node.kubelet().admit(spec).container("main").devices(VF)).containsExactly("b", "c");
        }
    }

    @Test
    void podKeepsItsPlaceWhenItIsAdmittedAgain() throws Exception {
        try (TestNode node = TestNode.open(directory, SINGLE)) {
            node.registered(VF, "vf.sock", healthy("a", 1));
            Pod pod = node.kubelet().admit(wants("pod", Map.of(VF, 1)));
            assertThat(node.kubelet().admit(wants("pod", Map.of(VF, 1)))).isEqualTo(pod);
        }
    }

    private static TestPlugin preferring(TestNode node, Device... devices) throws Exception {
        TestPlugin plugin = node.plugin("vf.sock", devices);
        plugin.options = TestPlugin.options(false, true);
        node.register(VF, "vf.sock");
        node.await(VF, state -> state.allocatable() == devices.length);
        return plugin;
    }

    private static KubeletOptions with(TopologyPolicy policy) {
        return KubeletOptions.DEFAULTS.withTopologyPolicy(policy);
    }

    private static PodSpec wants(String pod, Map<ResourceName, Integer> limits) {
        return new PodSpec(pod, List.of(new PodSpec.Container("main", limits)));
    }

    private static void assertMisaligned(TestNode node, PodSpec spec) {
        assertThatExceptionOfType(AdmissionException.class)
                .isThrownBy(() -> node.kubelet().admit(spec))
                .withMessage("Resources cannot be allocated with Topology locality")
                .satisfies(refusal -> assertThat(refusal.reason()).isEqualTo("TopologyAffinityError"));
    }
}
