package io.edgeplug.api.status;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.proto.status.GetRequest;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.NodeStatusGrpc;
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
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who may call, and how many at a time. */
@Timeout(60)
final class StatusCallersTest extends OnStatusSocket {

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
        assertThatThrownBy(() -> new StatusSocket(path, daemon.view(), daemon.monitor, history))
                .hasMessage("another process serves it");

        assertThat(stub().get(GetRequest.getDefaultInstance()).getVersion()).isEqualTo("edgeplug 1");
    }

    @Test
    void everybodyCanReachTheSocketAndTheKernelTellsWhoDoes() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-rw-rw-");
    }
}
