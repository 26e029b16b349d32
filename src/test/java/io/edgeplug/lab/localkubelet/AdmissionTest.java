package io.edgeplug.lab.localkubelet;

import static io.edgeplug.lab.localkubelet.TestPlugin.healthy;
import static io.edgeplug.lab.localkubelet.TestPlugin.unhealthy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.edgeplug.lab.localkubelet.ContainerAllocation.DeviceNode;
import io.edgeplug.lab.localkubelet.ContainerAllocation.Mount;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.v1beta1.AllocateResponse;
import io.edgeplug.proto.v1beta1.CDIDevice;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import io.edgeplug.proto.v1beta1.DeviceSpec;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdmissionTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");
    private static final ResourceName FPGA = ResourceName.parse("example.com/fpga");

    @TempDir
    Path directory;

    @Test
    void podGetsHealthyDevicesThatNobodyHolds() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"), healthy("b"), unhealthy("c"));
            Pod first = node.kubelet().admit(PodSpec.of("first", VF, 1));
            Pod second = node.kubelet().admit(PodSpec.of("second", VF, 1));

            String one = first.container("main").devices(VF).getFirst();
            String other = second.container("main").devices(VF).getFirst();
            assertThat(List.of(one, other)).containsExactlyInAnyOrder("a", "b");
            assertThat(first.container("main").allocation().envs()).containsExactly(Map.entry("IDS", one));
            assertThat(plugin.allocations).hasSize(2);
            assertThat(node.kubelet().resource(VF).allocated()).containsExactly("a", "b");
            assertThat(node.events()).endsWith(new KubeletEvent.Allocated("second", "main", VF, List.of(other)));
        }
    }

    @Test
    void everythingThePluginAnsweredReachesTheContainer() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            plugin.allocate = request -> AllocateResponse.newBuilder()
                    .addContainerResponses(ContainerAllocateResponse.newBuilder()
                            .putEnvs("VF", "a")
                            .addMounts(io.edgeplug.proto.v1beta1.Mount.newBuilder()
                                    .setContainerPath("/in")
                                    .setHostPath("/out")
                                    .setReadOnly(true))
                            .addDevices(DeviceSpec.newBuilder()
                                    .setContainerPath("/dev/vfio/1")
                                    .setHostPath("/dev/vfio/7")
                                    .setPermissions("rw"))
                            .putAnnotations("example.com/vf", "a")
                            .addCdiDevices(CDIDevice.newBuilder().setName("example.com/vf=a")))
                    .build();
            ContainerAllocation allocation = node.kubelet()
                    .admit(PodSpec.of("pod", VF, 1))
                    .container("main")
                    .allocation();

            assertThat(allocation.envs()).containsExactly(Map.entry("VF", "a"));
            assertThat(allocation.mounts()).containsExactly(new Mount("/in", "/out", true));
            assertThat(allocation.devices()).containsExactly(new DeviceNode("/dev/vfio/1", "/dev/vfio/7", "rw"));
            assertThat(allocation.annotations()).containsExactly(Map.entry("example.com/vf", "a"));
            assertThat(allocation.cdiDevices()).containsExactly("example.com/vf=a");
        }
    }

    @Test
    void eachContainerGetsDevicesOfEachResource() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a"), healthy("b"));
            node.registered(FPGA, "fpga.sock", healthy("x"));
            Pod pod = node.kubelet()
                    .admit(new PodSpec(
                            "pod",
                            List.of(
                                    new PodSpec.Container("one", Map.of(VF, 1, FPGA, 1)),
                                    new PodSpec.Container("two", Map.of(VF, 1)),
                                    new PodSpec.Container("none", Map.of()))));

            assertThat(pod.container("one").devices(FPGA)).containsExactly("x");
            assertThat(pod.container("one").devices(VF)).hasSize(1);
            assertThat(pod.container("two").devices(VF))
                    .hasSize(1)
                    .isNotEqualTo(pod.container("one").devices(VF));
            assertThat(pod.container("none").allocation()).isEqualTo(ContainerAllocation.NOTHING);
        }
    }

    @Test
    void podIsAdmittedWithoutDevicesOfAResourceThatNeverRegistered() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            Pod pod = node.kubelet().admit(PodSpec.of("pod", VF, 1));
            assertThat(pod.container("main").devices()).isEmpty();
            assertThat(node.events()).endsWith(new KubeletEvent.Unmanaged("pod", "main", VF));
            assertThat(node.kubelet().startContainer("pod", "main")).isEqualTo(ContainerAllocation.NOTHING);
            assertThat(node.kubelet().pods()).isEmpty();
        }
    }

    @Test
    void podIsAdmittedWithoutDevicesOfAResourceThatIsRegisteredButNotListedYet() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.plugin("vf.sock");
            plugin.silent = true;
            node.register(VF, "vf.sock");
            assertThat(node.kubelet()
                            .admit(PodSpec.of("pod", VF, 1))
                            .container("main")
                            .devices())
                    .isEmpty();

            plugin.send(healthy("a"));
            node.await(VF, state -> state.allocatable() == 1);
            assertThat(node.kubelet().startContainer("pod", "main").envs()).containsEntry("IDS", "a");
            assertThat(node.kubelet().resource(VF).allocated()).containsExactly("a");
        }
    }

    @Test
    void containerThatWasAdmittedWithoutDevicesNeverStartsOnceThePluginAsksForPreStart() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.kubelet().admit(PodSpec.of("pod", VF, 1));
            TestPlugin plugin = node.plugin("vf.sock", healthy("a"));
            plugin.options = TestPlugin.options(true, false);
            node.register(VF, "vf.sock");
            node.await(VF, state -> state.allocatable() == 1);
            assertThatExceptionOfType(ContainerStartException.class)
                    .isThrownBy(() -> node.kubelet().startContainer("pod", "main"))
                    .withMessage("no devices found allocated in local cache for pod pod, container main, "
                            + "resource example.com/vf");
        }
    }

    @Test
    void tooFewDevicesAreRefused() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a"), unhealthy("b"));
            assertRefused(
                    node,
                    PodSpec.of("pod", VF, 2),
                    "requested number of devices unavailable for example.com/vf. Requested: 2, Available: 1");
        }
    }

    @Test
    void deadPluginsDevicesAreRefused() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a")).endStreams();
            node.await(VF, state -> !state.registered());
            assertRefused(
                    node,
                    PodSpec.of("pod", VF, 1),
                    "no healthy devices present; cannot allocate unhealthy devices example.com/vf");
        }
    }

    @Test
    void pluginsErrorRefusesThePodAndFreesAllItGot() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            node.registered(FPGA, "fpga.sock", healthy("x"));
            plugin.allocate = request -> {
                throw Status.FAILED_PRECONDITION.withDescription("a is gone").asRuntimeException();
            };
            PodSpec spec = new PodSpec("pod", List.of(new PodSpec.Container("main", Map.of(FPGA, 1, VF, 1))));
            assertRefused(node, spec, "rpc error: code = FailedPrecondition desc = a is gone");

            assertThat(node.kubelet().pods()).isEmpty();
            assertThat(node.kubelet().resource(VF).allocated()).isEmpty();
            assertThat(node.kubelet().resource(FPGA).allocated()).isEmpty();
            assertThat(node.events())
                    .contains(new KubeletEvent.AllocationFailed(
                            "pod", "main", VF, "rpc error: code = FailedPrecondition desc = a is gone"));
        }
    }

    @Test
    void answerWithoutContainersIsRefused() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a")).allocate = request -> AllocateResponse.getDefaultInstance();
            assertRefused(node, PodSpec.of("pod", VF, 1), "no containers return in allocation response");
        }
    }

    @Test
    void containerThatHoldsDevicesGetsTheSameAgain() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"), healthy("b"), healthy("c"), healthy("d"));
            Pod first = node.kubelet().admit(PodSpec.of("pod", VF, 2));
            assertThat(node.kubelet().admit(PodSpec.of("pod", VF, 2))).isEqualTo(first);
            assertThat(plugin.allocations).hasSize(1);

            assertRefused(
                    node,
                    PodSpec.of("pod", VF, 3),
                    "pod \"pod\" container \"main\" changed request for resource \"example.com/vf\" from 2 to 3");
            assertThat(node.kubelet().pod("pod")).contains(first);
        }
    }

    @Test
    void containerWhoseDeviceFellIllIsRestartedInPlace() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.plugin("vf.sock", healthy("a"));
            plugin.options = TestPlugin.options(true, false);
            node.register(VF, "vf.sock");
            node.await(VF, state -> state.allocatable() == 1);
            node.kubelet().admit(PodSpec.of("pod", VF, 1));
            plugin.send(unhealthy("a"));
            node.await(VF, state -> state.allocatable() == 0);
            assertThat(node.kubelet().startContainer("pod", "main").envs()).containsEntry("IDS", "a");
            assertThat(plugin.preStarts).hasSize(1);
        }
    }

    @Test
    void containerWhoseDeviceFellIllIsRefused() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            node.kubelet().admit(PodSpec.of("pod", VF, 1));
            plugin.send(unhealthy("a"), healthy("b"));
            node.await(VF, state -> state.capacity() == 2);
            assertRefused(
                    node,
                    PodSpec.of("pod", VF, 1),
                    "previously allocated devices are no longer healthy; "
                            + "cannot allocate unhealthy devices example.com/vf");
        }
    }

    @Test
    void devicesOfARemovedPodAreFree() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a"));
            node.kubelet().admit(PodSpec.of("first", VF, 1));
            node.kubelet().remove("first");
            assertThat(node.kubelet().resource(VF).allocated()).isEmpty();
            assertThat(node.kubelet()
                            .admit(PodSpec.of("second", VF, 1))
                            .container("main")
                            .devices(VF))
                    .containsExactly("a");
        }
    }

    private static void assertRefused(TestNode node, PodSpec spec, String reason) {
        assertThatExceptionOfType(AdmissionException.class)
                .isThrownBy(() -> node.kubelet().admit(spec))
                .withMessage("Allocate failed due to " + reason + ", which is unexpected");
    }
}
