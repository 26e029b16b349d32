package io.edgeplug.system.kernel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Questions to the kernel over a netlink socket; see netlink(7) and rtnetlink(7). It is the kernel that runs this
 * process. A driver may take any time to answer.
 */
public final class Netlink {

    /** The length of the header of each message. */
    static final int HEADER = 16;

    // These numbers are those of linux/netlink.h and linux/socket.h.
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 02000000;
    private static final int NETLINK_ROUTE = 0;
    private static final int SOL_NETLINK = 270;
    private static final int NETLINK_GET_STRICT_CHK = 12;
    private static final short NLMSG_ERROR = 2;
    private static final short NLMSG_DONE = 3;
    private static final short NLM_F_REQUEST = 1;
    private static final short NLM_F_ACK = 4;
    private static final short NLM_F_DUMP = 0x300;
    private static final short NLM_F_DUMP_INTR = 0x10;
    private static final int MSG_TRUNC = 0x20;
    private static final int MSG_PEEK_TRUNC = 0x2 | MSG_TRUNC;

    private static final int FLAGS_AT = 6;
    private static final int ATTRIBUTE = 4;

    /** The list of an interface's VFs has at most 64 KiB, because its length has 16 bits. */
    private static final int MAX_ANSWER = 256 << 10;

    /** The kernel fills at most 32 KiB at a time. */
    private static final int PIECE = 64 << 10;

    private Netlink() {}

    /** Handles one message of an answer. */
    interface Message {
        void accept(ByteBuffer message) throws IOException;
    }

    /** A request with the header that goes before this body. */
    static byte[] request(short type, byte[] body) {
        return request(type, NLM_F_REQUEST, body);
    }

    private static byte[] request(short type, short flags, byte[] body) {
        return ByteBuffer.allocate(HEADER + body.length)
                .order(ByteOrder.nativeOrder())
                .putInt(HEADER + body.length)
                .putShort(type)
                .putShort(flags)
                .position(HEADER)
                .put(body)
                .array();
    }

    /**
     * The one message that answers a request.
     *
     * @throws IOException with the kernel's reason if it does not answer
     */
    static ByteBuffer ask(byte[] request) throws IOException {
        int socket = send(request);
        try {
            int length = Math.toIntExact(
                    KernelCalls.checked(KernelCalls.recv(socket, KernelCalls.memory(HEADER), HEADER, MSG_PEEK_TRUNC)));
            if (length > MAX_ANSWER) {
                throw new IOException("an answer of " + length + " bytes");
            }
            ByteBuffer answer = receive(socket, KernelCalls.memory(length), length);
            refuseError(answer);
            return answer;
        } finally {
            KernelCalls.close(socket);
        }
    }

    /**
     * Has the kernel change something, and returns once it has.
     *
     * @param flags beside those of each request
     * @throws IOException with the kernel's reason if it refuses
     */
    static void change(short type, short flags, byte[] body) throws IOException {
        int socket = send(request(type, (short) (NLM_F_REQUEST | NLM_F_ACK | flags), body));
        try {
            ByteBuffer answer = receive(socket, KernelCalls.memory(PIECE), PIECE);
            if (answer.remaining() >= HEADER + Integer.BYTES && answer.getInt(HEADER) != 0) {
                refuseError(answer);
            }
        } finally {
            KernelCalls.close(socket);
        }
    }

    /**
     * Passes on each entry of one of the kernel's tables.
     *
     * @param most the limit for all messages together, in bytes
     * @return false if the table has changed meanwhile, so that an entry may have been left out
     * @throws IOException with the kernel's reason if it does not answer, or if there is more than that
     */
    static boolean dump(short type, byte[] body, long most, Message told) throws IOException {
        return dump(type, body, most, false, told);
    }

    /**
     * The same of what the request says. Without strictness, the kernel ignores some of it.
     *
     * @throws IOException also if the kernel is older than 4.20
     */
    static boolean dumpStrictly(short type, byte[] body, long most, Message told) throws IOException {
        return dump(type, body, most, true, told);
    }

    private static boolean dump(short type, byte[] body, long most, boolean isStrict, Message told) throws IOException {
        int socket = open();
        try {
            if (isStrict) {
                ByteBuffer yes = KernelCalls.memory(Integer.BYTES).putInt(0, 1);
                KernelCalls.checked(
                        KernelCalls.setsockopt(socket, SOL_NETLINK, NETLINK_GET_STRICT_CHK, yes, Integer.BYTES));
            }
            send(socket, request(type, (short) (NLM_F_REQUEST | NLM_F_DUMP), body));
            ByteBuffer memory = KernelCalls.memory(PIECE);
            boolean isWhole = true;
            long left = most;
            while (true) {
                ByteBuffer piece = receive(socket, memory, PIECE);
                left -= piece.remaining();
                if (left < 0) {
                    throw new IOException("the kernel's table has more than " + (most >> 20) + " MiB");
                }
                while (piece.remaining() >= HEADER) {
                    ByteBuffer message = next(piece);
                    refuseError(message);
                    isWhole &= (message.getShort(FLAGS_AT) & NLM_F_DUMP_INTR) == 0;
                    if (message.getShort(Integer.BYTES) == NLMSG_DONE) {
                        return isWhole;
                    }
                    told.accept(message);
                }
            }
        } finally {
            KernelCalls.close(socket);
        }
    }

    private static int open() throws IOException {
        return (int) KernelCalls.checked(KernelCalls.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_ROUTE));
    }

    private static int send(byte[] request) throws IOException {
        int socket = open();
        try {
            send(socket, request);
        } catch (IOException e) {
            KernelCalls.close(socket);
            throw e;
        }
        return socket;
    }

    private static void send(int socket, byte[] request) throws IOException {
        ByteBuffer sent = KernelCalls.memory(request.length).put(0, request);
        KernelCalls.checked(KernelCalls.send(socket, sent, request.length, 0));
    }

    private static ByteBuffer receive(int socket, ByteBuffer memory, int most) throws IOException {
        int length = Math.toIntExact(KernelCalls.checked(KernelCalls.recv(socket, memory, most, MSG_TRUNC)));
        if (length > most) {
            throw new IOException("an answer of " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        memory.get(0, bytes);
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    }

    /** Takes the next message off. */
    private static ByteBuffer next(ByteBuffer piece) throws IOException {
        int length = piece.getInt(piece.position());
        if (length < HEADER || length > piece.remaining()) {
            throw new IOException("a message of " + length + " bytes");
        }
        ByteBuffer message = piece.slice(piece.position(), length).order(ByteOrder.nativeOrder());
        piece.position(Math.min(piece.limit(), piece.position() + aligned(length)));
        return message;
    }

    private static void refuseError(ByteBuffer message) throws IOException {
        if (message.remaining() < HEADER + Integer.BYTES) {
            return;
        }
        short type = message.getShort(Integer.BYTES);
        int error = message.getInt(HEADER);
        if (type == NLMSG_ERROR || (type == NLMSG_DONE && error < 0)) {
            throw new IOException(KernelCalls.strerror(-error));
        }
    }

    /** Passes on the value of each attribute of a type. */
    public static void each(ByteBuffer attributes, int wanted, Consumer<ByteBuffer> told) {
        each(attributes, (type, value) -> {
            if (type == wanted) {
                told.accept(value);
            }
        });
    }

    /** Goes through attributes as far as their lengths are valid. */
    public static void each(ByteBuffer attributes, BiConsumer<Integer, ByteBuffer> told) {
        ByteBuffer rest = attributes.duplicate().order(ByteOrder.nativeOrder());
        while (rest.remaining() >= ATTRIBUTE) {
            int begin = rest.position();
            int length = Short.toUnsignedInt(rest.getShort(begin));
            // The two highest bits are flags.
            int type = rest.getShort(begin + Short.BYTES) & 0x3fff;
            if (length < ATTRIBUTE || length > rest.remaining()) {
                return;
            }
            told.accept(type, rest.slice(begin + ATTRIBUTE, length - ATTRIBUTE).order(ByteOrder.nativeOrder()));
            rest.position(Math.min(rest.limit(), begin + aligned(length)));
        }
    }

    /** An attribute of a request, with its padding. */
    static byte[] attribute(int type, byte[] value) {
        return ByteBuffer.allocate(aligned(ATTRIBUTE + value.length))
                .order(ByteOrder.nativeOrder())
                .putShort((short) (ATTRIBUTE + value.length))
                .putShort((short) type)
                .put(value)
                .array();
    }

    /** The value of an attribute that is a number. */
    static byte[] number(int value) {
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.nativeOrder())
                .putInt(value)
                .array();
    }

    /** The text that an attribute has up to its zero. */
    public static String text(ByteBuffer value) {
        String text = StandardCharsets.UTF_8.decode(value.duplicate()).toString();
        int end = text.indexOf(0);
        return end < 0 ? text : text.substring(0, end);
    }

    static byte[] bytes(ByteBuffer value) {
        byte[] bytes = new byte[value.remaining()];
        value.duplicate().get(bytes);
        return bytes;
    }

    static int aligned(int length) {
        return (length + 3) & ~3;
    }
}
