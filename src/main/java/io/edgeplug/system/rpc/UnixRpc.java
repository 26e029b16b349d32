package io.edgeplug.system.rpc;

import com.google.protobuf.Empty;
import io.edgeplug.system.kernel.KernelReason;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * gRPC over Unix sockets: any number of servers and channels on one epoll loop.
 *
 * <p>Calls are answered on that loop, so a service must never block in a call. Whoever opens a server or a channel
 * closes it before this.
 */
public final class UnixRpc implements AutoCloseable {

    /** The bytes of a socket's path that fit into {@code sun_path} before its final NUL; see unix(7). */
    public static final int MAX_PATH_BYTES = 107;

    private static final Logger LOG = Logger.getLogger(UnixRpc.class.getName());

    private static final long CLOSE_MILLIS = 1000;

    /** A method that no service has, so a server refuses it by itself. */
    private static final MethodDescriptor<Empty, Empty> NOBODYS = MethodDescriptor.<Empty, Empty>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("edgeplug.Pulse/Answer")
            .setRequestMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
            .setResponseMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
            .build();

    /**
     * Administrators need no warnings of netty: that there are no IP addresses, which the service may not use, or that
     * a peer has hung up. The loggers are kept in a field, because a logger that nobody holds forgets its level.
     */
    private static final List<Logger> NETTY = List.of(Logger.getLogger("io.netty"), Logger.getLogger("io.grpc.netty"));

    static {
        NETTY.forEach(logger -> logger.setLevel(Level.SEVERE));
    }

    /** A client speaks HTTP/2 as soon as it connects. */
    private static final long HANDSHAKE_SECONDS = 10;

    private final EventLoopGroup loop;
    private final Callers callers;
    private final CallerPolicy policy;

    private final CallMemory memory;
    private final int ownUid;

    private UnixRpc(EventLoopGroup loop, Callers callers, @Nullable GroupCallers group, int ownUid) {
        this.loop = loop;
        this.callers = callers;
        this.policy = group == null ? callers : group;
        this.memory = new CallMemory(policy.limits().memory());
        this.ownUid = ownUid;
    }

    /** Starts the loop. Any process of root and of this process's user may call. */
    public static UnixRpc open() throws IOException {
        return open("grpc", null, null);
    }

    /** Starts the loop. Only this process may call, and the process that listens on {@code caller}. */
    public static UnixRpc open(Path caller) throws IOException {
        return open("grpc", caller, null);
    }

    /** Starts a loop. Any process of root, of this process's user and of that group's members may call. */
    public static UnixRpc openToGroup(String loop, String group) throws IOException {
        return open(loop, null, group);
    }

    private static UnixRpc open(String name, @Nullable Path caller, @Nullable String group) throws IOException {
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
        int ownUid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, Thread.ofPlatform().name(name).daemon().factory(), EpollIoHandler.newFactory());
        // netty's loop wakes up once a second if nothing is scheduled on it.
        Future<?> ignored = loop.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.DAYS);
        Callers callers = new Callers(loop, ownUid, caller);
        return new UnixRpc(loop, callers, group == null ? null : GroupCallers.of(ownUid, group), ownUid);
    }

    /**
     * Loads the classes for servers and channels in the background of the start. A failure is reported when they are
     * needed.
     */
    public static void loadInBackground() {
        Thread.ofPlatform().name("loading grpc").daemon().start(UnixRpc::load);
    }

    private static void load() {
        try (UnixRpc rpc = open()) {
            NettyServerBuilder server = rpc.server(Path.of("/"));
            ManagedChannel channel = rpc.dial(Path.of("/"));
            channel.shutdownNow();
            server.build().shutdownNow();
        } catch (IOException e) {
            // Nothing is served here.
        }
    }

    /**
     * Serves on a new socket, which the server unlinks when it is shut down. Connections of processes that may not call
     * are closed.
     *
     * @throws IOException if there is a file with that name, or the socket cannot be made
     */
    public Server serve(Path socket, BindableService... services) throws IOException {
        return serve(
                socket, Stream.of(services).map(BindableService::bindService).toList());
    }

    /** The same for services that are already bound. */
    public Server serve(Path socket, List<ServerServiceDefinition> services) throws IOException {
        if (socket.toString().getBytes(StandardCharsets.UTF_8).length > MAX_PATH_BYTES) {
            throw new IOException(socket + ": longer than the " + MAX_PATH_BYTES + " bytes of a Unix socket's path");
        }
        NettyServerBuilder builder = server(socket);
        services.stream().map(RequestLimits::on).forEach(builder::addService);
        Server server = builder.build().start();
        try {
            Files.setPosixFilePermissions(socket, policy.permissions());
            return server;
        } catch (IOException e) {
            server.shutdownNow();
            throw e;
        }
    }

    /** The process whose call is being answered; empty outside of a call, or if it is in another PID namespace. */
    public static Optional<Long> callerPid() {
        return caller().map(peer -> (long) peer.pid()).filter(pid -> pid > 0);
    }

    /** The process whose call is being answered; empty outside of a call. */
    public static Optional<RpcCaller> caller() {
        return Optional.ofNullable(PeerCheck.CALLER.get());
    }

    private NettyServerBuilder server(Path socket) {
        PeerCheck check = new PeerCheck(socket, policy);
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new DomainSocketAddress(socket.toFile()), check.credentials())
                .channelType(EpollServerDomainSocketChannel.class)
                .bossEventLoopGroup(loop)
                .workerEventLoopGroup(loop)
                .intercept(new LateAnswers())
                .intercept(check)
                .handshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS)
                .addStreamTracerFactory(memory)
                .maxConcurrentCallsPerConnection(policy.limits().calls())
                .maxInboundMessageSize(policy.limits().bytes())
                .directExecutor();
        // gRPC sets this on every connection, where it has no meaning and causes a warning.
        return builder.withChildOption(ChannelOption.SO_KEEPALIVE, null);
    }

    /** Makes a channel to the server on {@code socket}, which connects with its first call. As in Go, an answer may have 4 MiB. */
    public ManagedChannel dial(Path socket) {
        return dial(socket, 4 << 20);
    }

    /** The same for a server that is not trusted with the size of its answers. */
    public ManagedChannel dial(Path socket, int most) {
        ChannelFactory<EpollDomainSocketChannel> connections = () -> callers.channelTo(socket);
        return NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .channelFactory(connections)
                .eventLoopGroup(loop)
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .usePlaintext()
                .disableRetry()
                .disableServiceConfigLookUp()
                .maxInboundMessageSize(most)
                // An idle channel keeps its connection, whose end shows that the server has gone.
                .idleTimeout(Long.MAX_VALUE, TimeUnit.NANOSECONDS)
                .directExecutor()
                .build();
    }

    /**
     * Calls a method with an empty request over a connection of its own, if root or this process's user serves the
     * socket. It waits, so never call it on the loop.
     *
     * @param method such as {@code v1.PodResourcesLister/List}
     * @param most how many bytes an answer may have
     */
    public RpcStream stream(Path socket, String method, int most, Duration patience) throws IOException {
        return RpcStream.open(loop, ownUid, socket, method, most, patience);
    }

    /**
     * Whether anybody listens there. Does not wait, because a stopped process would never answer. The JDK's sockets
     * would load its cryptography for the names of sockets that have none.
     */
    public static boolean isListening(Path socket) {
        Epoll.ensureAvailability();
        Socket one = Socket.newSocketDomain();
        try {
            boolean ignored = one.connect(new DomainSocketAddress(socket.toFile()));
            return true;
        } catch (IOException e) {
            return !KernelReason.isNobodyThere(e);
        } finally {
            close(one);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.fine(() -> "a socket that was only looked at: " + e);
        }
    }

    /**
     * Calls a server on a socket, and waits for a reaction: an answer, a refusal or a hang-up. No service gets the
     * call.
     */
    public boolean answers(Path socket, Duration patience) throws InterruptedException {
        ManagedChannel channel = dial(socket);
        try {
            Future<Empty> answer = ClientCalls.futureUnaryCall(
                    channel.newCall(NOBODYS, CallOptions.DEFAULT), Empty.getDefaultInstance());
            answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNull(e.getCause()).getCause();
            // netty reports a failed connection with these.
            return !(cause instanceof ConnectException || cause instanceof FileNotFoundException);
        } finally {
            channel.shutdownNow();
        }
    }

    /** Waits at most a second for the end of the loop. */
    @Override
    public void close() {
        loop.shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly(CLOSE_MILLIS);
    }
}
