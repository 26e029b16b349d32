package io.edgeplug.system.rpc;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A connection whose frames no client of gRPC would send; see RFC 9113 and gRPC's "gRPC over HTTP2". */
final class RawCalls implements AutoCloseable {

    private static final int SETTINGS = 4;
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int FRAME = 16_384;

    private static final int PATIENCE_MILLIS = 20_000;

    private final SocketChannel connection;
    private final ByteArrayOutputStream frames = new ByteArrayOutputStream();

    /** Begins a connection with a window for answers. */
    RawCalls(Path socket, int window) throws IOException {
        connection = SocketChannel.open(StandardProtocolFamily.UNIX);
        boolean ignored = connection.connect(UnixDomainSocketAddress.of(socket));
        frames.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        frame(
                SETTINGS,
                0,
                0,
                ByteBuffer.allocate(6).putShort((short) 4).putInt(window).array());
    }

    /** Adds the beginning of a call. */
    RawCalls call(int stream, String method) {
        ByteArrayOutputStream headers = new ByteArrayOutputStream();
        header(headers, ":method", "POST");
        header(headers, ":scheme", "http");
        header(headers, ":path", "/" + method);
        header(headers, ":authority", "localhost");
        header(headers, "te", "trailers");
        header(headers, "content-type", "application/grpc");
        return frame(HEADERS, END_HEADERS, stream, headers.toByteArray());
    }

    /** Adds a message and its end. */
    RawCalls message(int stream, byte[] message) {
        frame(DATA, 0, stream, ByteBuffer.allocate(5).putInt(1, message.length).array());
        for (int from = 0; from < message.length; from += FRAME) {
            byte[] piece = new byte[Math.min(FRAME, message.length - from)];
            System.arraycopy(message, from, piece, 0, piece.length);
            frame(DATA, 0, stream, piece);
        }
        return frame(DATA, END_STREAM, stream, new byte[0]);
    }

    private RawCalls frame(int type, int flags, int stream, byte[] content) {
        frames.writeBytes(ByteBuffer.allocate(9)
                .put((byte) (content.length >> 16))
                .putShort((short) content.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .array());
        frames.writeBytes(content);
        return this;
    }

    /** Without indexing and without Huffman's code; see RFC 7541, 6.2.2. */
    private static void header(ByteArrayOutputStream headers, String name, String value) {
        headers.write(0);
        headers.write(name.length());
        headers.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        headers.write(value.length());
        headers.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
    }

    /** Sends what was added, unless the server hangs up. */
    void send() throws IOException {
        ByteBuffer all = ByteBuffer.wrap(frames.toByteArray());
        frames.reset();
        connection.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            SelectionKey ignored = connection.register(selector, SelectionKey.OP_WRITE);
            while (all.hasRemaining() && selector.select(PATIENCE_MILLIS) > 0) {
                selector.selectedKeys().clear();
                int unusedCount = connection.write(all);
            }
        } catch (IOException e) {
            // It has hung up.
        }
        connection.configureBlocking(true);
    }

    /** Waits for the first headers of an answer or refusal. */
    void awaitHeaders(int stream) throws IOException {
        DataInputStream in = new DataInputStream(Channels.newInputStream(connection));
        try {
            while (true) {
                int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
                int type = in.readUnsignedByte();
                in.skipNBytes(1);
                int of = in.readInt();
                in.skipNBytes(length);
                if (type == HEADERS && of == stream) {
                    return;
                }
            }
        } catch (EOFException e) {
            // It has hung up.
        }
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
