package io.edgeplug.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.google.protobuf.ByteString;
import io.edgeplug.SmallHeap;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.pods.HeldDevices.Holding;
import io.edgeplug.pods.PodNames.Holder;
import io.edgeplug.proto.podresources.ContainerDevices;
import io.edgeplug.proto.podresources.ContainerResources;
import io.edgeplug.proto.podresources.ListPodResourcesRequest;
import io.edgeplug.proto.podresources.ListPodResourcesResponse;
import io.edgeplug.proto.podresources.PodResources;
import io.edgeplug.proto.podresources.PodResourcesListerGrpc;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a daemon that asks a kubelet which has no pod-resources, or a server that is no kubelet. */
@Timeout(120)
final class PodSocketsTest {

    private static final Holding VF = new Holding("uid", "main", "example.com/vf", "0000:3b:01.0");
    private static final Duration SOON = Duration.ofMillis(300);

    @TempDir
    private Path root = Path.of("");

    private final UnixRpc rpc;

    PodSocketsTest() throws IOException {
        rpc = UnixRpc.open();
    }

    @AfterEach
    void close() {
        rpc.close();
    }

    private Path socket() throws IOException {
        return Files.createDirectories(root.resolve("pod-resources")).resolve("kubelet.sock");
    }

    private static int descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return (int) open.count();
        }
    }

    private static ListPodResourcesResponse list(int pods, int padding) {
        ListPodResourcesResponse.Builder list = ListPodResourcesResponse.newBuilder();
        for (int i = 0; i < pods; i++) {
            list.addPodResources(PodResources.newBuilder()
                    .setName("dpdk-" + i)
                    .setNamespace("edge")
                    .addContainers(ContainerResources.newBuilder()
                            .setName("main")
                            .addDevices(ContainerDevices.newBuilder()
                                    .setResourceName(VF.resource())
                                    .addDeviceIds(i == 0 ? VF.id() : "other-" + i))
                            .addDevices(ContainerDevices.newBuilder()
                                    .setResourceName("other.com/gpu")
                                    .addDeviceIds("x".repeat(padding)))));
        }
        return list.build();
    }

    private static PodResourcesListerGrpc.PodResourcesListerImplBase answering(
            Consumer<StreamObserver<ListPodResourcesResponse>> answer) {
        return new PodResourcesListerGrpc.PodResourcesListerImplBase() {
            @Override
            public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> caller) {
                answer.accept(caller);
            }
        };
    }

    private static void answer(StreamObserver<ListPodResourcesResponse> caller, ListPodResourcesResponse list) {
        caller.onNext(list);
        caller.onCompleted();
    }

    /** Accepts, sends these bytes if there are any, and says nothing more. */
    private ServerSocketChannel serveBytes(byte[] bytes, List<SocketChannel> accepted) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket()));
        Thread.startVirtualThread(() -> {
            try {
                while (true) {
                    SocketChannel client = server.accept();
                    accepted.add(client);
                    client.write(ByteBuffer.wrap(bytes));
                }
            } catch (IOException e) {
                return;
            }
        });
        return server;
    }

    /** Asks twice, and expects one line of log and no more descriptors. */
    private String complaint() throws Exception {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        Logger logger = Logger.getLogger(PodResourcesClient.class.getName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.setLevel(Level.INFO);
        logger.addHandler(handler);
        try {
            PodResourcesClient client = new PodResourcesClient(rpc, root, VF.resource()::equals, SOON);
            assertThat(client.ask()).isEmpty();
            assertThat(client.ask()).isEmpty();
        } finally {
            logger.removeHandler(handler);
            logger.setLevel(null);
        }
        assertThat(lines).hasSize(1);
        return lines.getFirst().replace(root.toString(), "ROOT");
    }

    @Test
    void podThatHoldsADeviceIsKnownByName() throws Exception {
        Server server = rpc.serve(socket(), answering(caller -> answer(caller, list(3, 5))));
        try {
            PodNames names = PodNames.read(rpc, root, VF.resource()::equals);

            assertThat(names.of(VF)).contains(new Holder("edge", "dpdk-0", "main"));
            assertThat(names.of(new Holding("uid", "init", VF.resource(), VF.id())))
                    .contains(new Holder("edge", "dpdk-0", "init"));
            assertThat(names.of(new Holding("uid", "main", VF.resource(), "free")))
                    .isEmpty();
            assertThat(names.of(new Holding("uid", "main", "other.com/gpu", "xxxxx")))
                    .isEmpty();
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    @Test
    void missingSocketIsToldOnce() throws Exception {
        int before = descriptors();
        assertThat(complaint())
                .isEqualTo("ROOT/pod-resources/kubelet.sock: no such file; " + "pods are known by their UIDs only");
        assertThat(descriptors()).isEqualTo(before);
    }

    @Test
    void socketOfADeadKubeletIsToldOnce() throws Exception {
        try (ServerSocketChannel ignored = serveBytes(new byte[0], new ArrayList<>())) {
            assertThat(socket()).exists();
        }
        assertThat(complaint()).contains("kubelet.sock: cannot connect: Connection refused; ");
    }

    @Test
    void garbageIsToldOnce() throws Exception {
        List<SocketChannel> accepted = Collections.synchronizedList(new ArrayList<>());
        try (ServerSocketChannel ignored =
                serveBytes("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII), accepted)) {
            assertThat(complaint()).contains("hung up without an answer");
            for (SocketChannel one : accepted) {
                // ends only if the client has closed its end
                ByteBuffer any = ByteBuffer.allocate(1 << 16);
                while (one.read(any.clear()) >= 0) {}
                one.close();
            }
        }
    }

    @Test
    void serverThatAcceptsAndNeverAnswersIsToldOnce() throws Exception {
        List<SocketChannel> accepted = Collections.synchronizedList(new ArrayList<>());
        try (ServerSocketChannel ignored = serveBytes(new byte[0], accepted)) {
            assertThat(complaint()).contains("does not answer in time");
            for (SocketChannel one : accepted) {
                ByteBuffer any = ByteBuffer.allocate(1 << 16);
                while (one.read(any.clear()) >= 0) {}
                one.close();
            }
        }
    }

    @Test
    void refusalIsToldOnceWithItsReason() throws Exception {
        Server server = rpc.serve(
                socket(),
                answering(caller -> caller.onError(Status.RESOURCE_EXHAUSTED
                        .withDescription("rejected by rate limit")
                        .asRuntimeException())));
        try {
            assertThat(complaint()).contains("RESOURCE_EXHAUSTED: rejected by rate limit");
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    @Test
    void kubeletThatHasNoSuchMethodIsToldOnce() throws Exception {
        Server server = rpc.serve(socket(), new PodResourcesListerGrpc.PodResourcesListerImplBase() {});
        try {
            assertThat(complaint()).contains("UNIMPLEMENTED");
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    @Test
    void answerOfMoreThan16MibIsRefused() throws Exception {
        Server server = rpc.serve(socket(), answering(caller -> answer(caller, list(17, 1 << 20))));
        try {
            assertThatIOException()
                    .isThrownBy(() -> PodNames.read(rpc, root, VF.resource()::equals))
                    .withMessageEndingWith("answers with more than 16 MiB");
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    @Test
    void listOfWhatAreNoPodsIsRefused() throws Exception {
        Server server = rpc.serve(
                socket(),
                answering(caller -> answer(
                        caller,
                        ListPodResourcesResponse.newBuilder()
                                .setUnknownFields(com.google.protobuf.UnknownFieldSet.newBuilder()
                                        .addField(
                                                1,
                                                com.google.protobuf.UnknownFieldSet.Field.newBuilder()
                                                        .addLengthDelimited(ByteString.copyFromUtf8("\u0007garbage"))
                                                        .build())
                                        .build())
                                .build())));
        try {
            assertThatIOException()
                    .isThrownBy(() -> PodNames.read(rpc, root, VF.resource()::equals))
                    .withMessageEndingWith("does not answer as a kubelet does");
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    @Test
    void answerOf12MibIsReadInTheDaemonsHeapTenTimes() throws Exception {
        ListPodResourcesResponse list = list(120, 100_000);
        assertThat(list.getSerializedSize()).isGreaterThan(11 << 20);
        Server server = rpc.serve(socket(), answering(caller -> answer(caller, list)));
        try {
            SmallHeap.End end = SmallHeap.run(Reader.class, root.toString());
            assertThat(end.output()).isEqualToIgnoringWhitespace("edge/dpdk-0 (main)");
            assertThat(end.exit()).isZero();
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    /** A daemon's heap, of which half is in use. */
    static final class Reader {

        private Reader() {}

        public static void main(String[] args) throws Exception {
            byte[] inUse = new byte[14 << 20];
            try (UnixRpc rpc = UnixRpc.open()) {
                Optional<Holder> holder = Optional.empty();
                for (int i = 0; i < 10; i++) {
                    holder = PodNames.read(rpc, Path.of(args[0]), VF.resource()::equals)
                            .of(VF);
                }
                System.out.println(holder.orElseThrow());
            }
            if (inUse.length == 0) {
                throw new IllegalStateException();
            }
        }
    }
}
