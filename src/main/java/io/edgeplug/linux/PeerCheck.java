package io.edgeplug.linux;

import io.grpc.Attributes;
import io.grpc.ChannelLogger;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.netty.GrpcHttp2ConnectionHandler;
import io.grpc.netty.InternalNettyServerCredentials;
import io.grpc.netty.InternalProtocolNegotiationEvent;
import io.grpc.netty.InternalProtocolNegotiator;
import io.grpc.netty.InternalProtocolNegotiators;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.PeerCredentials;
import io.netty.util.AsciiString;
import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.Logger;

/**
 * Lets only root and one other user call: the kernel tells who connected (SO_PEERCRED, unix(7)), whatever the socket's
 * permissions have become.
 */
final class PeerCheck implements ServerInterceptor {

    private static final Logger LOG = Logger.getLogger(PeerCheck.class.getName());
    private static final Attributes.Key<PeerCredentials> PEER = Attributes.Key.create("peer");

    /** The caller, in each call that was let in. */
    static final Context.Key<PeerCredentials> CALLER = Context.key("caller");

    private final Path socket;
    private final int uid;

    /** A check for {@code socket}, which root and {@code uid} pass. */
    PeerCheck(Path socket, int uid) {
        this.socket = socket;
        this.uid = uid;
    }

    /** Plain text, and the peer's credentials among the attributes of each call. */
    static ServerCredentials credentials() {
        return InternalNettyServerCredentials.create(new Negotiator());
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        PeerCredentials peer = call.getAttributes().get(PEER);
        if (peer != null && (peer.uid() == 0 || peer.uid() == uid)) {
            return Contexts.interceptCall(Context.current().withValue(CALLER, peer), call, headers, next);
        }
        LOG.warning(() -> socket + ": refused " + call.getMethodDescriptor().getBareMethodName() + " of "
                + (peer == null ? "an unknown process" : "process " + peer.pid() + " of uid " + peer.uid()));
        call.close(Status.PERMISSION_DENIED.withDescription("only root and uid " + uid + " may call"), new Metadata());
        return new ServerCall.Listener<>() {};
    }

    /** gRPC's own for plain text, preceded by a handler that asks the kernel who connected. */
    private static final class Negotiator implements InternalProtocolNegotiator.ProtocolNegotiator {

        private final InternalProtocolNegotiator.ProtocolNegotiator plain =
                InternalProtocolNegotiators.serverPlaintext();

        @Override
        public AsciiString scheme() {
            return plain.scheme();
        }

        @Override
        public ChannelHandler newHandler(GrpcHttp2ConnectionHandler grpc) {
            return new Asking(plain.newHandler(grpc), grpc.getNegotiationLogger());
        }

        @Override
        public void close() {
            plain.close();
        }
    }

    private static final class Asking extends InternalProtocolNegotiators.ProtocolNegotiationHandler {

        Asking(ChannelHandler next, ChannelLogger logger) {
            super(next, logger);
        }

        @Override
        protected void protocolNegotiationEventTriggered(ChannelHandlerContext context) {
            try {
                PeerCredentials peer = ((EpollDomainSocketChannel) context.channel()).peerCredentials();
                var event = getProtocolNegotiationEvent();
                Attributes known = InternalProtocolNegotiationEvent.getAttributes(event);
                replaceProtocolNegotiationEvent(InternalProtocolNegotiationEvent.withAttributes(
                        event, known.toBuilder().set(PEER, peer).build()));
            } catch (IOException e) {
                LOG.fine(() -> "a caller that is gone: " + e.getMessage());
            }
            fireProtocolNegotiationEvent(context);
        }
    }
}
