package io.edgeplug.system.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.system.files.NeedsRoot;
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
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PeerCheckTest {

    private static final int NOBODY = 65534;
    private static final boolean IS_ARM = System.getProperty("os.arch").equals("aarch64");
    private static final long SYS_SETGROUPS = IS_ARM ? 159 : 116;
    private static final long SYS_SETRESUID = IS_ARM ? 147 : 117;

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
    @NeedsRoot("acts as another user")
    void otherUserIsDeniedEvenWhereTheSocketIsOpenToAll() throws Exception {
        Path socket = directory.resolve("a.sock");
        EventLoopGroup nobody = nobodys();
        try (UnixRpc rpc = UnixRpc.open()) {
            Server server = rpc.serve(socket, new Options());
            openToAll(socket);
            ManagedChannel channel = dial(nobody, socket);

            assertThatThrownBy(() -> options(channel))
                    .isInstanceOf(StatusRuntimeException.class)
                    .satisfies(
                            e -> assertThat(Status.fromThrowable(e).getCode()).isEqualTo(Status.Code.UNAVAILABLE));

            channel.shutdownNow();
            server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        } finally {
            nobody.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        }
    }

    /** Anyone on the node may connect as often as he likes, and the log is for others. */
    @Test
    @NeedsRoot("acts as another user")
    void otherUserWhoTriesAgainAndAgainIsToldOfAFewTimes() throws Exception {
        Path socket = directory.resolve("a.sock");
        List<String> warnings = new CopyOnWriteArrayList<>();
        Handler log = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                warnings.add(entry.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(PeerCheck.class.getName());
        logger.addHandler(log);
        logger.setLevel(Level.WARNING);
        EventLoopGroup nobody = nobodys();
        try (UnixRpc rpc = UnixRpc.open()) {
            Server server = rpc.serve(socket, new Options());
            openToAll(socket);
            for (int i = 0; i < 100; i++) {
                ManagedChannel channel = dial(nobody, socket);
                assertThatThrownBy(() -> options(channel)).isInstanceOf(StatusRuntimeException.class);
                channel.shutdownNow();
            }
            server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        } finally {
            logger.removeHandler(log);
            logger.setLevel(null);
            nobody.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        }

        assertThat(warnings).hasSizeBetween(1, 10).allMatch(line -> line.contains("uid " + NOBODY));
    }

    /** A member has the group beside its own, and not as its own. */
    @Test
    @NeedsRoot("acts as another user")
    void memberOfTheGroupMayCallAndOthersMayNot() throws Exception {
        OptionalInt group = GroupCallers.gid(Path.of("/etc/group"), "users");
        assumeThat(group).as("a group of this machine").isPresent();
        Path socket = directory.resolve("a.sock");
        EventLoopGroup member = nobodys(group.getAsInt());
        EventLoopGroup other = nobodys(NOBODY);
        try (UnixRpc rpc = UnixRpc.openToGroup("grouped", "users")) {
            Server server = rpc.serve(socket, new Options());
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            ManagedChannel ofMember = dial(member, socket);
            ManagedChannel ofOther = dial(other, socket);

            assertThat(options(ofMember)).isEqualTo(DevicePluginOptions.getDefaultInstance());
            assertThatThrownBy(() -> options(ofOther)).isInstanceOf(StatusRuntimeException.class);

            ofMember.shutdownNow();
            ofOther.shutdownNow();
            server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        } finally {
            member.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
            other.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        }
    }

    @Test
    void groupIsFoundByItsNameAndIsNeverThatOfRoot() throws IOException {
        Path groups = Files.writeString(directory.resolve("group"), """
                root:x:0:
                edgeplugs:x:7:
                edgeplug:x:997:alice,bob
                broken
                """);

        assertThat(GroupCallers.gid(groups, "edgeplug")).hasValue(997);
        assertThat(GroupCallers.gid(groups, "root")).isEmpty();
        assertThat(GroupCallers.gid(groups, "broken")).isEmpty();
        assertThat(GroupCallers.gid(directory.resolve("none"), "edgeplug")).isEmpty();
    }

    @Test
    void groupIsFoundBesideANameThatIsNotUtf8() throws IOException {
        Path groups = Files.write(directory.resolve("group"), new byte[] {(byte) 0xE9, ':', 'x', ':', '7', ':', '\n'});
        Files.writeString(groups, "edgeplug:x:997:\n", StandardOpenOption.APPEND);

        assertThat(GroupCallers.gid(groups, "edgeplug")).hasValue(997);
    }

    private static EventLoopGroup nobodys() {
        return nobodys(NOBODY);
    }

    private static EventLoopGroup nobodys(int group) {
        ThreadFactory threads = task -> new Thread(() -> {
            becomeNobody(group);
            task.run();
        });
        return new MultiThreadIoEventLoopGroup(1, threads, EpollIoHandler.newFactory());
    }

    private void openToAll(Path socket) throws IOException {
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static ManagedChannel dial(EventLoopGroup loop, Path socket) {
        return NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .channelType(EpollDomainSocketChannel.class)
                .eventLoopGroup(loop)
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .usePlaintext()
                .build();
    }

    private static DevicePluginOptions options(ManagedChannel channel) {
        return DevicePluginGrpc.newBlockingStub(channel)
                .withDeadlineAfter(10, TimeUnit.SECONDS)
                .getDevicePluginOptions(Empty.getDefaultInstance());
    }

    /** By the bare system call, since the C library's function changes all threads. */
    @SuppressWarnings("restricted") // that is the point
    private static void becomeNobody(int group) {
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
        try (Arena memory = Arena.ofConfined()) {
            long groups = memory.allocateFrom(ValueLayout.JAVA_INT, group).address();
            long ofGroups = (long) syscall.invokeExact(SYS_SETGROUPS, 1L, groups, 0L);
            assertThat(ofGroups).isZero();
            long result = (long) syscall.invokeExact(SYS_SETRESUID, -1L, (long) NOBODY, -1L);
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
