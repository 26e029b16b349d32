package io.edgeplug.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.stream.ChunkedStream;
import java.io.ByteArrayInputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;

/**
 * Answers the one request of a connection, and closes it. It runs on the server's loop, and the metrics are made
 * elsewhere.
 */
final class MetricsAnswer extends SimpleChannelInboundHandler<HttpObject> {

    private static final String PLAIN = "text/plain; charset=utf-8";

    private static final int CHUNK = 16 << 10;

    private final Scrape scrape;
    private final Semaphore answers;
    private boolean isAnswered;

    /**
     * For one connection.
     *
     * @param answers the number of answers of that size that may still be made
     */
    MetricsAnswer(Scrape scrape, Semaphore answers) {
        this.scrape = scrape;
        this.answers = answers;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
        if (isAnswered || !(message instanceof HttpRequest request)) {
            return;
        }
        isAnswered = true;
        // Bytes after the first request are not wanted, so they stay in the kernel.
        context.channel().config().setAutoRead(false);
        if (request.decoderResult().isFailure()) {
            answer(context, HttpResponseStatus.BAD_REQUEST, "not HTTP, or longer than a request for metrics can be\n");
        } else if (!request.method().equals(HttpMethod.GET)) {
            answer(context, HttpResponseStatus.METHOD_NOT_ALLOWED, "only GET\n");
        } else {
            String uri = request.uri();
            String path = uri.contains("?") ? uri.substring(0, uri.indexOf('?')) : uri;
            switch (path) {
                case "/metrics" -> scrape(context);
                case "/healthz" -> answer(context, HttpResponseStatus.OK, "ok\n");
                default -> answer(context, HttpResponseStatus.NOT_FOUND, "only /metrics and /healthz\n");
            }
        }
    }

    private void scrape(ChannelHandlerContext context) {
        if (!answers.tryAcquire()) {
            answer(context, HttpResponseStatus.SERVICE_UNAVAILABLE, "others are being answered\n");
            return;
        }
        CompletableFuture<Boolean> made = new CompletableFuture<>();
        // The thread of a caller that hangs up waits for its turn all the same, so it counts until then.
        context.channel().closeFuture().addListener(ended -> {
            CompletableFuture<Void> ignored = made.thenRun(answers::release);
        });
        Thread.ofVirtual().name("scrape").start(() -> {
            try {
                byte[] text = scrape.text();
                context.executor().execute(() -> answer(context, text));
            } catch (InterruptedException e) {
                ChannelFuture ignored = context.close();
            } catch (RejectedExecutionException e) {
                // The server was closed meanwhile with all of its connections, so nobody can read the answer.
            } finally {
                boolean ignored = made.complete(true);
            }
        });
    }

    private static void answer(ChannelHandlerContext context, byte[] metrics) {
        ChunkedStream text = new ChunkedStream(new ByteArrayInputStream(metrics), CHUNK);
        send(context, head(HttpResponseStatus.OK, Exposition.CONTENT_TYPE, metrics.length), text);
    }

    private static void answer(ChannelHandlerContext context, HttpResponseStatus status, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        send(context, head(status, PLAIN, bytes.length), Unpooled.wrappedBuffer(bytes));
    }

    private static void send(ChannelHandlerContext context, DefaultHttpResponse head, Object body) {
        ChannelFuture ignored = context.write(head);
        ignored = context.write(body);
        ignored = context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(ChannelFutureListener.CLOSE);
    }

    private static DefaultHttpResponse head(HttpResponseStatus status, String type, int length) {
        DefaultHttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
        head.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .set(HttpHeaderNames.CONTENT_LENGTH, length)
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        if (status.equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
            head.headers().set(HttpHeaderNames.ALLOW, HttpMethod.GET);
        }
        return head;
    }

    /** A peer that has gone or sends no valid request needs no reaction. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        ChannelFuture ignored = context.close();
    }
}
