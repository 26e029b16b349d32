package io.edgeplug.api.dra;

import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.kernel.KernelReason;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The requests of one connection and their answers, one after the other. Only the loop may use it. */
final class ApiExchanges extends ChannelInboundHandlerAdapter {

    /** A server that asks for a longer pause is asked again after this time. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    private @Nullable Exchange current;

    /** A request that waits for its answer. */
    static final class Exchange {

        private final ApiBody body;
        private final CompletableFuture<ApiAnswer> answer = new CompletableFuture<>();

        /** An exchange with the body that its answer will have. */
        Exchange(ApiBody body) {
            this.body = body;
        }

        /** Waits for the first part of the answer, which is all but its body. */
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
            body.fail(reason);
        }

        private void add(ByteBuf bytes) {
            if (bytes.isReadable()) {
                byte[] part = new byte[bytes.readableBytes()];
                bytes.readBytes(part);
                body.add(part);
            }
        }
    }

    void begin(Exchange exchange) {
        current = exchange;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            Exchange exchange = current;
            if (exchange == null) {
                // No request waits for an answer.
                ChannelFuture ignored = context.close();
                return;
            }
            if (message instanceof HttpObject part && part.decoderResult().isFailure()) {
                exchange.fail(reason(part.decoderResult().cause()));
                // Otherwise headers without an end would be read for ever.
                ChannelFuture ignored = context.close();
                return;
            }
            if (message instanceof HttpResponse response) {
                boolean ignored = exchange.answer.complete(new ApiAnswer(
                        response.status().code(), retryAfter(response), HttpUtil.isKeepAlive(response), exchange.body));
            }
            if (message instanceof HttpContent content) {
                exchange.add(content.content());
            }
            if (message instanceof LastHttpContent) {
                current = null;
                exchange.body.end();
            }
        } finally {
            boolean ignored = ReferenceCountUtil.release(message);
        }
    }

    private static Duration retryAfter(HttpResponse response) {
        String text = response.headers().get(HttpHeaderNames.RETRY_AFTER, "");
        if (!text.matches("\\d{1,9}")) {
            return Duration.ZERO;
        }
        Duration wanted = Duration.ofSeconds(Long.parseLong(text));
        return wanted.compareTo(LONGEST_PAUSE) < 0 ? wanted : LONGEST_PAUSE;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        failCurrent(new IOException("has closed the connection"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failCurrent(reason(cause));
        ChannelFuture ignored = context.close();
    }

    private void failCurrent(IOException reason) {
        if (current != null) {
            current.fail(reason);
        }
    }

    static IOException reason(Throwable failure) {
        return new IOException(KernelReason.adviceOnIp(failure, "dra.md"), failure);
    }

    /**
     * An answer of the API server, whose body may still be on its way.
     *
     * @param status the HTTP status
     * @param retryAfter the pause that the server asks for before the next request; zero if it asks for none
     * @param keepsConnection whether it takes another request on the same connection
     */
    record ApiAnswer(int status, Duration retryAfter, boolean keepsConnection, ApiBody body) {

        private static final int OK = 200;
        private static final int NO_SUCCESS = 300;
        private static final int UNAUTHORIZED = 401;

        boolean isSuccess() {
            return status >= OK && status < NO_SUCCESS;
        }

        boolean isUnauthorized() {
            return status == UNAUTHORIZED;
        }
    }
}
