package io.edgeplug.dra;

import io.edgeplug.flow.Deadline;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** The requests of one connection and their answers, one after the other. Only the loop may use it. */
final class ApiExchanges extends ChannelInboundHandlerAdapter {

    /** A server that asks for a longer pause is asked again after this time. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    private Optional<Exchange> current = Optional.empty();

    /** A request that waits for its answer. */
    static final class Exchange {

        private final int most;
        private final Optional<Consumer<String>> lines;
        private final CompletableFuture<ApiAnswer> answer = new CompletableFuture<>();
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private ApiAnswer head = new ApiAnswer(0, "", Optional.empty(), false);

        /** An exchange with a maximum size in bytes: of the answer, or of each line. */
        Exchange(int most, Optional<Consumer<String>> lines) {
            this.most = most;
            this.lines = lines;
        }

        /** Waits for the whole answer. */
        ApiAnswer await(Deadline deadline) throws IOException, InterruptedException {
            try {
                return answer.get(Math.max(1, deadline.left().toMillis()), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                throw new IOException("does not answer in time", e);
            } catch (ExecutionException e) {
                throw reason(e);
            }
        }

        void fail(IOException reason) {
            answer.completeExceptionally(reason);
        }

        private void add(ByteBuf bytes) {
            while (bytes.isReadable() && !answer.isDone()) {
                boolean isLines = lines.isPresent() && head.isSuccess();
                int end = isLines ? bytes.bytesBefore((byte) '\n') : -1;
                int length = end < 0 ? bytes.readableBytes() : end;
                if (body.size() + length > most) {
                    fail(new IOException("answers with more than the " + (most >> 10) + " KiB that are read"));
                    return;
                }
                byte[] part = new byte[length];
                bytes.readBytes(part);
                body.writeBytes(part);
                if (end >= 0) {
                    bytes.skipBytes(1);
                    lines.orElseThrow().accept(body.toString(StandardCharsets.UTF_8));
                    body.reset();
                }
            }
        }

        private void end() {
            answer.complete(new ApiAnswer(
                    head.status(), body.toString(StandardCharsets.UTF_8), head.retryAfter(), head.keepsConnection()));
        }
    }

    void begin(Exchange exchange) {
        current = Optional.of(exchange);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (current.isEmpty()) {
                // No request waits for an answer.
                ChannelFuture ignored = context.close();
                return;
            }
            Exchange exchange = current.orElseThrow();
            if (message instanceof HttpResponse response) {
                exchange.head = new ApiAnswer(
                        response.status().code(), "", retryAfter(response), HttpUtil.isKeepAlive(response));
            }
            if (message instanceof HttpContent content) {
                if (content.decoderResult().isFailure()) {
                    exchange.fail(reason(content.decoderResult().cause()));
                    return;
                }
                exchange.add(content.content());
            }
            if (message instanceof LastHttpContent) {
                current = Optional.empty();
                exchange.end();
            }
        } finally {
            boolean ignored = ReferenceCountUtil.release(message);
        }
    }

    private static Optional<Duration> retryAfter(HttpResponse response) {
        String text = response.headers().get(HttpHeaderNames.RETRY_AFTER, "");
        if (!text.matches("\\d{1,9}")) {
            return Optional.empty();
        }
        Duration wanted = Duration.ofSeconds(Long.parseLong(text));
        return Optional.of(wanted.compareTo(LONGEST_PAUSE) < 0 ? wanted : LONGEST_PAUSE);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        current.ifPresent(exchange -> exchange.fail(new IOException("has closed the connection")));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        current.ifPresent(exchange -> exchange.fail(reason(cause)));
        ChannelFuture ignored = context.close();
    }

    /** The last cause, which comes from the kernel or from TLS. */
    static IOException reason(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String text = String.valueOf(root.getMessage());
        boolean isForbidden = text.contains("Address family not supported") || text.contains("Operation not permitted");
        return new IOException(
                isForbidden
                        ? "the sandbox of the service allows no IP; /usr/share/doc/edgeplug/dra.md has the drop-in that does: "
                                + text
                        : text,
                failure);
    }
}
