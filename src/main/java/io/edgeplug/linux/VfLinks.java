package io.edgeplug.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/**
 * The kernel's counters of an interface's VFs over a netlink socket; see rtnetlink(7), and IFLA_VFINFO_LIST in
 * include/uapi/linux/if_link.h. They come from the kernel that runs this process. A driver may take any time to answer.
 */
public final class VfLinks {

    // These numbers are those of linux/netlink.h, linux/rtnetlink.h and linux/if_link.h.
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 02000000;
    private static final int NETLINK_ROUTE = 0;
    private static final short RTM_GETLINK = 18;
    private static final short RTM_NEWLINK = 16;
    private static final short NLMSG_ERROR = 2;
    private static final short NLM_F_REQUEST = 1;
    private static final short IFLA_IFNAME = 3;
    private static final short IFLA_EXT_MASK = 29;
    private static final int RTEXT_FILTER_VF = 1;
    private static final int IFLA_VFINFO_LIST = 22;
    private static final int IFLA_VF_INFO = 1;
    private static final int IFLA_VF_MAC = 1;
    private static final int IFLA_VF_STATS = 8;
    private static final int RX_PACKETS = 0;
    private static final int TX_PACKETS = 1;
    private static final int RX_BYTES = 2;
    private static final int TX_BYTES = 3;
    private static final int RX_DROPPED = 7;
    private static final int TX_DROPPED = 8;
    private static final int MSG_PEEK_TRUNC = 0x2 | 0x20;

    private static final int HEADER = 16;
    private static final int INTERFACE = 16;
    private static final int ATTRIBUTE = 4;
    private static final int MAX_NAME = 15;

    /** The list of an interface's VFs has at most 64 KiB, because its length has 16 bits. */
    private static final int MAX_ANSWER = 256 << 10;

    private VfLinks() {}

    /** The counters of a VF; 0 if the driver does not count. */
    public record Counts(
            long receivedPackets,
            long sentPackets,
            long receivedBytes,
            long sentBytes,
            long receivedDropped,
            long sentDropped) {}

    /**
     * The counters of each VF of a PF, by the VF's number; none if it has none.
     *
     * @param netInterface the PF's
     * @throws IOException with the kernel's reason if it does not answer, for example for a missing interface
     */
    public static Map<Integer, Counts> read(String netInterface) throws IOException {
        KernelCalls calls = KernelCalls.load();
        int socket = (int) checked(calls, calls.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_ROUTE));
        try {
            byte[] request = request(netInterface);
            Pointer sent = KernelCalls.memory(calls, request.length);
            sent.put(0, request, 0, request.length);
            checked(calls, calls.send(socket, sent, request.length, 0));
            int length = Math.toIntExact(
                    checked(calls, calls.recv(socket, KernelCalls.memory(calls, HEADER), HEADER, MSG_PEEK_TRUNC)));
            if (length > MAX_ANSWER) {
                throw new IOException("an answer of " + length + " bytes");
            }
            Pointer memory = KernelCalls.memory(calls, length);
            byte[] answer = new byte[Math.toIntExact(checked(calls, calls.recv(socket, memory, length, 0)))];
            memory.get(0, answer, 0, answer.length);
            return parse(calls, ByteBuffer.wrap(answer));
        } finally {
            calls.close(socket);
        }
    }

    private static long checked(KernelCalls calls, long result) throws IOException {
        if (result < 0) {
            throw new IOException(calls.strerror(Runtime.getRuntime(calls).getLastError()));
        }
        return result;
    }

    private static byte[] request(String netInterface) throws IOException {
        byte[] name = netInterface.getBytes(StandardCharsets.UTF_8);
        if (name.length > MAX_NAME) {
            throw new IOException("no interface has a name of more than " + MAX_NAME + " bytes");
        }
        int ofName = ATTRIBUTE + name.length + 1;
        int length = HEADER + INTERFACE + aligned(ofName) + ATTRIBUTE + Integer.BYTES;
        ByteBuffer request = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
        request.putInt(length).putShort(RTM_GETLINK).putShort(NLM_F_REQUEST);
        request.position(HEADER + INTERFACE);
        request.putShort((short) ofName).putShort(IFLA_IFNAME).put(name);
        request.position(HEADER + INTERFACE + aligned(ofName));
        request.putShort((short) (ATTRIBUTE + Integer.BYTES)).putShort(IFLA_EXT_MASK);
        request.putInt(RTEXT_FILTER_VF);
        return request.array();
    }

    private static Map<Integer, Counts> parse(KernelCalls calls, ByteBuffer answer) throws IOException {
        answer.order(ByteOrder.nativeOrder());
        if (answer.remaining() >= HEADER + Integer.BYTES && answer.getShort(Integer.BYTES) == NLMSG_ERROR) {
            throw new IOException(calls.strerror(-answer.getInt(HEADER)));
        }
        return parse(answer);
    }

    /** The VFs in an answer. Nothing is read beyond its end. */
    static Map<Integer, Counts> parse(ByteBuffer answer) {
        ByteBuffer message = answer.order(ByteOrder.nativeOrder());
        Map<Integer, Counts> vfs = new TreeMap<>();
        if (message.remaining() < HEADER + INTERFACE || message.getShort(Integer.BYTES) != RTM_NEWLINK) {
            return vfs;
        }
        message.position(HEADER + INTERFACE);
        each(message, IFLA_VFINFO_LIST, list -> each(list, IFLA_VF_INFO, vf -> addVf(vfs, vf)));
        return vfs;
    }

    private static void addVf(Map<Integer, Counts> vfs, ByteBuffer vf) {
        Map<Integer, ByteBuffer> parts = new HashMap<>();
        each(vf, parts::put);
        ByteBuffer mac = parts.getOrDefault(IFLA_VF_MAC, ByteBuffer.allocate(0));
        ByteBuffer stats = parts.getOrDefault(IFLA_VF_STATS, ByteBuffer.allocate(0));
        Map<Integer, Long> counts = new HashMap<>();
        each(stats, (type, value) -> {
            if (value.remaining() == Long.BYTES) {
                counts.put(type, value.getLong(value.position()));
            }
        });
        // Each part begins with the number of the VF.
        if (mac.remaining() >= Integer.BYTES && !counts.isEmpty()) {
            vfs.put(
                    mac.getInt(mac.position()),
                    new Counts(
                            counts.getOrDefault(RX_PACKETS, 0L),
                            counts.getOrDefault(TX_PACKETS, 0L),
                            counts.getOrDefault(RX_BYTES, 0L),
                            counts.getOrDefault(TX_BYTES, 0L),
                            counts.getOrDefault(RX_DROPPED, 0L),
                            counts.getOrDefault(TX_DROPPED, 0L)));
        }
    }

    /** Handles the value of an attribute. */
    private interface Value {
        void accept(ByteBuffer value);
    }

    private static void each(ByteBuffer attributes, int wanted, Value told) {
        each(attributes, (type, value) -> {
            if (type == wanted) {
                told.accept(value);
            }
        });
    }

    /** Goes through attributes as far as their lengths are valid. */
    private static void each(ByteBuffer attributes, BiConsumer<Integer, ByteBuffer> told) {
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

    private static int aligned(int length) {
        return (length + 3) & ~3;
    }
}
