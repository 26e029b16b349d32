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
    private static final int GOAWAY = 7;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;

    private Http2() {}

    /** Preface, settings, headers and one message; see RFC 9113 and gRPC's "gRPC over HTTP2". */
    static byte[] call(String method, byte[] message) {
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
        ByteArrayOutputStream call = new ByteArrayOutputStream();
        call.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        frame(call, SETTINGS, 0, 0, new byte[0]);
        frame(call, HEADERS, END_HEADERS, 1, headers.toByteArray());
        frame(call, DATA, END_STREAM, 1, framed);
        return call.toByteArray();
    }

    /** Without indexing and without Huffman's code; see RFC 7541, 6.2.2. */
    private static void header(ByteArrayOutputStream headers, String name, String value) {
        headers.write(0);
        headers.write(name.length());
        headers.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        headers.write(value.length());
        headers.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
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
