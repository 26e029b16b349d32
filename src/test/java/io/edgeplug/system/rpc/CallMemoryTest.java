package io.edgeplug.system.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.edgeplug.PackageJvm;
import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.AllocateResponse;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.edgeplug.proto.v1beta1.ContainerPreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.ContainerPreferredAllocationResponse;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.proto.v1beta1.PreStartContainerRequest;
import io.edgeplug.proto.v1beta1.PreStartContainerResponse;
import io.edgeplug.proto.v1beta1.PreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.PreferredAllocationResponse;
import io.grpc.Attributes;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that stay and floods of small frames, for a server with the heap of the package, which then answers a call. */
@Timeout(120)
final class CallMemoryTest {

    private static final int WINDOW = 65_535;

    /** A server that reads at all reads within this time. */
    private static final int PATIENCE_MILLIS = 300;

    /** See RFC 9113, 6.5.2. */
    private static final int HEADER_TABLE_SIZE = 1;

    private static final String PLUGIN = "v1beta1.DevicePlugin/";

    private final Path directory;
    private final UnixRpc rpc;
    private final Process server;
    private final List<RawCalls> connections = new ArrayList<>();

    CallMemoryTest(@TempDir Path directory) throws IOException {
        this.directory = directory;
        rpc = UnixRpc.open();
        server = PackageJvm.start(Servers.class, directory.toString());
        assertThat(server.inputReader().readLine()).isEqualTo("serving");
    }

    /** Serves until it is killed, or a thread ends with an error as in the daemon. */
    static final class Servers extends DevicePluginGrpc.DevicePluginImplBase {

        private Servers() {}

        public static void main(String[] args) throws Exception {
            Thread.setDefaultUncaughtExceptionHandler(
                    (thread, bug) -> Runtime.getRuntime().halt(70));
            Path in = Path.of(args[0]);
            Server ignored = UnixRpc.open().serve(in.resolve("plugin.sock"), new Servers());
            ignored = UnixRpc.openToGroup("status", "edgeplug").serve(in.resolve("status.sock"), new Servers());
            System.out.println("serving");
            new CountDownLatch(1).await();
        }

        @Override
        public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> answer) {
            answer.onNext(AllocateResponse.getDefaultInstance());
            answer.onCompleted();
        }

        /** A slow step: the thread keeps the request. */
        @Override
        public void preStartContainer(
                PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> answer) {
            Thread ignored = Thread.ofVirtual().start(() -> {
                try {
                    Thread.sleep(1_000_000);
                } catch (InterruptedException e) {
                    answer.onError(
                            Status.INTERNAL.withDescription(request.toString()).asRuntimeException());
                }
            });
        }

        @Override
        public void getPreferredAllocation(
                PreferredAllocationRequest request, StreamObserver<PreferredAllocationResponse> answer) {
            answer.onNext(PreferredAllocationResponse.newBuilder()
                    .addContainerResponses(ContainerPreferredAllocationResponse.newBuilder()
                            .addAllDeviceIDs(request.getContainerRequests(0).getAvailableDeviceIDsList()))
                    .build());
            answer.onCompleted();
        }
    }

    @AfterEach
    void close() throws IOException {
        for (RawCalls connection : connections) {
            connection.close();
        }
        rpc.close();
        Process ignored = server.destroyForcibly();
    }

    private RawCalls connect(String socket, int window) throws IOException {
        RawCalls connection = new RawCalls(directory.resolve(socket), window);
        connections.add(connection);
        return connection;
    }

    /** However much of a request has come, what has come counts, with the frames that it came in. */
    @ParameterizedTest
    @ValueSource(ints = {1, 16_384})
    void piecesOfARequestThatNeverEndsAreCounted(int piece) {
        int most = 1 << 20;
        ServerStreamTracer call = new CallMemory(most).newServerStreamTracer(PLUGIN + "Allocate", new Metadata());
        call.serverCallStarted(new Info());
        int pieces = most / (piece + 128);

        for (int i = 0; i < pieces; i++) {
            call.inboundWireSize(piece);
        }
        assertThatExceptionOfType(StatusRuntimeException.class)
                .isThrownBy(() -> call.inboundWireSize(piece))
                .withMessageStartingWith("RESOURCE_EXHAUSTED");
    }

    /** A call of a caller on a connection of its own. */
    private static final class Info extends ServerStreamTracer.ServerCallInfo<AllocateRequest, AllocateResponse> {

        @Override
        public MethodDescriptor<AllocateRequest, AllocateResponse> getMethodDescriptor() {
            return DevicePluginGrpc.getAllocateMethod();
        }

        @Override
        public Attributes getAttributes() {
            return Attributes.newBuilder()
                    .set(PeerCheck.PEER, new RpcCaller(1, 0, () -> {}))
                    .build();
        }

        @Override
        public String getAuthority() {
            return "localhost";
        }
    }

    /** A table with all headers that were sent, as large as the other end says. */
    @Test
    void refusalsAreNotRememberedForWhoeverAsksForThat() throws Exception {
        RawCalls calls = connect("status.sock", WINDOW).set(HEADER_TABLE_SIZE, -1);
        for (int stream = 1; stream < 20_000; stream += 2) {
            calls.call(stream, "none/%07000d".formatted(stream)).message(stream, new byte[0]);
            if (stream % 32 == 1) {
                calls.send();
                calls.awaitHeaders(stream);
                assertThat(server.isAlive()).as("after " + stream).isTrue();
            }
        }
        assertAllocates("status.sock");
    }

    /** The changes are told with the next headers, and until then they are kept. */
    @Test
    void settingsWithoutEndAreRefused() throws Exception {
        RawCalls calls = connect("status.sock", WINDOW);
        boolean isOpen = true;
        for (int round = 0; isOpen && round < 100; round++) {
            for (int i = 0; i < 1500; i++) {
                calls.set(HEADER_TABLE_SIZE, -1).set(HEADER_TABLE_SIZE, 0);
            }
            calls.send();
            isOpen = calls.awaitEmpty(3000);
        }
        assertAllocates("status.sock");
        assertThat(isOpen).isFalse();
    }

    @Test
    void startsThatWaitAreCountedUntilTheyEnd() throws Exception {
        byte[] request = PreStartContainerRequest.newBuilder()
                .addAllDevicesIds(Collections.nCopies(66_000, "p0"))
                .build()
                .toByteArray();
        RawCalls calls = connect("plugin.sock", WINDOW);
        for (int stream = 1; stream < 120; stream += 4) {
            calls.call(stream, PLUGIN + "PreStartContainer").message(stream, request);
            // The answer to this one shows that the other was received.
            calls.call(stream + 2, PLUGIN + "Allocate")
                    .message(stream + 2, new byte[0])
                    .send();
            calls.awaitHeaders(stream + 2);
        }
        assertAllocates();
    }

    @Test
    void answersThatNobodyReadsAreCountedUntilTheyAreRead() throws Exception {
        byte[] request = PreferredAllocationRequest.newBuilder()
                .addContainerRequests(ContainerPreferredAllocationRequest.newBuilder()
                        .addAllAvailableDeviceIDs(IntStream.range(0, 32_768)
                                .mapToObj(i -> "%070d".formatted(i))
                                .toList())
                        .setAllocationSize(32_768))
                .build()
                .toByteArray();
        RawCalls calls = connect("plugin.sock", 0);
        for (int stream = 1; stream < 20; stream += 2) {
            calls.call(stream, PLUGIN + "GetPreferredAllocation")
                    .message(stream, request)
                    .send();
            calls.awaitHeaders(stream);
        }
        assertAllocates();
    }

    /** After what fills the socket. As many connections as there may be, but one for the call that comes after. */
    @Test
    void pingsWhoseAnswersNobodyReads() throws Exception {
        for (int i = 0; i < 15; i++) {
            RawCalls flood = connect("plugin.sock", WINDOW);
            for (int stream = 1; stream < 200; stream += 2) {
                flood.call(stream, "none/%07000d".formatted(stream)).message(stream, new byte[0]);
            }
            boolean isRead = flood.send(PATIENCE_MILLIS);
            for (int j = 0; isRead && j < 9_900; j++) {
                flood.ping();
            }
            boolean ignored = isRead && flood.send(PATIENCE_MILLIS);
        }
        assertAllocates();
    }

    /** Each has a thread that waits for hardware, and no longer counts among the calls of its connection. */
    @Test
    void startsThatAreResetGoOnInTheServer() throws Exception {
        byte[] request = PreStartContainerRequest.newBuilder()
                .addDevicesIds("p0")
                .build()
                .toByteArray();
        RawCalls flood = connect("plugin.sock", WINDOW);
        for (int stream = 1; stream < 120_000; stream += 2) {
            flood.call(stream, PLUGIN + "PreStartContainer")
                    .message(stream, request)
                    .reset(stream);
            if (stream % 512 == 1) {
                flood.send();
            }
        }
        flood.send();
        assertAllocates();
    }

    private void assertAllocates() {
        assertAllocates("plugin.sock");
    }

    private void assertAllocates(String socket) {
        ManagedChannel channel = rpc.dial(directory.resolve(socket));
        AllocateRequest request = AllocateRequest.newBuilder()
                .addContainerRequests(ContainerAllocateRequest.newBuilder().addDevicesIds("p1"))
                .build();
        try {
            assertThat(DevicePluginGrpc.newBlockingStub(channel)
                            .withDeadlineAfter(30, TimeUnit.SECONDS)
                            .allocate(request))
                    .isEqualTo(AllocateResponse.getDefaultInstance());
            assertThat(server.isAlive()).as("lives").isTrue();
        } finally {
            channel.shutdownNow();
        }
    }
}
