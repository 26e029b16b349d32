package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.ListedDevice;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.ResourceName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which devices the kubelet is told of, as what, and where. */
@Timeout(60)
final class DeviceListContractTest {

    private static final ResourceName ALL = ResourceName.parse("example.com/all");
    private static final PciAddress THIRD = new PciAddress(0, 0x3b, 1, 2);
    private static final String ALL_VFS = """
            [[class]]
            resource = "example.com/all"
            kind = "vf"
            [class.match]
            vendors = ["8086"]
            """;

    @TempDir
    private Path directory = Path.of("");

    private Path kubeletDir = Path.of("");

    @BeforeEach
    void setUp() {
        kubeletDir = directory.resolve("device-plugins");
    }

    @Test
    void allocatedDeviceThatIsPulledStaysAsUnhealthyAndComesBack() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {});
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
            daemon.node.plug(DemoNode.thirdVf());
            kubelet.await(NODE0, state -> state.allocatable() == 3, PATIENCE);
            kubelet.admit(PodSpec.of("pod", NODE0, 3));

            daemon.node.pull(THIRD);
            ResourceState pulled = kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
            assertThat(pulled.devices()).contains(new ListedDevice(THIRD.toString(), false, List.of(0L)));

            daemon.node.plug(DemoNode.thirdVf());
            kubelet.await(NODE0, state -> state.allocatable() == 3 && state.capacity() == 3, PATIENCE);
        }
    }

    @Test
    void deviceThatIsGoneLeavesTheListOnceTheKubeletHasNotedThatNoPodHoldsIt() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {});
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
            kubelet.admit(PodSpec.of("pod", NODE0, 2));
            daemon.node.pull(VF0);
            kubelet.await(NODE0, state -> state.allocatable() == 1 && state.capacity() == 2, PATIENCE);

            kubelet.remove("pod");

            kubelet.await(NODE0, state -> state.capacity() == 1, PATIENCE.multipliedBy(3));
        }
    }

    @Test
    void deviceThatAPodHeldBeforeTheDaemonWasStartedStaysAsUnhealthyToo() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {})) {
            try (TestDaemon before = TestDaemon.open(directory, kubeletDir)) {
                kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
                kubelet.admit(PodSpec.of("pod", NODE0, 2));
            }
            try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
                kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
                daemon.learnHolders();

                daemon.node.pull(VF0);

                kubelet.await(NODE0, state -> state.allocatable() == 1 && state.capacity() == 2, PATIENCE);
            }
        }
    }

    @Test
    void deviceThatNoPodEverHeldLeavesTheList() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {});
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);

            daemon.node.pull(VF0);

            assertThat(TestDaemon.ids(kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE)))
                    .containsExactly("0000:3b:01.1");
        }
    }

    @Test
    void devicesWithoutANodeAreNearAllNodesWhereOthersHaveOne() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {});
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir, ALL_VFS)) {
            kubelet.await(ALL, state -> state.allocatable() == 4, PATIENCE);
            daemon.node.write("sys/bus/pci/devices/0000:3a:00.0/numa_node", "-1");
            daemon.node.write("sys/bus/pci/devices/0000:3b:00.0/numa_node", "-1");
            daemon.node.write("sys/bus/pci/devices/0000:3b:01.0/numa_node", "-1");
            daemon.node.announce("change", VF0);

            kubelet.await(
                    ALL,
                    state -> nodes(state).equals(List.of(List.of(0L, 1L), List.of(0L), List.of(1L), List.of(1L))),
                    PATIENCE);
        }
    }

    @Test
    void noDeviceHasNodesWhereNoneHasOne() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {});
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
            daemon.node.write("sys/bus/pci/devices/0000:3a:00.0/numa_node", "-1");
            daemon.node.write("sys/bus/pci/devices/0000:3b:00.0/numa_node", "-1");
            for (String vf : List.of("0000:3b:01.0", "0000:3b:01.1")) {
                daemon.node.write("sys/bus/pci/devices/" + vf + "/numa_node", "-1");
                daemon.node.announce("change", PciAddress.parse(vf).orElseThrow());
            }

            kubelet.await(NODE0, state -> nodes(state).equals(List.of(List.of(), List.of())), PATIENCE);
        }
    }

    @Test
    void nodeThatTheKubeletHasNoBitForIsNotSent() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {});
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir, ALL_VFS)) {
            kubelet.await(ALL, state -> state.allocatable() == 4, PATIENCE);
            daemon.node.write("sys/bus/pci/devices/0000:3b:01.0/numa_node", "64");
            daemon.node.announce("change", VF0);

            kubelet.await(
                    ALL,
                    state -> nodes(state).equals(List.of(List.of(0L, 1L), List.of(0L), List.of(1L), List.of(1L))),
                    PATIENCE);
        }
    }

    @Test
    void nodesThatTheClassSaysAreSentInPlaceOfTheKernels() throws Exception {
        String classes = ALL_VFS.replace("kind", "numa_nodes = [1, 0]\nkind");
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {});
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir, classes)) {
            assertThat(nodes(kubelet.await(ALL, state -> state.allocatable() == 4, PATIENCE)))
                    .containsOnly(List.of(0L, 1L));
        }
    }

    @Test
    void excludedTopologyIsNotSent() throws Exception {
        String classes = ALL_VFS.replace("kind", "exclude_topology = true\nkind");
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {});
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir, classes)) {
            assertThat(nodes(kubelet.await(ALL, state -> state.allocatable() == 4, PATIENCE)))
                    .containsOnly(List.of());
        }
    }

    @Test
    void idsAreUniqueAcrossResources() throws Exception {
        for (String name : List.of("one", "two")) {
            Files.createDirectories(directory.resolve("node/etc/" + name));
            Files.createFile(directory.resolve("node/etc/" + name + "/same"));
            Files.createFile(directory.resolve("node/etc/" + name + "/only-" + name));
        }
        String classes =
                TestDaemon.filesClass("example.com/one", "one") + TestDaemon.filesClass("example.com/two", "two");
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {});
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir, classes)) {
            kubelet.await(
                    states -> states.values().stream()
                            .flatMap(state -> TestDaemon.ids(state).stream())
                            .sorted()
                            .toList()
                            .equals(Stream.of("only-one", "only-two", "same").toList()),
                    PATIENCE);
        }
    }

    private static List<List<Long>> nodes(ResourceState state) {
        return state.devices().stream().map(ListedDevice::numaNodes).toList();
    }
}
