package io.edgeplug.system.rpc;

import io.edgeplug.system.systemd.LogLimit;
import io.grpc.Attributes;
import io.grpc.ChannelLogger;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.netty.GrpcHttp2ConnectionHandler;
import io.grpc.netty.InternalNettyServerCredentials;
import io.grpc.netty.InternalProtocolNegotiationEvent;
import io.grpc.netty.InternalProtocolNegotiator;
import io.grpc.netty.InternalProtocolNegotiators;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.PeerCredentials;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.util.AsciiString;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Lets only some processes connect to a socket, and limits the connections. The kernel says who connected (SO_PEERCRED,
 * unix(7)), whatever the permissions of the socket are. Other connections are closed before a byte is read.
 */
final class PeerCheck implements ServerInterceptor {

    private static final Logger LOG = Logger.getLogger(PeerCheck.class.getName());

    /** The caller, in the attributes of each call. */
    static final Attributes.Key<RpcCaller> PEER = Attributes.Key.create("peer");

    /** The caller, in each accepted call. */
    static final Context.Key<RpcCaller> CALLER = Context.key("caller");

    private final Path socket;
    private final CallerPolicy policy;

    /** Any process of the node may try to connect as often as it likes. */
    private final LogLimit told = new LogLimit(5, Duration.ofMinutes(1));

    /** Used on the event loop only. */
    private int connections;

    /** A check for {@code socket}. */
    PeerCheck(Path socket, CallerPolicy policy) {
        this.socket = socket;
        this.policy = policy;
    }

    /** Credentials for plain text that check each connection, and add the caller to the attributes of each call. */
    ServerCredentials credentials() {
        return InternalNettyServerCredentials.create(new Negotiator());
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Context known = Context.current().withValue(CALLER, call.getAttributes().get(PEER));
        return Contexts.interceptCall(known, call, headers, next);
    }

    /** gRPC's own negotiator for plain text, after a handler that asks the kernel who connected. */
    private final class Negotiator implements InternalProtocolNegotiator.ProtocolNegotiator {

        private final InternalProtocolNegotiator.ProtocolNegotiator plain =
                InternalProtocolNegotiators.serverPlaintext();

        @Override
        public AsciiString scheme() {
            return plain.scheme();
        }

        @Override
        public ChannelHandler newHandler(GrpcHttp2ConnectionHandler grpc) {
            grpc.decoder().frameListener(new FewSettings(grpc, grpc.decoder().frameListener()));
            return new Asking(plain.newHandler(grpc), grpc.getNegotiationLogger());
        }

        @Override
        public void close() {
            plain.close();
        }
    }

    /**
     * Bounds what settings of the other end take. However much room that has, little is remembered of the headers that were
     * sent to it, because each refusal has a text of its own. Each change of that is kept until the next headers; see
     * RFC 7541, 4.2.
     */
    private static final class FewSettings extends Http2FrameListenerDecorator {

        /** A client tells its settings at first, and then perhaps a few times how fast it can read. */
        private static final int MOST = 1000;

        private final GrpcHttp2ConnectionHandler grpc;
        private int count;

        FewSettings(GrpcHttp2ConnectionHandler grpc, Http2FrameListener listener) {
            super(listener);
            this.grpc = grpc;
        }

        @Override
        public void onSettingsRead(ChannelHandlerContext context, Http2Settings settings) throws Http2Exception {
            count++;
            if (count > MOST) {
                throw Http2Exception.connectionError(Http2Error.ENHANCE_YOUR_CALM, "more than %d SETTINGS", MOST);
            }
            super.onSettingsRead(context, settings);
            Http2HeadersEncoder.Configuration headers =
                    grpc.encoder().configuration().headersConfiguration();
            headers.maxHeaderTableSize(
                    Math.min(headers.maxHeaderTableSize(), Http2CodecUtil.DEFAULT_HEADER_TABLE_SIZE));
        }
    }

    private final class Asking extends InternalProtocolNegotiators.ProtocolNegotiationHandler {

        Asking(ChannelHandler next, ChannelLogger logger) {
            super(next, logger);
        }

        @Override
        protected void protocolNegotiationEventTriggered(ChannelHandlerContext context) {
            EpollDomainSocketChannel connection = (EpollDomainSocketChannel) context.channel();
            try {
                PeerCredentials peer = connection.peerCredentials();
                // Its data waits in the kernel, because nobody can read it here yet.
                connection.config().setAutoRead(false);
                policy.judge(
                        connection,
                        peer,
                        refusal -> decide(
                                context,
                                peer,
                                refusal.or(PeerCheck.this::tooMany).orElse(null)));
            } catch (IOException e) {
                LOG.fine(() -> "a caller that is gone: " + e.getMessage());
                ChannelFuture ignored = context.close();
            }
        }

        private void decide(ChannelHandlerContext context, PeerCredentials peer, @Nullable String refusal) {
            if (refusal != null) {
                told.line("%s: refused process %d of uid %d: %s".formatted(socket, peer.pid(), peer.uid(), refusal))
                        .ifPresent(LOG::warning);
                ChannelFuture ignored = context.close();
                return;
            }
            connections++;
            context.channel().closeFuture().addListener(closed -> connections--);
            var event = getProtocolNegotiationEvent();
            RpcCaller caller = new RpcCaller(peer.pid(), peer.uid(), () -> hangUp(context.channel()));
            Attributes known = InternalProtocolNegotiationEvent.getAttributes(event);
            replaceProtocolNegotiationEvent(InternalProtocolNegotiationEvent.withAttributes(
                    event, known.toBuilder().set(PEER, caller).build()));
            ReadWhileRead.on(context.channel(), policy.limits().piece());
            fireProtocolNegotiationEvent(context);
            context.channel().config().setAutoRead(true);
        }
    }

    /** Closes without HTTP/2, which would wait for the calls. These do not end if the other end does not read. */
    private static void hangUp(Channel connection) {
        connection.eventLoop().execute(() -> connection.unsafe().close(connection.newPromise()));
    }

    private Optional<String> tooMany() {
        return connections == policy.limits().connections()
                ? Optional.of("it has " + connections + " connections already")
                : Optional.empty();
    }
}
