package io.edgeplug.api.dra;

import io.edgeplug.api.dra.ApiExchanges.ApiAnswer;
import io.edgeplug.system.flow.Deadline;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/** A connection to the API server. It carries one request at a time, for one thread at a time. */
record ApiConnection(Kubeconfig identity, Channel channel, ApiExchanges exchanges) implements AutoCloseable {

    private static final int MAX_LINE = 4096;
    private static final int MAX_HEADERS = 16 << 10;
    private static final int MAX_CHUNK = 8 << 10;

    /** How many bytes are taken from the kernel before the thread that reads them may ask for a pause. */
    private static final int MAX_READ = 16 << 10;

    /**
     * Connects, and checks that the other end is the API server.
     *
     * @throws IOException if it cannot be reached in time, or is another server; the message follows the server's name
     */
    static ApiConnection open(EventLoopGroup loop, Kubeconfig identity, SSLContext tls, Deadline deadline)
            throws IOException, InterruptedException {
        // This thread asks the name server, because it may wait and the loop must not.
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(identity.host()), identity.port());
        SslHandler ssl = new SslHandler(engine(identity, tls));
        ssl.setHandshakeTimeoutMillis(Math.max(1, deadline.left().toMillis()));
        ApiExchanges exchanges = new ApiExchanges();
        ChannelFuture connecting = new Bootstrap()
                .group(loop)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(MAX_READ).maxMessagesPerRead(1))
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        Math.max(1, deadline.left().toMillis()))
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel made) {
                        made.pipeline().addLast(ssl, new HttpClientCodec(MAX_LINE, MAX_HEADERS, MAX_CHUNK), exchanges);
                    }
                })
                .connect(address);
        try {
            await(connecting, deadline);
            await(ssl.handshakeFuture(), deadline);
        } catch (IOException | InterruptedException e) {
            abandon(connecting);
            throw e;
        }
        return new ApiConnection(identity, connecting.channel(), exchanges);
    }

    /**
     * Closes it once it is connected. One that could not connect is closed already, and one that got no socket cannot be
     * closed. A loop that has ended tells no listener, and logs that as an error.
     */
    private static void abandon(ChannelFuture connecting) {
        if (connecting.isSuccess()) {
            ChannelFuture ignored = connecting.channel().close();
        } else if (!connecting.isDone()) {
            ChannelFuture ignored = connecting.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private static SSLEngine engine(Kubeconfig identity, SSLContext tls) {
        SSLEngine engine = tls.createSSLEngine(identity.tlsName(), identity.port());
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        engine.setSSLParameters(parameters);
        return engine;
    }

    private static void await(Future<?> done, Deadline deadline) throws IOException, InterruptedException {
        if (!done.await(Math.max(1, deadline.left().toMillis()), TimeUnit.MILLISECONDS)) {
            throw new IOException("cannot be reached in time");
        }
        if (!done.isSuccess()) {
            throw ApiExchanges.reason(done.cause());
        }
    }

    /** Whether the connection can be tried for another request. */
    boolean isOpen() {
        return channel.isActive();
    }

    /** Whether it was made with that identity. */
    boolean isOf(Kubeconfig other) {
        return identity.equals(other);
    }

    /**
     * Sends a request and waits for the answer, whose body is then read by this thread.
     *
     * @param wholly the time by which the body must have been read
     * @throws IOException if there is no answer in time; the connection is then of no more use
     */
    ApiAnswer call(ApiRequest request, Deadline deadline, Deadline wholly) throws IOException, InterruptedException {
        ApiExchanges.Exchange exchange = new ApiExchanges.Exchange(new ApiBody(wholly, channel.config()::setAutoRead));
        try {
            send(request, exchange);
        } catch (RejectedExecutionException e) {
            throw new IOException("the connections are closed, because edgeplug ends", e);
        }
        return exchange.await(deadline);
    }

    private void send(ApiRequest request, ApiExchanges.Exchange exchange) {
        ByteBuf body = request.body()
                .map(json -> Unpooled.copiedBuffer(json, StandardCharsets.UTF_8))
                .orElse(Unpooled.EMPTY_BUFFER);
        DefaultFullHttpRequest http = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, HttpMethod.valueOf(request.method()), request.path(), body);
        String host = identity.server().getHost() + ":" + identity.port();
        http.headers()
                .set(HttpHeaderNames.HOST, host)
                .set(HttpHeaderNames.ACCEPT, "application/json")
                .set(HttpHeaderNames.USER_AGENT, "edgeplug")
                .set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
        if (request.body().isPresent()) {
            http.headers().set(HttpHeaderNames.CONTENT_TYPE, request.contentType());
        }
        identity.token().ifPresent(token -> http.headers().set(HttpHeaderNames.AUTHORIZATION, "Bearer " + token));
        channel.eventLoop().execute(() -> {
            exchanges.begin(exchange);
            channel.writeAndFlush(http).addListener(sent -> {
                if (!sent.isSuccess()) {
                    exchange.fail(ApiExchanges.reason(sent.cause()));
                }
            });
        });
    }

    @Override
    public void close() {
        ChannelFuture ignored = channel.close();
    }
}
