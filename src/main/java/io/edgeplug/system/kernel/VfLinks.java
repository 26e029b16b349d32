package io.edgeplug.system.kernel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The kernel's counters of an interface's VFs over a netlink socket; see rtnetlink(7), and IFLA_VFINFO_LIST in
 * include/uapi/linux/if_link.h. They come from the kernel that runs this process. A driver may take any time to answer.
 */
public final class VfLinks {

    // These numbers are those of linux/if_link.h.
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
        return parse(LinkMessage.ask(netInterface, LinkMessage.WITH_VFS));
    }

    /** The VFs in an answer. Nothing is read beyond its end. */
    static Map<Integer, Counts> parse(ByteBuffer answer) {
        Map<Integer, Counts> vfs = new TreeMap<>();
        Netlink.each(
                LinkMessage.attributes(answer),
                IFLA_VFINFO_LIST,
                list -> Netlink.each(list, IFLA_VF_INFO, vf -> addVf(vfs, vf)));
        return vfs;
    }

    private static void addVf(Map<Integer, Counts> vfs, ByteBuffer vf) {
        Map<Integer, ByteBuffer> parts = new HashMap<>();
        Netlink.each(vf, parts::put);
        ByteBuffer mac = parts.getOrDefault(IFLA_VF_MAC, ByteBuffer.allocate(0));
        ByteBuffer stats = parts.getOrDefault(IFLA_VF_STATS, ByteBuffer.allocate(0));
        Map<Integer, Long> counts = new HashMap<>();
        Netlink.each(stats, (type, value) -> {
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
}
