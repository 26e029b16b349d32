package io.edgeplug.system.kernel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Network interfaces in other network namespaces than this process's. The kernel numbers each namespace into which an
 * interface has gone from here, and tells of its interfaces to whoever has CAP_NET_ADMIN; see rtnetlink(7) and
 * linux/net_namespace.h. So no process of it is needed, which a unit's sandbox may hide.
 */
public final class OtherLinks {

    // These numbers are those of linux/rtnetlink.h, linux/if_link.h, linux/if_addr.h and linux/net_namespace.h.
    private static final short RTM_NEWLINK = 16;
    private static final short RTM_GETLINK = 18;
    private static final short RTM_NEWADDR = 20;
    private static final short RTM_GETADDR = 22;
    private static final short RTM_NEWNSID = 88;
    private static final short RTM_GETNSID = 90;
    private static final int NETNSA_NSID = 1;
    private static final int IFLA_ADDRESS = 1;
    private static final int IFLA_IFNAME = 3;
    private static final int IFLA_TARGET_NETNSID = 46;
    private static final int IFA_TARGET_NETNSID = 10;
    private static final int IFF_UP = 1;
    private static final byte RT_SCOPE_UNIVERSE = 0;

    private static final int NAMESPACE = 4;
    private static final int INTERFACE = 16;
    private static final int ADDRESS = 8;

    /** Many times the interfaces or addresses of a pod. */
    private static final long MOST = 4 << 20;

    private static final HexFormat COLONS = HexFormat.ofDelimiter(":");

    private OtherLinks() {}

    /**
     * An interface.
     *
     * @param hasAddress whether it has any address with global scope
     */
    public record Seen(String name, boolean isUp, boolean hasAddress) {}

    private record Entry(int index, String name, boolean isUp) {}

    /**
     * The interfaces with a hardware address in all namespaces that the kernel has numbered. One that ends meanwhile has
     * none.
     *
     * @param mac in lower case with colons
     */
    public static List<Seen> find(String mac) throws IOException {
        List<Integer> namespaces = new ArrayList<>();
        boolean ignored = Netlink.dump(
                RTM_GETNSID,
                new byte[NAMESPACE],
                MOST,
                message -> attributes(message, RTM_NEWNSID, NAMESPACE, NETNSA_NSID)
                        .forEach(value -> namespaces.add(value.getInt(value.position()))));
        return namespaces.stream()
                .flatMap(namespace -> seen(namespace, mac).stream())
                .toList();
    }

    private static List<Seen> seen(int namespace, String mac) {
        List<Seen> found = new ArrayList<>();
        try {
            for (Entry entry : entries(namespace, mac)) {
                found.add(new Seen(entry.name(), entry.isUp(), hasAddress(namespace, entry.index())));
            }
            return found;
        } catch (IOException e) {
            // It has just ended.
            return List.of();
        }
    }

    private static List<Entry> entries(int namespace, String mac) throws IOException {
        List<Entry> found = new ArrayList<>();
        byte[] body = body(INTERFACE, IFLA_TARGET_NETNSID, namespace);
        boolean ignored = Netlink.dumpStrictly(RTM_GETLINK, body, MOST, message -> {
            boolean isWanted = attributes(message, RTM_NEWLINK, INTERFACE, IFLA_ADDRESS).stream()
                    .anyMatch(value -> COLONS.formatHex(Netlink.bytes(value)).equals(mac));
            if (isWanted) {
                String name = attributes(message, RTM_NEWLINK, INTERFACE, IFLA_IFNAME).stream()
                        .map(Netlink::text)
                        .findFirst()
                        .orElse("");
                int flags = message.getInt(Netlink.HEADER + 2 * Integer.BYTES);
                found.add(new Entry(message.getInt(Netlink.HEADER + Integer.BYTES), name, (flags & IFF_UP) != 0));
            }
        });
        return found;
    }

    private static boolean hasAddress(int namespace, int index) throws IOException {
        boolean[] hasAny = {false};
        byte[] body = body(ADDRESS, IFA_TARGET_NETNSID, namespace);
        boolean ignored = Netlink.dumpStrictly(
                RTM_GETADDR,
                body,
                MOST,
                message -> hasAny[0] |= message.getShort(Integer.BYTES) == RTM_NEWADDR
                        && message.remaining() >= Netlink.HEADER + ADDRESS
                        && message.getInt(Netlink.HEADER + Integer.BYTES) == index
                        && message.get(Netlink.HEADER + 3) == RT_SCOPE_UNIVERSE);
        return hasAny[0];
    }

    /** The values of one kind of attribute in a message of a type; none in others. */
    private static List<ByteBuffer> attributes(ByteBuffer message, short type, int header, int wanted) {
        List<ByteBuffer> values = new ArrayList<>();
        if (message.getShort(Integer.BYTES) == type && message.remaining() >= Netlink.HEADER + header) {
            Netlink.each(message.duplicate().position(Netlink.HEADER + header), wanted, values::add);
        }
        return values;
    }

    private static byte[] body(int header, int attribute, int value) {
        byte[] last = Netlink.attribute(attribute, Netlink.number(value));
        return ByteBuffer.allocate(header + last.length)
                .position(header)
                .put(last)
                .array();
    }
}
