package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.PATIENCE;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static io.edgeplug.api.dra.DraNode.VF1_NAME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.api.dra.HealthService.OfDevice;
import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.proto.drahealth.v1.DRAResourceHealthGrpc;
import io.edgeplug.proto.drahealth.v1.DeviceHealth;
import io.edgeplug.proto.drahealth.v1.HealthStatus;
import io.edgeplug.proto.drahealth.v1.NodeWatchResourcesRequest;
import io.edgeplug.proto.drahealth.v1.NodeWatchResourcesResponse;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The health of claimed devices, as a kubelet is told. */
@Timeout(90)
final class HealthServiceTest {

    private static final List<String> VERSIONS = HealthService.VERSIONS;

    private static final Duration OFTEN = Duration.ofMillis(20);
    private static final Duration NEVER = Duration.ofDays(1);

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private final AtomicReference<List<OfDevice>> devices = new AtomicReference<>(List.of());
    private UnixRpc rpc;

    @BeforeEach
    void open() throws Exception {
        rpc = closing.add(UnixRpc.open());
    }

    private ManagedChannel dial(Path socket) {
        ManagedChannel channel = rpc.dial(socket);
        closing.add(channel::shutdownNow);
        return channel;
    }

    /** A stream of that version, which ends when the test has waited too long. */
    private static Iterator<NodeWatchResourcesResponse> watch(ManagedChannel channel, String version) {
        MethodDescriptor<NodeWatchResourcesRequest, NodeWatchResourcesResponse> method =
                DRAResourceHealthGrpc.getNodeWatchResourcesMethod().toBuilder()
                        .setFullMethodName(MethodDescriptor.generateFullMethodName(version, "NodeWatchResources"))
                        .setSchemaDescriptor(null)
                        .build();
        return ClientCalls.blockingServerStreamingCall(
                channel,
                method,
                CallOptions.DEFAULT.withDeadlineAfter(3 * PATIENCE.toSeconds(), TimeUnit.SECONDS),
                NodeWatchResourcesRequest.getDefaultInstance());
    }

    private static String text(NodeWatchResourcesResponse message) {
        return message.getDevicesList().stream()
                .map(one -> one.getDevice().getPoolName() + "/"
                        + one.getDevice().getDeviceName() + " " + one.getHealth() + " " + one.getMessage())
                .map(String::strip)
                .sorted()
                .collect(Collectors.joining("\n"));
    }

    /** Waits for a message with that text, because a device's health changes only after a look at the node. */
    private static String await(Iterator<NodeWatchResourcesResponse> messages, String text) {
        String newest = "";
        while (!newest.contains(text)) {
            newest = text(messages.next());
        }
        return newest;
    }

    @ParameterizedTest
    @FieldSource("VERSIONS")
    void healthOfEachDeviceIsReportedWithItsReasonWhenItChanges(String version) throws Exception {
        DraNode node = closing.add(DraNode.open(directory));
        assertThat(node.kubelet.register().getSupportedVersionsList())
                .containsExactly(
                        "v1.DRAPlugin", "v1beta1.DRAPlugin", "v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth");
        Iterator<NodeWatchResourcesResponse> messages =
                watch(dial(directory.resolve("plugins/edgeplug.io/dra.sock")), version);

        assertThat(await(messages, VF1_NAME))
                .isEqualTo("node1/" + VF0_NAME + " HEALTHY\nnode1/" + VF1_NAME + " HEALTHY");
        PciAddress vf = PciAddress.parse(DraNode.VF0).orElseThrow();
        node.node.fallOff(vf);
        assertThat(await(messages, "UNHEALTHY"))
                .isEqualTo("node1/" + VF0_NAME + " UNHEALTHY " + DraNode.VF0
                        + ": does not answer on PCI: its configuration space reads all ones\nnode1/" + VF1_NAME
                        + " HEALTHY");
        node.node.comeBack(vf);
        assertThat(await(messages, VF0_NAME + " HEALTHY")).doesNotContain("UNHEALTHY");
    }

    @Test
    void healthIsThatOfTheDevicesInTheSlicesAlsoIfTheyHaveShares() throws Exception {
        String shares = DraNode.CLASSES.replaceFirst("(?s)\\[class.prepare].*", "");
        DraNode node =
                closing.add(DraNode.open(directory, shares.replace("[class.match]", "shares = 1000\n[class.match]")));
        Object ignored = node.kubelet.register();
        Iterator<NodeWatchResourcesResponse> messages =
                watch(dial(directory.resolve("plugins/edgeplug.io/dra.sock")), VERSIONS.getFirst());

        assertThat(await(messages, VF1_NAME))
                .isEqualTo("node1/" + VF0_NAME + " HEALTHY\nnode1/" + VF1_NAME + " HEALTHY");
    }

    private static OfDevice health(Device device) {
        return OfDevice.of(DeviceNames.of(device.id()), device);
    }

    private static NodeWatchResourcesResponse message(Device device) {
        return new HealthService.Report("node1", List.of(health(device))).message();
    }

    private HealthService serve(Duration repetition) throws Exception {
        Path kubeconfig = TestIdentity.write(directory, 1, TestIdentity.NODE1);
        return serve(kubeconfig, repetition);
    }

    private HealthService serve(Path kubeconfig, Duration repetition) throws Exception {
        ApiServer api = closing.add(new ApiServer(kubeconfig, null));
        HealthService service = new HealthService(api, devices::get, repetition);
        Server server = rpc.serve(directory.resolve("s"), service.services());
        closing.add(server::shutdownNow);
        return service;
    }

    private Iterator<NodeWatchResourcesResponse> watch() {
        return watch(dial(directory.resolve("s")), VERSIONS.getFirst());
    }

    @Test
    void sameHealthIsReportedAgainBeforeTheKubeletTakesItForOutdated() throws Exception {
        devices.set(List.of(health(TestSlices.vf(0))));
        HealthService ignored = serve(OFTEN);
        Iterator<NodeWatchResourcesResponse> messages = watch();

        DeviceHealth first = messages.next().getDevices(0);
        DeviceHealth again = messages.next().getDevices(0);
        assertThat(again.getHealth()).isEqualTo(HealthStatus.HEALTHY);
        assertThat(again.getDevice()).isEqualTo(first.getDevice());
        assertThat(again.getLastUpdatedTime()).isGreaterThanOrEqualTo(first.getLastUpdatedTime());
        assertThat(HealthService.REPETITION).isLessThan(Duration.ofSeconds(again.getHealthCheckTimeoutSeconds()));
    }

    @Test
    void changeIsReportedAtOnceAndWhatIsNoneIsNot() throws Exception {
        devices.set(List.of(health(TestSlices.vf(0))));
        HealthService service = serve(NEVER);
        Iterator<NodeWatchResourcesResponse> messages = watch();

        assertThat(text(messages.next())).isEqualTo("node1/0000-3b-00-0 HEALTHY");
        service.wake();
        devices.set(List.of(health(TestSlices.vf(0)), health(TestSlices.vf(1))));
        service.wake();
        assertThat(text(messages.next())).contains("node1/0000-3b-00-1 HEALTHY");
    }

    @Test
    void deviceThatIsGoneIsUnhealthyAndOneThatIsOnlyKeptFromOthersIsNot() {
        Device vf = TestSlices.vf(0);

        assertThat(text(message(vf.withHealth(Health.GONE))))
                .isEqualTo("node1/0000-3b-00-0 UNHEALTHY 0000:3b:00.0: is gone, and a container may hold it");
        assertThat(text(message(vf.withHealth(Health.withheld("is being scrubbed")))))
                .isEqualTo("node1/0000-3b-00-0 HEALTHY");
    }

    @Test
    void nothingIsReportedUntilTheNameOfThePoolIsKnown() throws Exception {
        devices.set(List.of(health(TestSlices.vf(0))));
        Path kubeconfig = directory.resolve("kubelet.conf");
        HealthService service = serve(kubeconfig, OFTEN);
        Iterator<NodeWatchResourcesResponse> messages = watch();
        service.wake();
        assertThat(Files.exists(kubeconfig)).isFalse();

        Path ignored = TestIdentity.write(directory, 1, TestIdentity.NODE1);
        assertThat(text(messages.next())).isEqualTo("node1/0000-3b-00-0 HEALTHY");
    }

    @Test
    void streamTooManyIsRefusedAndOneThatHasEndedMakesRoom() throws Exception {
        HealthService ignored = serve(NEVER);
        ManagedChannel first = dial(directory.resolve("s"));
        assertThat(watch(first, VERSIONS.getFirst()).hasNext()).isTrue();
        for (int i = 1; i < HealthService.MAX_STREAMS; i++) {
            assertThat(watch().hasNext()).isTrue();
        }
        assertThatThrownBy(watch()::hasNext)
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED));

        first.shutdownNow();
        Deadline patience = Deadline.in(PATIENCE);
        while (!isServed()) {
            assertThat(patience.isOver()).isFalse();
        }
    }

    private boolean isServed() {
        try {
            return watch().hasNext();
        } catch (StatusRuntimeException e) {
            return false;
        }
    }
}
