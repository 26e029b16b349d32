package io.edgeplug.system.rpc;

import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.kernel.KernelReason;
import io.edgeplug.system.kernel.PlainText;
import io.grpc.Status;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.PeerCredentials;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A call of a gRPC method on a Unix socket, with an empty request, whose answers are read piece by piece as they
 * arrive.
 *
 * <p>gRPC's own client keeps each answer as a whole in direct memory before it passes it on. An answer of 12 MiB would
 * take more than the daemon has. Here HTTP/2's flow control stops the server, so any answer takes at most 64 KiB. Only
 * servers of root and of this process's user are asked. One thread at a time reads.
 */
public final class RpcStream implements AutoCloseable {

    /** A byte for compression, and the length of the message. */
    private static final int PREFIX = 5;

    private static final long CLOSE_MILLIS = 1000;
    private static final long MAX_HEADERS = 8192;

    private final EpollDomainSocketChannel connection;
    private final RpcPieces pieces = new RpcPieces();
    private final int most;
    private Deadline deadline = Deadline.in(Duration.ZERO);

    private InputStream unread = InputStream.nullInputStream();

    private RpcStream(EpollDomainSocketChannel connection, int most, Duration patience) {
        this.connection = connection;
        this.most = most;
        expectWithin(patience);
    }

    /**
     * Calls a method.
     *
     * @param method such as {@code v1.PodResourcesLister/List}
     * @param most how many bytes a message may have
     * @param patience for everything that is read, unless {@link #expectWithin} changes it
     * @throws IOException if the server cannot be asked; the message says why
     */
    static RpcStream open(EventLoopGroup loop, int ownUid, Path socket, String method, int most, Duration patience)
            throws IOException {
        ChannelFuture connecting = new Bootstrap()
                .group(loop)
                .channel(EpollDomainSocketChannel.class)
                // Nothing is read before it is known who serves.
                .option(ChannelOption.AUTO_READ, false)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(new DomainSocketAddress(socket.toFile()));
        if (!(connecting.channel() instanceof EpollDomainSocketChannel connection)) {
            // If the process may open no more files, there is not even a socket.
            throw cannotConnect(connecting);
        }
        RpcStream call = new RpcStream(connection, most, patience);
        try {
            call.connected(connecting);
            call.refuseStranger(ownUid);
            call.speakHttp2();
            call.send(method);
            return call;
        } catch (IOException | RuntimeException e) {
            call.close();
            throw e;
        }
    }

    /** The kernel says which process made the socket listen; see SO_PEERCRED in unix(7). */
    private void refuseStranger(int ownUid) throws IOException {
        PeerCredentials server = connection.peerCredentials();
        if (server.uid() != 0 && server.uid() != ownUid) {
            throw new IOException("belongs to a process of uid " + server.uid() + ", not of root");
        }
    }

    private void speakHttp2() throws IOException {
        spoken(connection.eventLoop().submit(() -> {
            connection
                    .pipeline()
                    .addLast(
                            Http2FrameCodecBuilder.forClient()
                                    .gracefulShutdownTimeoutMillis(0)
                                    .initialSettings(Http2Settings.defaultSettings()
                                            .maxHeaderListSize(MAX_HEADERS)
                                            .pushEnabled(false))
                                    .build(),
                            new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
            connection.config().setAutoRead(true);
        }));
    }

    private void send(String method) throws IOException {
        Future<Http2StreamChannel> opening = new Http2StreamChannelBootstrap(connection)
                .option(ChannelOption.AUTO_READ, false)
                .handler(pieces)
                .open();
        spoken(opening);
        Http2Headers headers = new DefaultHttp2Headers()
                .method("POST")
                .scheme("http")
                .authority("localhost")
                .path("/" + method)
                .set("content-type", "application/grpc")
                .set("te", "trailers");
        Http2StreamChannel stream = opening.getNow();
        ChannelFuture ignored = stream.write(new DefaultHttp2HeadersFrame(headers));
        ignored = stream.writeAndFlush(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(new byte[PREFIX]), true));
        pieces.begin(stream);
    }

    /** From now on, reads only answers that come within this time. */
    public void expectWithin(Duration patience) {
        deadline = Deadline.in(patience);
    }

    /**
     * The next message as it arrives; empty after the last one. Unread bytes of the message before are skipped.
     *
     * @throws IOException if the server reports a failure, hangs up, or takes too long; the message says why
     */
    public Optional<InputStream> next() throws IOException {
        long ignored = unread.skip(Long.MAX_VALUE);
        byte[] prefix = new byte[PREFIX];
        int read = 0;
        while (read < PREFIX) {
            int more = pieces.read(prefix, read, PREFIX - read, deadline);
            if (more < 0) {
                return end(read == 0);
            }
            read += more;
        }
        long length =
                Integer.toUnsignedLong(ByteBuffer.wrap(prefix, 1, PREFIX - 1).getInt());
        if (prefix[0] != 0) {
            throw new IOException("answers compressed, which was not asked for");
        }
        if (length > most) {
            throw new IOException("answers with more than " + (most >> 20) + " MiB");
        }
        unread = new Message(length);
        return Optional.of(unread);
    }

    private Optional<InputStream> end(boolean isWhole) throws IOException {
        Status status = pieces.status().orElseThrow(() -> new IOException(RpcPieces.HUNG_UP));
        if (!status.isOk()) {
            String text = Optional.ofNullable(status.getDescription()).orElse("no reason");
            throw new IOException(status.getCode() + ": " + PlainText.of(text));
        }
        if (!isWhole) {
            throw new IOException("hung up within an answer");
        }
        return Optional.empty();
    }

    /** One message, of which the server may not have sent everything yet. */
    private final class Message extends InputStream {

        private long left;

        Message(long length) {
            left = length;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            if (left == 0) {
                return length == 0 ? 0 : -1;
            }
            int read = pieces.read(buffer, offset, (int) Math.min(length, left), deadline);
            if (read < 0) {
                end(false);
            }
            left -= read;
            return read;
        }
    }

    private void connected(ChannelFuture connecting) throws IOException {
        await(connecting);
        if (!connecting.isSuccess()) {
            throw cannotConnect(connecting);
        }
    }

    private static IOException cannotConnect(ChannelFuture connecting) {
        Throwable cause = connecting.cause();
        return new IOException(
                KernelReason.of(cause) == KernelReason.ABSENT
                        ? "no such file"
                        : "cannot connect: " + KernelReason.rootWords(cause),
                cause);
    }

    private void spoken(Future<?> step) throws IOException {
        await(step);
        if (!step.isSuccess()) {
            throw new IOException(RpcPieces.HUNG_UP, step.cause());
        }
    }

    private void await(Future<?> step) throws IOException {
        try {
            if (!step.await(Math.max(0, deadline.left().toNanos()), TimeUnit.NANOSECONDS)) {
                throw RpcPieces.tooLate();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Closes the connection, even within an answer. */
    @Override
    public void close() {
        connection.close().awaitUninterruptibly(CLOSE_MILLIS);
    }
}
