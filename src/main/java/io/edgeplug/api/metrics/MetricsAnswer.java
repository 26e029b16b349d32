package io.edgeplug.api.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.edgeplug.system.flow.Front;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;

/**
 * Answers the one request of a connection, and closes it. It runs on the server's loop, and the metrics are made
 * elsewhere.
 */
final class MetricsAnswer extends SimpleChannelInboundHandler<HttpObject> {

    private static final String PLAIN = "text/plain; charset=utf-8";

    /** How many characters of the metrics are sent at a time. */
    private static final int PART = 8 << 10;

    private final Scrape scrape;
    private final Semaphore answers;
    private boolean isAnswered;

    /**
     * For one connection.
     *
     * @param answers the number of answers that may still be made at the same time
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
                case "/metrics" -> scrape(context, request.protocolVersion().equals(HttpVersion.HTTP_1_1));
                case "/healthz" -> answer(context, HttpResponseStatus.OK, "ok\n");
                default -> answer(context, HttpResponseStatus.NOT_FOUND, "only /metrics and /healthz\n");
            }
        }
    }

    private void scrape(ChannelHandlerContext context, boolean isChunked) {
        if (!answers.tryAcquire()) {
            answer(context, HttpResponseStatus.SERVICE_UNAVAILABLE, "others are being answered\n");
            return;
        }
        CompletableFuture<Boolean> made = new CompletableFuture<>();
        // The thread of a caller that hangs up waits for its turn all the same, so it counts until then.
        context.channel().closeFuture().addListener(ended -> {
            CompletableFuture<Void> ignored = made.thenRun(answers::release);
        });
        Front.METRICS.virtual("scrape").start(() -> {
            if (!Front.METRICS.attempt(() -> answer(context.channel(), isChunked))) {
                ChannelFuture ignored = context.close();
            }
            boolean ignored = made.complete(true);
        });
    }

    private void answer(Channel channel, boolean isChunked) {
        try {
            stream(channel, isChunked);
        } catch (InterruptedException | IOException e) {
            // The caller sees by the missing end that the answer is not complete.
            ChannelFuture ignored = channel.close();
        } catch (RejectedExecutionException e) {
            // The server was closed meanwhile with all of its connections, so nobody can read the answer.
        }
    }

    /** Writes the metrics. Only one part of them waits for the reader. */
    private void stream(Channel channel, boolean isChunked) throws IOException, InterruptedException {
        DefaultHttpResponse head = head(HttpResponseStatus.OK, MetricText.CONTENT_TYPE);
        // A reader of HTTP/1.0 knows no chunks. For it, the end of the connection is that of the text.
        HttpUtil.setTransferEncodingChunked(head, isChunked);
        // The head is sent with the first part. So a thread whose caller has gone also waits for its turn first.
        ChannelFuture unusedHead = channel.write(head);
        try (Writer out = new BufferedWriter(new OutputStreamWriter(new Parts(channel), UTF_8), PART)) {
            scrape.write(out);
        }
        await(channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT));
        ChannelFuture ignored = channel.close();
    }

    private static void await(ChannelFuture sent) throws IOException {
        // The server closes the connection after some seconds, and then this fails.
        if (!sent.awaitUninterruptibly().isSuccess()) {
            throw new IOException("the reader has gone", sent.cause());
        }
    }

    /** The body of an answer, sent part by part. */
    private static final class Parts extends OutputStream {

        private final Channel channel;

        Parts(Channel channel) {
            this.channel = channel;
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            await(channel.writeAndFlush(new DefaultHttpContent(Unpooled.copiedBuffer(bytes, offset, length))));
        }
    }

    private static void answer(ChannelHandlerContext context, HttpResponseStatus status, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        DefaultHttpResponse head = head(status, PLAIN);
        HttpUtil.setContentLength(head, bytes.length);
        ChannelFuture ignored = context.write(head);
        ignored = context.write(Unpooled.wrappedBuffer(bytes));
        ignored = context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(ChannelFutureListener.CLOSE);
    }

    private static DefaultHttpResponse head(HttpResponseStatus status, String type) {
        DefaultHttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
        head.headers().set(HttpHeaderNames.CONTENT_TYPE, type).set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
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
