package io.edgeplug.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.edgeplug.proto.v1beta1.Empty;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PeerCheckTest {

    private static final int NOBODY = 65534;
    private static final long SYS_SETRESUID_X86_64 = 117;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void ownUserMayCallAndTheSocketIsClosedToOthers() throws Exception {
        Path socket = directory.resolve("a.sock");
        try (UnixRpc rpc = UnixRpc.open()) {
            Server server = rpc.serve(socket, new Options());
            ManagedChannel channel = rpc.dial(socket);

            assertThat(options(channel)).isEqualTo(DevicePluginOptions.getDefaultInstance());
            assertThat(Files.getPosixFilePermissions(socket)).isEqualTo(PosixFilePermissions.fromString("rw-------"));

            channel.shutdownNow();
            server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        }
    }

    /** The kernel keeps a user for each thread, so a client's event loop can be another's. */
    @Test
    void otherUserIsDeniedEvenWhereTheSocketIsOpenToAll() throws Exception {
        assumeThat(System.getProperty("user.name"))
                .as("only root can be somebody else")
                .isEqualTo("root");
        assumeThat(System.getProperty("os.arch")).as("the number of setresuid").isEqualTo("amd64");
        Path socket = directory.resolve("a.sock");
        ThreadFactory nobodys = task -> new Thread(() -> {
            becomeNobody();
            task.run();
        });
        EventLoopGroup nobody = new MultiThreadIoEventLoopGroup(1, nobodys, EpollIoHandler.newFactory());
        try (UnixRpc rpc = UnixRpc.open()) {
            Server server = rpc.serve(socket, new Options());
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            ManagedChannel channel = NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                    .channelType(EpollDomainSocketChannel.class)
                    .eventLoopGroup(nobody)
                    .withOption(ChannelOption.SO_KEEPALIVE, null)
                    .usePlaintext()
                    .build();

            assertThatThrownBy(() -> options(channel))
                    .isInstanceOf(StatusRuntimeException.class)
                    .satisfies(e ->
                            assertThat(Status.fromThrowable(e).getCode()).isEqualTo(Status.Code.PERMISSION_DENIED));

            channel.shutdownNow();
            server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        } finally {
            nobody.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        }
    }

    private static DevicePluginOptions options(ManagedChannel channel) {
        return DevicePluginGrpc.newBlockingStub(channel)
                .withDeadlineAfter(10, TimeUnit.SECONDS)
                .getDevicePluginOptions(Empty.getDefaultInstance());
    }

    /** By the bare system call, since the C library's function changes all threads. */
    @SuppressWarnings("restricted") // that is the point
    private static void becomeNobody() {
        Linker linker = Linker.nativeLinker();
        MethodHandle syscall = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG),
                Linker.Option.firstVariadicArg(1));
        try {
            long result = (long) syscall.invokeExact(SYS_SETRESUID_X86_64, -1L, (long) NOBODY, -1L);
            assertThat(result).isZero();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static final class Options extends DevicePluginGrpc.DevicePluginImplBase {
        @Override
        public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> answer) {
            answer.onNext(DevicePluginOptions.getDefaultInstance());
            answer.onCompleted();
        }
    }
}
