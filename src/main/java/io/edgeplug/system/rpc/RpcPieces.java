package io.edgeplug.system.rpc;

import io.edgeplug.system.flow.Deadline;
import io.grpc.Status;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The data of one HTTP/2 stream that nobody has read yet. The event loop fills it, and another thread reads. More is
 * requested once everything is read, so it never holds more than the stream's window of 64 KiB.
 */
final class RpcPieces extends ChannelInboundHandlerAdapter {

    /** The limit for a server's reason of a failure. */
    private static final int MAX_REASON = 300;

    static final String HUNG_UP = "hung up without an answer";

    private static final byte[] END = new byte[0];

    private final BlockingQueue<byte[]> pieces = new LinkedBlockingQueue<>();
    private volatile @Nullable Status status;
    private volatile @Nullable Http2StreamChannel stream;

    private byte[] piece = END;
    private int at;
    private boolean ended;

    static IOException tooLate() {
        return new IOException("does not answer in time");
    }

    /** Requests the first piece. */
    void begin(Http2StreamChannel opened) {
        stream = opened;
        opened.read();
    }

    /** Reads some bytes. Returns -1 at the end, and {@link #status} has the reason. */
    int read(byte[] buffer, int offset, int length, Deadline deadline) throws IOException {
        while (at == piece.length && !ended) {
            byte[] next = next(deadline);
            ended = next.length == 0;
            piece = next;
            at = 0;
        }
        if (ended) {
            return -1;
        }
        int read = Math.min(length, piece.length - at);
        System.arraycopy(piece, at, buffer, offset, read);
        at += read;
        return read;
    }

    private byte[] next(Deadline deadline) throws IOException {
        byte[] next = pieces.poll();
        if (next != null) {
            return next;
        }
        request();
        try {
            return Optional.ofNullable(pieces.poll(deadline.left().toNanos(), TimeUnit.NANOSECONDS))
                    .orElseThrow(RpcPieces::tooLate);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** The server's status at the end of the call; empty if it has hung up. */
    Optional<Status> status() {
        return Optional.ofNullable(status);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object frame) {
        try {
            if (frame instanceof Http2HeadersFrame headers) {
                read(headers);
            } else if (frame instanceof Http2DataFrame data && data.content().isReadable()) {
                byte[] copy = new byte[data.content().readableBytes()];
                data.content().readBytes(copy);
                pieces.add(copy);
            } else {
                context.read();
            }
        } finally {
            ReferenceCountUtil.release(frame);
        }
    }

    private void read(Http2HeadersFrame frame) {
        Http2Headers headers = frame.headers();
        if (headers.contains("grpc-status")) {
            String code = headers.get("grpc-status").toString();
            String reason = Optional.ofNullable(headers.get("grpc-message"))
                    .map(CharSequence::toString)
                    .orElse("");
            Status said = code.matches("\\d{1,2}")
                    ? Status.fromCodeValue(Integer.parseInt(code))
                    : Status.UNKNOWN.withDescription("no status of gRPC");
            status = reason.isEmpty()
                    ? said
                    : said.withDescription(reason.substring(0, Math.min(MAX_REASON, reason.length())));
            end();
        } else if (headers.status() != null && !headers.status().toString().equals("200")) {
            status = Status.UNKNOWN.withDescription("answers as a web server does");
            end();
        } else {
            request();
        }
    }

    private void request() {
        Http2StreamChannel opened = stream;
        if (opened != null) {
            opened.read();
        }
    }

    private void end() {
        pieces.add(END);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        end();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        ChannelFuture ignored = context.close();
    }
}
