package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.node.supply.SupplyNode.A;
import static io.edgeplug.node.supply.SupplyNode.B;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.lab.localkubelet.AdmissionException;
import io.edgeplug.lab.localkubelet.ListedDevice;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.localkubelet.PodSpec.Container;
import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The members of one IOMMU group, of which the kernel lets one container alone have any. */
@Timeout(90)
final class IommuGroupsTest {

    private static final String ALONE = "0000:44:00.0";
    private static final ResourceName DPU = ResourceName.parse("example.com/dpu");
    private static final ResourceName OTHER = ResourceName.parse("example.com/other");
    private static final String CLASS = """
            [[class]]
            resource = "%s"
            kind = "nic"
            [class.match]
            pci_addresses = [%s]
            """;
    private static final String TOGETHER = CLASS.formatted(DPU, quoted(A, B, ALONE));
    private static final String APART = CLASS.formatted(DPU, quoted(A, ALONE)) + CLASS.formatted(OTHER, quoted(B));

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private Path kubeletDir = Path.of("");
    private LocalKubelet kubelet;

    @BeforeEach
    void open() throws Exception {
        kubeletDir = directory.resolve("device-plugins");
        kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        SimulatedNode.unpack(Files.readString(Machine.file("vfio-groups", "tree")), directory.resolve("node"))
                .close();
    }

    private static String quoted(String... ids) {
        return "\"" + String.join("\", \"", ids) + "\"";
    }

    private TestDaemon daemon(String classes) throws Exception {
        return closing.add(TestDaemon.open(directory, kubeletDir, classes));
    }

    private ResourceState await(ResourceName resource, Predicate<ResourceState> wanted) throws Exception {
        return kubelet.await(resource, wanted, PATIENCE.multipliedBy(3));
    }

    private PluginClient plugin(ResourceName resource) throws Exception {
        return PluginClient.of(await(resource, state -> state.allocatable() > 0), kubeletDir, closing);
    }

    private static String problem(TestDaemon daemon, ResourceName resource, String id) {
        return daemon.monitor
                .current()
                .device(resource, id)
                .flatMap(device -> device.health().problem())
                .orElse("healthy");
    }

    @Test
    void whileAPodHasOneMemberTheOthersAreUnhealthyUntilItIsGone() throws Exception {
        TestDaemon daemon = daemon(CLASS.formatted(DPU, quoted(A, B)));
        await(DPU, state -> state.allocatable() == 2);

        kubelet.admit(PodSpec.of("first", DPU, 1));

        ResourceState held = await(DPU, state -> state.allocatable() == 1 && state.capacity() == 2);
        String mate = held.devices().stream()
                .filter(device -> !device.healthy())
                .map(ListedDevice::id)
                .findFirst()
                .orElseThrow();
        assertThat(problem(daemon, DPU, mate))
                .isEqualTo("its IOMMU group 17 is in use: a container holds " + (mate.equals(A) ? B : A));
        assertThatThrownBy(() -> kubelet.admit(PodSpec.of("second", DPU, 1))).isInstanceOf(AdmissionException.class);

        kubelet.remove("first");
        await(DPU, state -> state.allocatable() == 2);
        kubelet.admit(PodSpec.of("both", DPU, 2));
    }

    @Test
    void membersOfTwoResourcesAreOneGroupToo() throws Exception {
        TestDaemon daemon = daemon(APART);
        await(DPU, state -> state.allocatable() == 2);
        PluginClient other = plugin(OTHER);

        assertThat(plugin(DPU).allocate(List.of(A)).getContainerResponsesCount())
                .isEqualTo(1);

        // at once, whether or not the list has come
        StatusRuntimeException refused =
                catchThrowableOfType(StatusRuntimeException.class, () -> other.allocate(List.of(B)));
        assertThat(refused.getStatus().getDescription())
                .isEqualTo("Device " + B + " of example.com/other is unhealthy: "
                        + "its IOMMU group 17 is in use: a container holds " + A);
        await(OTHER, state -> state.allocatable() == 0 && state.capacity() == 1);
        assertThat(problem(daemon, OTHER, B)).contains("a container holds " + A);
        assertThat(problem(daemon, DPU, ALONE)).isEqualTo("healthy");
    }

    @Test
    void podThatAsksForAllGetsThemAndKeepsThem() throws Exception {
        TestDaemon daemon = daemon(TOGETHER);
        await(DPU, state -> state.allocatable() == 3);

        kubelet.admit(PodSpec.of("both", DPU, 2));
        daemon.learnHolders();
        kubelet.admit(PodSpec.of("alone", DPU, 1));

        await(DPU, state -> state.allocatable() == 3);
        assertThat(problem(daemon, DPU, A)).isEqualTo("healthy");
    }

    @Test
    void containerGetsAgainWhatItsInitContainerHad() throws Exception {
        TestDaemon daemon = daemon(CLASS.formatted(DPU, quoted(A, B)));
        await(DPU, state -> state.allocatable() == 2);
        Container init = new Container("init", Map.of(DPU, 2));
        Container main = new Container("main", Map.of(DPU, 1));

        kubelet.admit(new PodSpec("pod", List.of(init), List.of(main)));
        daemon.learnHolders();

        await(DPU, state -> state.allocatable() == 2);
    }

    @Test
    void twoContainersOfOneRequestDoNotGetOneGroup() throws Exception {
        TestDaemon daemon = daemon(TOGETHER);
        await(DPU, state -> state.allocatable() == 3);
        AllocateRequest both = AllocateRequest.newBuilder()
                .addContainerRequests(ContainerAllocateRequest.newBuilder().addDevicesIds(A))
                .addContainerRequests(ContainerAllocateRequest.newBuilder().addDevicesIds(B))
                .build();

        PluginClient plugin = plugin(DPU);
        StatusRuntimeException refused =
                catchThrowableOfType(StatusRuntimeException.class, () -> plugin.allocate(both));

        assertThat(refused.getStatus().getDescription())
                .isEqualTo("Device " + B + " of example.com/dpu is unhealthy: "
                        + "its IOMMU group 17 is in use: a container of the same request gets " + A);
        assertThat(problem(daemon, DPU, A)).isEqualTo("healthy");
    }

    @Test
    void daemonThatIsStartedAgainKnowsWhatPodsHaveBeforeItIsAsked() throws Exception {
        try (TestDaemon before = TestDaemon.open(directory, kubeletDir, APART)) {
            await(DPU, state -> state.allocatable() == 2);
            await(OTHER, state -> state.allocatable() == 1);
            kubelet.admit(PodSpec.of("pod", OTHER, 1));
            await(DPU, state -> state.allocatable() == 1);
        }

        TestDaemon daemon = daemon(APART);
        StatusRuntimeException refused = catchThrowableOfType(
                StatusRuntimeException.class, () -> plugin(DPU).allocate(List.of(A)));

        assertThat(refused.getStatus().getDescription())
                .endsWith("its IOMMU group 17 is in use: a container holds " + B);
        await(DPU, state -> state.allocatable() == 1 && state.capacity() == 2);
        assertThat(problem(daemon, OTHER, B)).isEqualTo("healthy");
    }

    /** After a boot, driverctl or udev may bind VFIO later than the daemon first reads who has what. */
    @Test
    void groupOfAHeldDeviceIsKnownOnceItsDriverIsBound() throws Exception {
        try (TestDaemon before = TestDaemon.open(directory, kubeletDir, APART)) {
            await(DPU, state -> state.allocatable() == 2);
            await(OTHER, state -> state.allocatable() == 1);
            kubelet.admit(PodSpec.of("pod", OTHER, 1));
            await(DPU, state -> state.allocatable() == 1);
        }
        SortedMap<String, Path> drivers = new TreeMap<>();
        for (String id : List.of(A, B)) {
            Path link = directory
                    .resolve("node/sys/bus/pci/devices")
                    .resolve(id)
                    .toRealPath()
                    .resolve("driver");
            drivers.put(id, Files.readSymbolicLink(link));
            Files.delete(link);
        }
        TestDaemon daemon = daemon(APART);
        await(DPU, state -> state.allocatable() == 2);
        PluginClient plugin = plugin(DPU);

        for (Map.Entry<String, Path> driver : drivers.entrySet()) {
            Path function = directory.resolve("node/sys/bus/pci/devices").resolve(driver.getKey());
            Path ignored = Files.createSymbolicLink(function.toRealPath().resolve("driver"), driver.getValue());
            daemon.node.announce("bind", PciAddress.parse(driver.getKey()).orElseThrow());
        }

        await(DPU, state -> state.allocatable() == 1);
        StatusRuntimeException refused =
                catchThrowableOfType(StatusRuntimeException.class, () -> plugin.allocate(List.of(A)));
        assertThat(refused.getStatus().getDescription())
                .endsWith("its IOMMU group 17 is in use: a container holds " + B);
    }

    @Test
    void podThatHasEndedFreesItsGroupAlthoughTheKubeletStillHasItInItsNotes() throws Exception {
        Path pods = Files.createDirectories(directory.resolve("pods/pod"));
        TestDaemon daemon = daemon(APART);
        await(OTHER, state -> state.allocatable() == 1);
        await(DPU, state -> state.allocatable() == 2);
        kubelet.admit(PodSpec.of("pod", DPU, 2));
        await(OTHER, state -> state.allocatable() == 0);

        daemon.learnHolders();
        Files.delete(pods);

        await(OTHER, state -> state.allocatable() == 1);
    }

    @Test
    void wholeGroupsAndDevicesAloneAreToBePreferred() throws Exception {
        daemon(TOGETHER);
        await(DPU, state -> state.allocatable() == 3);
        PluginClient plugin = plugin(DPU);
        List<String> all = List.of(A, B, ALONE);

        assertThat(plugin.prefer(all, List.of(), 1)).containsExactly(ALONE);
        assertThat(plugin.prefer(all, List.of(), 2)).containsExactlyInAnyOrder(A, B);
        assertThat(plugin.prefer(all, List.of(B), 2)).containsExactly(B, A);
        assertThat(plugin.prefer(all, List.of(ALONE), 2)).startsWith(ALONE).hasSize(2);
        assertThat(plugin.prefer(all, List.of(), 3)).containsExactlyInAnyOrder(A, B, ALONE);
        assertThat(plugin.prefer(List.of(A, B), List.of(), 1)).hasSize(1);
        assertThat(plugin.prefer(all, List.of(), Integer.MAX_VALUE)).hasSize(3);
    }
}
