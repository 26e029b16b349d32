package io.edgeplug.system.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.edgeplug.proto.v1beta1.Empty;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether a server does anything with a call. */
@Timeout(60)
final class UnixRpcTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(300);

    @TempDir
    private Path directory = Path.of("");

    /** Blocks the loop that it is called on, which nothing may. */
    private static final class Blocking extends DevicePluginGrpc.DevicePluginImplBase {

        private final CountDownLatch blocked = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);

        @Override
        public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> answer) {
            blocked.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            answer.onCompleted();
        }
    }

    @Test
    void serverAnswersUnlessItsLoopIsBlocked() throws Exception {
        Path socket = directory.resolve("s");
        Blocking blocking = new Blocking();
        try (UnixRpc rpc = UnixRpc.open();
                UnixRpc other = UnixRpc.open()) {
            Server server = rpc.serve(socket, blocking);
            ManagedChannel caller = other.dial(socket);
            assertThat(rpc.answers(socket, PATIENCE)).isTrue();

            Future<DevicePluginOptions> ignored =
                    DevicePluginGrpc.newFutureStub(caller).getDevicePluginOptions(Empty.getDefaultInstance());
            blocking.blocked.await();
            assertThat(rpc.answers(socket, SHORT)).isFalse();
            assertThat(other.answers(socket, SHORT)).isFalse();

            blocking.end.countDown();
            assertThat(rpc.answers(socket, PATIENCE)).isTrue();
            caller.shutdownNow();
            server.shutdownNow().awaitTermination();
        }
    }

    /** Answers on a thread of its own, when it is told to. */
    private static final class Late extends DevicePluginGrpc.DevicePluginImplBase {

        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);
        private final CompletableFuture<Void> answered = new CompletableFuture<>();

        @Override
        public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> answer) {
            Thread.ofPlatform().daemon().start(() -> answerAtTheEnd(answer));
            asked.countDown();
        }

        private void answerAtTheEnd(StreamObserver<DevicePluginOptions> answer) {
            try {
                end.await();
                answer.onNext(DevicePluginOptions.getDefaultInstance());
                answer.onCompleted();
                answered.complete(null);
            } catch (InterruptedException | RuntimeException e) {
                answered.completeExceptionally(e);
            }
        }
    }

    /** Such a thread would end the whole daemon with an error, just as it stops. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void answerThatComesOnceTheLoopHasEndedIsDropped(boolean isServerShutDown) throws Exception {
        Path socket = directory.resolve("s");
        Late late = new Late();
        try (UnixRpc other = UnixRpc.open()) {
            UnixRpc rpc = UnixRpc.open();
            Server server = rpc.serve(socket, late);
            ManagedChannel caller = other.dial(socket);
            Future<DevicePluginOptions> ignored =
                    DevicePluginGrpc.newFutureStub(caller).getDevicePluginOptions(Empty.getDefaultInstance());
            late.asked.await();
            if (isServerShutDown) {
                server.shutdownNow().awaitTermination();
            }
            rpc.close();

            late.end.countDown();

            assertThat(late.answered).succeedsWithin(PATIENCE);
            caller.shutdownNow();
        }
    }

    @Test
    void hangingUpIsAnAnswer() throws Exception {
        Path socket = directory.resolve("s");
        try (UnixRpc rpc = UnixRpc.open();
                ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    server.accept().close();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });

            assertThat(rpc.answers(socket, PATIENCE)).isTrue();
        }
    }

    @Test
    void socketThatNobodyListensOnDoesNotAnswer() throws Exception {
        Path socket = directory.resolve("s");
        try (UnixRpc rpc = UnixRpc.open()) {
            assertThat(rpc.answers(socket, PATIENCE)).isFalse();
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(socket));
            server.close();

            assertThat(socket).exists();
            assertThat(rpc.answers(socket, PATIENCE)).isFalse();
        }
    }
}
