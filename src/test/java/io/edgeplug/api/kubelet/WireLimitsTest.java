package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.GOPHER;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.UnknownFieldSet;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.proto.v1beta1.ContainerPreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.proto.v1beta1.PreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.PreferredAllocationResponse;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A caller that asks for more than any kubelet does is refused, and the daemon goes on in the heap of the package. */
@Timeout(120)
final class WireLimitsTest {

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    /** A daemon, its kubelet, and the socket that it serves. */
    private record Wire(LocalKubelet kubelet, DaemonProcess daemon, Path socket) {

        /** The daemon runs, and the kubelet can have a device as before. */
        void assertGoesOn() throws Exception {
            daemon.awaitRest();
            assertThat(daemon.end()).isEmpty();
            kubelet.admit(PodSpec.of("pod", GOPHER, 1));
            kubelet.remove("pod");
            assertThat(daemon.end()).isEmpty();
        }
    }

    /** A daemon with so many devices, in a process with as much memory as the package gives it. */
    private Wire open(int files, int shares) throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        Path gophers = Files.createDirectories(directory.resolve("node/etc/gophers"));
        for (int i = 0; i < files; i++) {
            Files.createFile(gophers.resolve("gopher-%04d".formatted(i)));
        }
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        String shared = "shares = " + shares + "\n[class.match]";
        DaemonProcess daemon = closing.add(DaemonProcess.startSmall(
                directory,
                kubeletDir,
                TestDaemon.filesClass(GOPHER.toString(), "gophers").replace("[class.match]", shared)));
        String endpoint = kubelet.await(GOPHER, state -> state.allocatable() == files * shares, PATIENCE)
                .endpoint()
                .orElseThrow();
        Wire wire = new Wire(kubelet, daemon, kubeletDir.resolve("edgeplug").resolve(endpoint));
        wire.assertGoesOn();
        return wire;
    }

    private PluginClient dial(UnixRpc rpc, Wire wire) {
        return closing.add(PluginClient.dial(rpc, wire.socket()));
    }

    @Test
    void hundredStreamsOfFourThousandDevicesThatNobodyReads() throws Exception {
        Wire wire = open(4003, 1);
        PluginClient client = dial(closing.add(UnixRpc.open()), wire);

        for (int i = 0; i < 100; i++) {
            PluginClient.Watch ignored = client.watchWithoutReading();
        }

        wire.assertGoesOn();
    }

    @Test
    void threeStreamsOfAllSharesThatANodeLists() throws Exception {
        Wire wire = open(32, 256);
        PluginClient client = dial(closing.add(UnixRpc.open()), wire);

        for (int i = 0; i < 3; i++) {
            PluginClient.Watch ignored = client.watchWithoutReading();
        }

        wire.assertGoesOn();
    }

    @Test
    void fiveThousandStreamsOfThreeDevices() throws Exception {
        Wire wire = open(3, 1);
        UnixRpc rpc = closing.add(UnixRpc.open());

        for (int i = 0; i < 50; i++) {
            PluginClient client = dial(rpc, wire);
            for (int j = 0; j < 100; j++) {
                PluginClient.Watch ignored = client.watchWithoutReading();
            }
        }

        wire.assertGoesOn();
    }

    @Test
    void idleConnections() throws Exception {
        Wire wire = open(3, 1);
        Closing idle = closing.add(new Closing());

        for (int i = 0; i < 3800; i++) {
            SocketChannel connection = idle.add(SocketChannel.open(StandardProtocolFamily.UNIX));
            connection.connect(UnixDomainSocketAddress.of(wire.socket()));
        }

        wire.assertGoesOn();
        idle.close();
        assertThat(dial(closing.add(UnixRpc.open()), wire).options().getGetPreferredAllocationAvailable())
                .isTrue();
    }

    @Test
    void preferenceAmongOneDeviceFourHundredThousandTimes() throws Exception {
        Wire wire = open(4003, 1);
        PluginClient client = dial(closing.add(UnixRpc.open()), wire);

        StatusRuntimeException refused = catchThrowableOfType(
                StatusRuntimeException.class, () -> client.prefer(Collections.nCopies(400_000, "g1"), List.of(), 1));

        wire.assertGoesOn();
        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }

    @Test
    void preferenceForTwentyThousandContainers() throws Exception {
        Wire wire = open(3, 1);
        PluginClient client = dial(closing.add(UnixRpc.open()), wire);
        PreferredAllocationRequest request = PreferredAllocationRequest.newBuilder()
                .addAllContainerRequests(
                        Collections.nCopies(20_000, ContainerPreferredAllocationRequest.getDefaultInstance()))
                .build();

        StatusRuntimeException refused =
                catchThrowableOfType(StatusRuntimeException.class, () -> prefer(client, request));

        wire.assertGoesOn();
        assertThat(refused).as("refused").isNotNull();
        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(refused.getStatus().getDescription())
                .isEqualTo("the request is for more than 256 containers or claims");
    }

    /** As many as a kubelet may know of one resource. */
    @Test
    void preferenceAmongAllSharesIsAnswered() throws Exception {
        Wire wire = open(32, 256);
        PluginClient client = dial(closing.add(UnixRpc.open()), wire);
        List<String> all = wire.kubelet().resource(GOPHER).devices().stream()
                .map(device -> device.id())
                .toList();

        assertThat(client.prefer(all, all.subList(0, 3), 5)).hasSize(5);

        wire.assertGoesOn();
    }

    @Test
    void callerThatGivesUp() throws Exception {
        Wire wire = open(32, 256);
        PluginClient client = dial(closing.add(UnixRpc.open()), wire);
        PreferredAllocationRequest request = PreferredAllocationRequest.newBuilder()
                .addContainerRequests(ContainerPreferredAllocationRequest.newBuilder()
                        .addAllAvailableDeviceIDs(Collections.nCopies(30_000, "gopher-0000::1")))
                .build();

        for (int i = 0; i < 100; i++) {
            DevicePluginGrpc.newFutureStub(client.channel())
                    .getPreferredAllocation(request)
                    .cancel(true);
            assertThat(client.options().getGetPreferredAllocationAvailable()).isTrue();
        }

        wire.assertGoesOn();
    }

    /** Whoever can replace {@code kubelet.sock} can answer anything. */
    @Test
    void kubeletThatAnswersARegistrationWithMegabytes() throws Exception {
        UnknownFieldSet.Builder fields = UnknownFieldSet.newBuilder();
        for (int i = 2000; i < 600_000; i++) {
            fields.mergeVarintField(i, 1);
        }
        Empty large = Empty.newBuilder().setUnknownFields(fields.build()).build();
        Path kubeletDir = directory.resolve("device-plugins");
        Path ignored = Files.createFile(
                Files.createDirectories(directory.resolve("node/etc/gophers")).resolve("g1"));
        RoughKubelet rough = closing.add(RoughKubelet.open(kubeletDir, (kubelet, request, plugin) -> {
            plugin.onNext(large);
            plugin.onCompleted();
        }));

        DaemonProcess daemon = closing.add(
                DaemonProcess.startSmall(directory, kubeletDir, TestDaemon.filesClass(GOPHER.toString(), "gophers")));

        rough.registrations().awaitCount(2);
        assertThat(daemon.end()).isEmpty();
    }

    private static PreferredAllocationResponse prefer(PluginClient client, PreferredAllocationRequest request) {
        return DevicePluginGrpc.newBlockingStub(client.channel())
                .withDeadlineAfter(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .getPreferredAllocation(request);
    }
}
