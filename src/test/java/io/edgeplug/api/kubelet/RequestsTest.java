package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.AllocateResponse;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is asked of a plugin: a sentence that names the device, or for a preference always an answer. */
@Timeout(60)
final class RequestsTest {

    private static final String A = "0000:3b:01.0";
    private static final String B = "0000:3b:01.1";

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private record Served(TestDaemon daemon, LocalKubelet kubelet, PluginClient plugin) {}

    private Served served() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir));
        ResourceState registered = kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
        return new Served(daemon, kubelet, PluginClient.of(registered, kubeletDir, closing));
    }

    @Test
    void unknownDeviceIsRefusedByName() throws Exception {
        assertRefused(List.of(A, "0000:3b:01.7"), "Device 0000:3b:01.7 of example.com/sriov_node0 is not on this node");
    }

    @Test
    void deviceOfAnotherResourceIsRefusedByName() throws Exception {
        assertRefused(List.of("g1"), "Device g1 is a device of example.com/gopher, and not of example.com/sriov_node0");
    }

    @Test
    void deviceThatIsAskedForTwiceIsRefusedByName() throws Exception {
        assertRefused(List.of(A, A), "Device 0000:3b:01.0 of example.com/sriov_node0 was asked for twice");
    }

    @Test
    void requestForNoDeviceIsRefused() throws Exception {
        assertRefused(List.of(), "No device of example.com/sriov_node0 was asked for");
    }

    @Test
    void nameThatATerminalWouldObeyIsMadePlainInTheRefusal() throws Exception {
        assertRefused(List.of("\u009b2J\u202e\u0085"), "Device ?2J?? of example.com/sriov_node0 is not on this node");
    }

    @Test
    void emptyNameIsRefused() throws Exception {
        assertRefused(List.of(""), "Device \"\" of example.com/sriov_node0 is not on this node");
    }

    @Test
    void tenThousandUnknownDevicesAreRefusedByTheFirst() throws Exception {
        List<String> ids = IntStream.range(0, 10_000).mapToObj(i -> "none-" + i).toList();

        assertRefused(ids, "Device none-0 of example.com/sriov_node0 is not on this node");
    }

    @Test
    void nameThatIsTooLongForAnIdIsCutInTheRefusal() throws Exception {
        assertRefused(
                List.of("x".repeat(100_000)),
                "Device " + "x".repeat(128) + "… of example.com/sriov_node0 is not on this node");
    }

    @Test
    void brokenDeviceIsRefusedWithItsReason() throws Exception {
        Served served = served();
        served.daemon().node.fallOff(TestDaemon.VF0);
        served.kubelet().await(NODE0, state -> state.allocatable() == 1, PATIENCE);

        assertThat(refusal(served, List.of(B, A)).getDescription())
                .isEqualTo("Device 0000:3b:01.0 of example.com/sriov_node0 is unhealthy: "
                        + "it does not answer on PCI: its configuration space reads all ones");
    }

    @Test
    void deviceIsNotGivenToTwoContainersOfOneRequest() throws Exception {
        Served served = served();
        ContainerAllocateRequest one =
                ContainerAllocateRequest.newBuilder().addDevicesIds(A).build();
        AllocateRequest both = AllocateRequest.newBuilder()
                .addContainerRequests(one)
                .addContainerRequests(one)
                .build();

        StatusRuntimeException refused = catchThrowableOfType(
                StatusRuntimeException.class, () -> served.plugin().allocate(both));

        assertThat(refused.getStatus().getDescription())
                .isEqualTo("Device 0000:3b:01.0 of example.com/sriov_node0 was asked for twice");
    }

    @Test
    void eachContainerOfARequestIsAnswered() throws Exception {
        Served served = served();

        AllocateResponse answer = served.plugin()
                .allocate(AllocateRequest.newBuilder()
                        .addContainerRequests(
                                ContainerAllocateRequest.newBuilder().addDevicesIds(B))
                        .addContainerRequests(
                                ContainerAllocateRequest.newBuilder().addDevicesIds(A))
                        .build());

        assertThat(answer.getContainerResponsesList())
                .extracting(container -> container.getEnvsOrThrow("PCIDEVICE_EXAMPLE_COM_SRIOV_NODE0"))
                .containsExactly(B, A);
        assertThat(served.plugin()
                        .allocate(AllocateRequest.getDefaultInstance())
                        .getContainerResponsesList())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 1, 2, 3, 10_000, Integer.MAX_VALUE})
    void preferenceIsAnsweredForAnySize(int size) throws Exception {
        Served served = served();
        int fits = Math.max(0, Math.min(size, 2));

        assertThat(served.plugin().prefer(List.of(A, B), List.of(), size))
                .hasSize(fits)
                .isSubsetOf(A, B)
                .doesNotHaveDuplicates();
        assertThat(served.plugin().prefer(List.of(A, B), List.of(B), size))
                .hasSize(Math.max(fits, 1))
                .startsWith(B);
        assertThat(served.plugin().prefer(List.of(), List.of(), size)).isEmpty();
    }

    @Test
    void preferenceHoldsWhatMustBeThereAlsoIfItIsUnknownOrNotAvailable() throws Exception {
        Served served = served();

        assertThat(served.plugin().prefer(List.of(A), List.of(B), 2)).containsExactly(B, A);
        assertThat(served.plugin().prefer(List.of(A, B), List.of("none"), 2))
                .hasSize(2)
                .startsWith("none");
        assertThat(served.plugin().prefer(List.of(A, "none"), List.of(), 2)).containsExactly(A, "none");
        assertThat(served.plugin().prefer(List.of(A, A, A), List.of(A, A), 2)).containsExactly(A);
    }

    @Test
    void preferenceAmongFourThousandDevicesIsAnswered() throws Exception {
        Served served = served();
        List<String> available = Stream.concat(IntStream.range(0, 4094).mapToObj(i -> "none-" + i), Stream.of(A, B))
                .toList();

        assertThat(served.plugin().prefer(available, List.of(), 4096)).containsExactlyInAnyOrderElementsOf(available);
        assertThat(served.plugin().prefer(available, List.of(), 2)).containsExactlyInAnyOrder(A, B);
    }

    private void assertRefused(List<String> ids, String sentence) throws Exception {
        Served served = served();
        assertThat(refusal(served, ids).getDescription()).isEqualTo(sentence);

        // and no harm done
        assertThat(served.plugin().allocate(List.of(B, A)).getContainerResponsesCount())
                .isEqualTo(1);
    }

    private static Status refusal(Served served, List<String> ids) {
        StatusRuntimeException refused = catchThrowableOfType(
                StatusRuntimeException.class, () -> served.plugin().allocate(ids));
        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
        assertThat(String.valueOf(refused.getStatus().getDescription()).toLowerCase(Locale.ROOT))
                .doesNotContain("exception")
                .doesNotContain("java");
        return refused.getStatus();
    }
}
