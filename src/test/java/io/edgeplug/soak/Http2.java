package io.edgeplug.soak;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The bytes of one gRPC call as a client sends them, so that they can be spoilt, and so that any process can send them. */
final class Http2 {

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;

    /** Seven bits. */
    private static final int LONG = 127;

    private Http2() {}

    /** Preface, settings, headers and one message; see RFC 9113 and gRPC's "gRPC over HTTP2". */
    static byte[] call(String method, byte[] message) {
        ByteArrayOutputStream call = begin(-1);
        call(call, 1, method, message);
        return call.toByteArray();
    }

    /** Preface and settings; with a window for answers, unless that is -1. */
    static ByteArrayOutputStream begin(int window) {
        ByteArrayOutputStream begin = new ByteArrayOutputStream();
        begin.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        byte[] settings = ByteBuffer.allocate(6)
                .putShort((short) INITIAL_WINDOW_SIZE)
                .putInt(window)
                .array();
        frame(begin, SETTINGS, 0, 0, window < 0 ? new byte[0] : settings);
        return begin;
    }

    /** Adds a call on a stream, whose number is odd. */
    static void call(ByteArrayOutputStream call, int stream, String method, byte[] message) {
        ByteArrayOutputStream headers = new ByteArrayOutputStream();
        header(headers, ":method", "POST");
        header(headers, ":scheme", "http");
        header(headers, ":path", "/" + method);
        header(headers, ":authority", "localhost");
        header(headers, "te", "trailers");
        header(headers, "content-type", "application/grpc");
        byte[] framed = ByteBuffer.allocate(5 + message.length)
                .put((byte) 0)
                .putInt(message.length)
                .put(message)
                .array();
        frame(call, HEADERS, END_HEADERS, stream, headers.toByteArray());
        frame(call, DATA, END_STREAM, stream, framed);
    }

    /** Adds the end of a call by its caller. */
    static void reset(ByteArrayOutputStream call, int stream) {
        frame(call, RST_STREAM, 0, stream, new byte[4]);
    }

    /** Adds a question that is answered whatever the window is. */
    static void ping(ByteArrayOutputStream call) {
        frame(call, PING, 0, 0, new byte[8]);
    }

    /** Without indexing and without Huffman's code; see RFC 7541, 6.2.2. */
    private static void header(ByteArrayOutputStream headers, String name, String value) {
        headers.write(0);
        text(headers, name);
        text(headers, value);
    }

    /** Its length in seven bits, or in groups of them; see RFC 7541, 5.1. */
    private static void text(ByteArrayOutputStream headers, String text) {
        int rest = text.length() - LONG;
        headers.write(Math.min(text.length(), LONG));
        for (; rest > LONG; rest >>= 7) {
            headers.write((rest & LONG) | (LONG + 1));
        }
        if (rest >= 0) {
            headers.write(rest);
        }
        headers.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void frame(ByteArrayOutputStream out, int type, int flags, int stream, byte[] content) {
        out.writeBytes(ByteBuffer.allocate(9)
                .put((byte) (content.length >> 16))
                .putShort((short) content.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .array());
        out.writeBytes(content);
    }

    /** Whether a message came, and not only the end of the call. */
    static boolean isAnswered(DataInputStream in) throws IOException {
        try {
            while (true) {
                int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
                int type = in.readUnsignedByte();
                int flags = in.readUnsignedByte();
                in.readInt();
                in.skipNBytes(length);
                if (type == DATA) {
                    return true;
                }
                if (type == RST_STREAM || type == GOAWAY || (type == HEADERS && (flags & END_STREAM) != 0)) {
                    return false;
                }
            }
        } catch (EOFException e) {
            return false;
        }
    }
}
