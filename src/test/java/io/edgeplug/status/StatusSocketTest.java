package io.edgeplug.status;

import static io.edgeplug.kubelet.TestDaemon.NODE0;
import static io.edgeplug.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.device.PciAddress;
import io.edgeplug.kubelet.Closing;
import io.edgeplug.kubelet.TestDaemon;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.localkubelet.KubeletOptions;
import io.edgeplug.localkubelet.LocalKubelet;
import io.edgeplug.localkubelet.Pod;
import io.edgeplug.localkubelet.PodSpec;
import io.edgeplug.proto.status.GetRequest;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.NodeStatusGrpc;
import io.edgeplug.proto.status.NodeStatusGrpc.NodeStatusBlockingStub;
import io.edgeplug.proto.status.Resource;
import io.edgeplug.proto.status.WatchRequest;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the daemon says of itself to whoever asks, once or all the time. */
@Timeout(60)
final class StatusSocketTest {

    @TempDir
    private Path directory = Path.of("");

    /** Held, since a logger that nobody holds forgets its level; the tests' own is silent. */
    private static final Logger OURS = Logger.getLogger("io.edgeplug");

    private final Closing closing = new Closing();
    private TestDaemon daemon;
    private LocalKubelet kubelet;
    private StatusSocket socket;
    private UnixRpc rpc;
    private Path path = Path.of("");

    @BeforeEach
    void open() throws Exception {
        OURS.setLevel(Level.INFO);
        OURS.setUseParentHandlers(false);
        Path kubeletDir = directory.resolve("device-plugins");
        kubelet = closing.add(LocalKubelet.open(kubeletDir, KubeletOptions.DEFAULTS.withRoot(directory), event -> {}));
        daemon = closing.add(TestDaemon.open(directory, kubeletDir));
        path = directory.resolve("s.sock");
        // what a daemon that was killed has left
        Files.writeString(path, "");
        socket = closing.add(StatusSocket.open(path, daemon.view(), daemon.monitor, "edgeplug 1"));
        rpc = closing.add(UnixRpc.open());
        kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
    }

    @AfterEach
    void close() throws Exception {
        closing.close();
        OURS.setLevel(null);
        OURS.setUseParentHandlers(true);
    }

    @Test
    void whoeverAsksIsToldOfResourcesHoldersProblemsAndEvents() throws Exception {
        Pod pod = kubelet.admit(PodSpec.of("dpdk", NODE0, 1).in("edge"));
        String given = pod.container("main").devices(NODE0).getFirst();
        kubelet.startContainer("dpdk", "main");
        daemon.node.pull(PciAddress.parse(given).orElseThrow());
        kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);

        // the name comes after the notes
        Node node = await(
                one -> !one.getHeldList().isEmpty() && !one.getHeld(0).getPod().isEmpty());

        assertThat(node.getVersion()).isEqualTo("edgeplug 1");
        assertThat(node.getHasKubelet()).isTrue();
        Resource resource = resource(node);
        assertThat(resource.getRegistered()).isTrue();
        assertThat(resource.getTotal()).isEqualTo(2);
        assertThat(resource.getUnhealthy()).isEqualTo(1);
        assertThat(node.getHeldList()).singleElement().satisfies(held -> {
            assertThat(held.getDevice()).isEqualTo(given);
            assertThat(held.getNamespace()).isEqualTo("edge");
            assertThat(held.getPod()).isEqualTo("dpdk");
            assertThat(held.getContainer()).isEqualTo("main");
        });
        assertThat(node.getEventsList())
                .anyMatch(event -> event.getWarning() && event.getText().contains("is gone"));
        assertThat(node.getProblemsList())
                .singleElement()
                .satisfies(problem -> assertThat(problem.getSince()).isPositive());
    }

    @Test
    void whoeverWatchesIsToldOfEachChange() throws Exception {
        Iterator<Node> answers = stub().watch(WatchRequest.getDefaultInstance());
        await(answers, node -> resource(node).getFree() == 2);

        daemon.node.pull(VF0);
        await(answers, node -> resource(node).getTotal() == 1);

        kubelet.admit(PodSpec.of("pod", NODE0, 1));
        socket.wake();
        await(answers, node -> resource(node).getHeld() == 1);
    }

    @Test
    void watchersBeyondTheLimitAreToldSoAndThoseWhoGoMakeRoom() throws Exception {
        List<ManagedChannel> channels = new ArrayList<>();
        for (int i = 0; i < StatusBoard.MAX_WATCHERS; i++) {
            ManagedChannel channel = rpc.dial(path);
            channels.add(channel);
            assertThat(watch(channel).hasNext()).isTrue();
        }
        ManagedChannel late = rpc.dial(path);
        assertThatThrownBy(() -> watch(late).hasNext())
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageContaining("is watched 100 times already");

        channels.forEach(ManagedChannel::shutdownNow);

        long end = System.nanoTime() + PATIENCE.toNanos();
        boolean isLetIn = false;
        while (!isLetIn && System.nanoTime() < end) {
            try {
                isLetIn = watch(late).hasNext();
            } catch (StatusRuntimeException e) {
                assertThat(e).hasMessageContaining("times already");
            }
        }
        assertThat(isLetIn).isTrue();
        late.shutdownNow();
    }

    @Test
    void whoeverAsksIsAnsweredHoweverManyDoNotReadTheirAnswers() throws Exception {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        closing.add(() -> loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync());
        List<ManagedChannel> deaf = new ArrayList<>();
        // twice as many calls as there is room for
        CountDownLatch hungUp = new CountDownLatch(Askers.MAX / 4);
        for (int i = 0; i < Askers.MAX / 2; i++) {
            deaf.add(deafAsker(loop, 4));
            noteEnd(deaf.getLast(), false, hungUp);
        }

        // whoever comes while none of the others is answered yet is refused, and none of them hung up on
        long end = System.nanoTime() + 3 * PATIENCE.toNanos();
        while (!hungUp.await(200, TimeUnit.MILLISECONDS)) {
            assertThat(System.nanoTime())
                    .as("%s callers are not hung up on", hungUp.getCount())
                    .isLessThan(end);
            deaf.add(deafAsker(loop, 4));
            noteEnd(deaf.getLast(), false, hungUp);
        }
        for (int i = 0; i < 2 * Askers.MAX; i++) {
            assertThat(stub().get(GetRequest.getDefaultInstance()).getVersion()).isEqualTo("edgeplug 1");
        }
        deaf.forEach(ManagedChannel::shutdownNow);
    }

    /** Has so many calls on one connection, which has room for one byte of an answer. */
    private ManagedChannel deafAsker(EventLoopGroup loop, int calls) {
        ManagedChannel channel = NettyChannelBuilder.forAddress(new DomainSocketAddress(path.toFile()))
                .eventLoopGroup(loop)
                .channelType(EpollDomainSocketChannel.class)
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .flowControlWindow(1)
                .usePlaintext()
                .build();
        for (int i = 0; i < calls; i++) {
            ClientCall<GetRequest, Node> call = channel.newCall(NodeStatusGrpc.getGetMethod(), CallOptions.DEFAULT);
            call.start(new ClientCall.Listener<>() {}, new Metadata());
            call.sendMessage(GetRequest.getDefaultInstance());
            call.halfClose();
        }
        return channel;
    }

    /** Counts down once the connection that it has is closed. */
    private static void noteEnd(ManagedChannel channel, boolean wasConnected, CountDownLatch ended) {
        ConnectivityState now = channel.getState(false);
        boolean isConnected = now == ConnectivityState.READY;
        if (wasConnected && !isConnected) {
            ended.countDown();
        } else {
            channel.notifyWhenStateChanged(now, () -> noteEnd(channel, isConnected, ended));
        }
    }

    @Test
    void socketThatAnotherDaemonServesIsLeftAlone() {
        assertThatThrownBy(() -> StatusSocket.open(path, daemon.view(), daemon.monitor, "edgeplug 2"))
                .hasMessage("another process serves it");

        assertThat(stub().get(GetRequest.getDefaultInstance()).getVersion()).isEqualTo("edgeplug 1");
    }

    @Test
    void everybodyCanReachTheSocketAndTheKernelTellsWhoDoes() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-rw-rw-");
    }

    private static Iterator<Node> watch(ManagedChannel channel) {
        return NodeStatusGrpc.newBlockingStub(channel)
                .withDeadlineAfter(PATIENCE.toSeconds() * 3, TimeUnit.SECONDS)
                .watch(WatchRequest.getDefaultInstance());
    }

    private NodeStatusBlockingStub stub() {
        ManagedChannel channel = rpc.dial(path);
        closing.add(channel::shutdownNow);
        return NodeStatusGrpc.newBlockingStub(channel).withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static Resource resource(Node node) {
        return node.getResourcesList().stream()
                .filter(one -> one.getName().equals(NODE0.toString()))
                .findFirst()
                .orElseThrow();
    }

    private Node await(Predicate<Node> wanted) {
        NodeStatusBlockingStub stub = stub();
        Node node = stub.get(GetRequest.getDefaultInstance());
        while (!wanted.test(node)) {
            node = stub.get(GetRequest.getDefaultInstance());
        }
        return node;
    }

    /** The deadline of the call is that of the wait. */
    private static void await(Iterator<Node> answers, Predicate<Node> wanted) {
        Node node = answers.next();
        while (!wanted.test(node)) {
            node = answers.next();
        }
    }
}
