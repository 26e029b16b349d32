package io.edgeplug.system.rpc;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
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

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int FRAME = 16_384;

    /** Seven bits. */
    private static final int LONG = 127;

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

    /** Adds one setting, whatever its value is; see RFC 9113, 6.5.2. */
    RawCalls set(int setting, int value) {
        return frame(
                SETTINGS,
                0,
                0,
                ByteBuffer.allocate(6).putShort((short) setting).putInt(value).array());
    }

    /** Gives up a call; see RFC 9113, 6.4. */
    RawCalls reset(int stream) {
        return frame(RST_STREAM, 0, stream, new byte[4]);
    }

    /** Asks for an answer that no window bounds; see RFC 9113, 6.7. */
    RawCalls ping() {
        return frame(PING, 0, 0, new byte[8]);
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
        text(headers, name);
        text(headers, value);
    }

    /** Its length in seven bits, or in groups of them; see RFC 7541, 5.1. */
    private static void text(ByteArrayOutputStream headers, String text) {
        int length = text.length();
        headers.write(Math.min(length, LONG));
        if (length >= LONG) {
            for (length -= LONG; length > LONG; length >>= 7) {
                headers.write((length & LONG) | (LONG + 1));
            }
            headers.write(length);
        }
        headers.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Sends what was added, unless the server hangs up. */
    void send() throws IOException {
        boolean ignored = send(PATIENCE_MILLIS);
    }

    /** The same, up to where the server reads nothing for so long. Returns whether it has read all. */
    boolean send(int patienceMillis) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(frames.toByteArray());
        frames.reset();
        connection.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            SelectionKey ignored = connection.register(selector, SelectionKey.OP_WRITE);
            while (all.hasRemaining() && selector.select(patienceMillis) > 0) {
                selector.selectedKeys().clear();
                int unusedCount = connection.write(all);
            }
        } catch (IOException e) {
            // It has hung up.
        }
        connection.configureBlocking(true);
        return !all.hasRemaining();
    }

    /** Receives so many frames without content, whatever they say, and returns false if the server has hung up. */
    boolean awaitEmpty(int frames) throws IOException {
        try {
            InputStream in = Channels.newInputStream(connection);
            return in.readNBytes(9 * frames).length == 9 * frames;
        } catch (SocketException e) {
            return false;
        }
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
        } catch (EOFException | SocketException e) {
            // It has hung up.
        }
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
