package io.edgeplug.system.rpc;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.PeerCredentials;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets only this process and the process that listens on a certain socket connect. If no socket is given, lets all
 * processes of root and of this process's user connect.
 *
 * <p>The kernel tells a client who listens on a socket (SO_PEERCRED, unix(7)). If there is a connection to that socket,
 * the answer is known. Otherwise one is made for the question. A process in a PID namespace that is not visible here
 * has the number 0, and all of these count as one. For the event loop only.
 */
final class Callers implements CallerPolicy {

    /**
     * A kubelet has one connection, for a moment two or three, and asks for one container for each pod that starts. All
     * devices of a resource that it can know, 32,768 IDs, are 2.3 MB.
     */
    private static final Limits LIMITS = new Limits(16, 256, 3 << 20, 4096, 12 << 20);

    private static final Set<PosixFilePermission> OWNER_ONLY =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private static final String NOT_IT = "only the process that listens on %s may call";

    private final EventLoopGroup loop;
    private final int uid;
    private final long ownPid = ProcessHandle.current().pid();
    private final @Nullable Path listening;

    /** The connection to that socket, while there is one. */
    private @Nullable EpollDomainSocketChannel standing;

    /**
     * Lets this process and the one that listens on a socket connect, or any of root and {@code uid} if there is no
     * socket.
     */
    Callers(EventLoopGroup loop, int uid, @Nullable Path listening) {
        this.loop = loop;
        this.uid = uid;
        this.listening = listening;
    }

    /** A connection to be made to a socket. If it is the given one, the connection shows who listens. */
    EpollDomainSocketChannel channelTo(Path socket) {
        EpollDomainSocketChannel channel = new EpollDomainSocketChannel();
        boolean isNamed = socket.equals(listening);
        channel.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                standing = isNamed ? channel : standing;
                context.fireChannelActive();
            }

            @Override
            public void channelInactive(ChannelHandlerContext context) {
                standing = channel.equals(standing) ? null : standing;
                context.fireChannelInactive();
            }
        });
        return channel;
    }

    /** Decides at once, or as soon as it is known who listens. */
    @Override
    public void judge(EpollDomainSocketChannel connection, PeerCredentials peer, Consumer<Optional<String>> verdict) {
        if (peer.uid() != 0 && peer.uid() != uid) {
            verdict.accept(Optional.of("only root and uid " + uid + " may call"));
        } else if (listening == null || peer.pid() == ownPid) {
            verdict.accept(Optional.empty());
        } else if (standing != null) {
            verdict.accept(problem(peer, listening, standing));
        } else {
            ask(peer, listening, verdict);
        }
    }

    @Override
    public Limits limits() {
        return LIMITS;
    }

    @Override
    public Set<PosixFilePermission> permissions() {
        return OWNER_ONLY;
    }

    private void ask(PeerCredentials peer, Path listener, Consumer<Optional<String>> verdict) {
        DomainSocketAddress address = new DomainSocketAddress(listener.toFile());
        ChannelFuture connecting = new Bootstrap()
                .group(loop)
                .channel(EpollDomainSocketChannel.class)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(address);
        connecting.addListener(connected -> {
            Optional<String> problem = connected.isSuccess()
                    ? problem(peer, listener, (EpollDomainSocketChannel) connecting.channel())
                    : Optional.of(NOT_IT.formatted(address.path()) + ", and none does");
            ChannelFuture ignored = connecting.channel().close();
            verdict.accept(problem);
        });
    }

    private static Optional<String> problem(PeerCredentials peer, Path listener, EpollDomainSocketChannel toListener) {
        try {
            return toListener.peerCredentials().pid() == peer.pid()
                    ? Optional.empty()
                    : Optional.of(NOT_IT.formatted(listener));
        } catch (IOException e) {
            return Optional.of("cannot find out who listens on " + listener + ": " + e.getMessage());
        }
    }
}
