package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.PackageJvm;
import io.edgeplug.lab.localkubelet.ListedDevice;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.Pod;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.Shares;
import io.edgeplug.model.rules.Sharing;
import io.edgeplug.proto.v1beta1.AllocateResponse;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Devices of which several containers have one at a time. */
@Timeout(120)
final class SharesTest {

    private static final ResourceName SHARED = ResourceName.parse("example.com/shared");
    private static final String A = "0000:3b:01.0";
    private static final String B = "0000:3b:01.1";
    private static final String CLASS = """
            [[class]]
            resource = "example.com/shared"
            kind = "vf"
            shares = 3
            match = { pf_names = ["ens1f0"] }
            """;
    private static final String ONE_ONLY = CLASS.replace("match", "fail_requests_greater_than_one = true\nmatch");

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private record Served(TestDaemon daemon, LocalKubelet kubelet, PluginClient plugin) {}

    private Served served(String classes) throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, classes));
        ResourceState registered = kubelet.await(SHARED, state -> state.allocatable() == 6, PATIENCE);
        return new Served(daemon, kubelet, PluginClient.of(registered, kubeletDir, closing));
    }

    @Test
    void kubeletIsToldOfEachShareWithTheHealthAndTheNodeOfItsDevice() throws Exception {
        Served served = served(CLASS);

        assertThat(served.kubelet().resource(SHARED).devices()).containsExactlyElementsOf(shares(true, A, B));

        served.daemon().node.fallOff(VF0);
        ResourceState broken = served.kubelet().await(SHARED, state -> state.allocatable() == 3, PATIENCE);
        assertThat(broken.devices()).containsAll(shares(false, A)).containsAll(shares(true, B));
    }

    @Test
    void deviceOfWhichAShareWasAllocatedKeepsAllItsSharesWhenItGoes() throws Exception {
        Served served = served(CLASS);
        served.plugin().allocate(List.of(A + "::1"));

        served.daemon().node.pull(VF0);

        ResourceState gone = served.kubelet().await(SHARED, state -> state.allocatable() == 3, PATIENCE);
        assertThat(gone.devices()).containsAll(shares(false, A)).hasSize(6);
    }

    @Test
    void deviceOfWhichNoShareWasAllocatedLeavesTheList() throws Exception {
        Served served = served(CLASS);

        served.daemon().node.pull(VF0);

        assertThat(served.kubelet()
                        .await(SHARED, state -> state.capacity() == 3, PATIENCE)
                        .devices())
                .containsExactlyElementsOf(shares(true, B));
    }

    @Test
    void containerGetsADeviceOnceHoweverManySharesItHas() throws Exception {
        AllocateResponse answer = served(CLASS).plugin().allocate(List.of(B + "::2", A + "::0", B + "::0"));

        ContainerAllocateResponse container = answer.getContainerResponses(0);
        assertThat(container.getEnvsOrThrow("PCIDEVICE_EXAMPLE_COM_SHARED")).isEqualTo(A + "," + B);
        assertThat(container.getDevicesList()).doesNotHaveDuplicates();
    }

    @Test
    void containersOfTwoPodsHaveOneDeviceAtATime() throws Exception {
        Served served = served(CLASS);

        List<Pod> pods = new ArrayList<>();
        for (int number = 0; number < 6; number++) {
            pods.add(served.kubelet()
                    .admit(new PodSpec("pod" + number, List.of(new PodSpec.Container("main", Map.of(SHARED, 1))))));
        }

        assertThat(pods)
                .extracting(pod -> pod.container("main").allocation().envs().get("PCIDEVICE_EXAMPLE_COM_SHARED"))
                .containsOnly(A, B)
                .hasSize(6);
    }

    @ParameterizedTest
    @ValueSource(strings = {A, A + "::3", A + "::00", A + "::", A + "::-1", A + "::0::0", "::0", A + "::99999999999"})
    void whatIsNoShareIsRefusedByName(String id) throws Exception {
        assertRefused(CLASS, List.of(id), "is not on this node");
    }

    @Test
    void shareThatIsAskedForTwiceIsRefusedByName() throws Exception {
        assertRefused(
                CLASS,
                List.of(A + "::1", A + "::1"),
                "Device 0000:3b:01.0::1 of example.com/shared was asked for twice");
    }

    @Test
    void requestForMoreThanOneIsRefusedWhereTheClassSaysSo() throws Exception {
        assertRefused(
                ONE_ONLY,
                List.of(A + "::0", B + "::0"),
                "A container may ask for one device of example.com/shared, and asked for 2 (" + A + "::0, " + B
                        + "::0): they are shared, and a second share gives it nothing more");
    }

    @Test
    void sharesOfDifferentDevicesArePreferred() throws Exception {
        Served served = served(CLASS);
        List<String> all = List.of(A + "::0", A + "::1", A + "::2", B + "::0", B + "::1", B + "::2");

        assertThat(served.plugin().prefer(all, List.of(), 2)).containsExactlyInAnyOrder(A + "::0", B + "::0");
        assertThat(served.plugin().prefer(all, List.of(A + "::2"), 2)).containsExactly(A + "::2", B + "::0");
        assertThat(served.plugin().prefer(all, List.of(), Integer.MAX_VALUE)).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void deviceWithMoreSharesLeftIsPreferred() throws Exception {
        Served served = served(CLASS);

        assertThat(served.plugin().prefer(List.of(A + "::0", B + "::1", B + "::2"), List.of(), 1))
                .containsExactly(B + "::1");
        assertThat(served.plugin().prefer(List.of(A + "::0", A + "::2", B + "::1"), List.of(), 1))
                .containsExactly(A + "::0");
    }

    @Test
    void sharesAreListedAsTheClassSaysUnlessTheyAreTooManyForANode() {
        Sharing thousand = new Sharing(1000, false);

        assertThat(thousand.listed(8, 8000)).isEqualTo(1000);
        assertThat(thousand.listed(32, 32_000)).isEqualTo(256);
        assertThat(thousand.listed(100_000, 100_000_000)).isEqualTo(1);
        assertThat(new Sharing(2, false).listed(256 + 16, 2 * 256 + 16 * 1000)).isEqualTo(2);
        assertThat(new Shares(1000).ids("x".repeat(120), 1000)).hasSize(1000).allMatch(id -> id.length() <= 128);
    }

    /** Serves the 256 VFs of a node, and prints how many device-information files there are. */
    static final class Crowded {

        private Crowded() {}

        public static void main(String[] args) throws Exception {
            Path directory = Path.of(args[0]);
            String tree = Files.readString(Machine.file("pf-256-vfs", "tree"));
            SimulatedNode.unpack(tree, directory.resolve("node")).close();
            try (TestDaemon daemon = TestDaemon.open(directory, directory.resolve("kubelet"), args[1])) {
                daemon.rehearse();
                try (Stream<Path> files = Files.list(directory.resolve("devinfo"))) {
                    System.out.println(files.count() + " files");
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 256, 32})
    void sharesThatAreListedHaveFilesAndTheDaemonsHeapIsEnoughForThem(int shares) throws Exception {
        PackageJvm.End end = PackageJvm.run(Crowded.class, directory.toString(), """
                [[class]]
                resource = "example.com/shared"
                kind = "vf"
                shares = %d
                match = { vendors = ["8086", "15b3"] }
                """.formatted(shares));

        assertThat(end.exit()).as(end.output()).isZero();
        assertThat(end.output()).contains("\n8192 files\n");
        if (shares > 32) {
            assertThat(end.output())
                    .contains("example.com/shared: lists 32 shares of each device and not " + shares
                            + ", because a node lists 8192 at most");
        }
    }

    private static List<ListedDevice> shares(boolean healthy, String... devices) {
        return List.of(devices).stream()
                .flatMap(device -> IntStream.range(0, 3)
                        .mapToObj(share -> new ListedDevice(device + "::" + share, healthy, List.of(0L))))
                .toList();
    }

    private void assertRefused(String classes, List<String> ids, String end) throws Exception {
        Served served = served(classes);
        StatusRuntimeException refused = catchThrowableOfType(
                StatusRuntimeException.class, () -> served.plugin().allocate(ids));
        assertThat(refused.getStatus().getDescription()).endsWith(end);
    }

    @Test
    void filesThatCannotBeWrittenMakeAllSharesUnhealthy() throws Exception {
        Files.writeString(directory.resolve("devinfo"), "no directory");
        Path kubeletDir = directory.resolve("device-plugins");
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));

        closing.add(TestDaemon.open(directory, kubeletDir, CLASS));

        ResourceState listed = kubelet.await(SHARED, state -> state.devices().size() == 6, PATIENCE);
        assertThat(listed.devices()).containsAll(shares(false, A)).containsAll(shares(false, B));
    }
}
