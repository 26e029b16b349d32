package io.edgeplug.system.kernel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Network interfaces in other network namespaces than this process's. The kernel numbers each namespace into which an
 * interface has gone from here, and tells of its interfaces to whoever has CAP_NET_ADMIN; see rtnetlink(7) and
 * linux/net_namespace.h. So no process of it is needed, which a unit's sandbox may hide.
 */
public final class OtherLinks {

    // These numbers are those of linux/rtnetlink.h, linux/if_link.h, linux/if_addr.h and linux/net_namespace.h.
    private static final short RTM_NEWLINK = 16;
    private static final short RTM_GETLINK = 18;
    private static final short RTM_GETADDR = 22;
    private static final short RTM_NEWNSID = 88;
    private static final short RTM_GETNSID = 90;
    private static final int NETNSA_NSID = 1;
    private static final int IFLA_ADDRESS = 1;
    private static final int IFLA_IFNAME = 3;
    private static final int IFLA_TARGET_NETNSID = 46;
    private static final int IFLA_PARENT_DEV_NAME = 56;
    private static final int IFA_TARGET_NETNSID = 10;
    private static final int IFF_UP = 1;

    private static final int NAMESPACE = 4;
    private static final int INTERFACE = 16;
    private static final int ADDRESS = 8;

    /** Many times the interfaces or addresses of a pod. */
    private static final long MOST = 4 << 20;

    /** Cards have fewer ports. */
    private static final int MOST_SEEN = 16;

    private static final HexFormat COLONS = HexFormat.ofDelimiter(":");

    private OtherLinks() {}

    /**
     * An interface.
     *
     * @param hasAddress whether it has any address with global scope
     */
    public record Seen(String name, boolean isUp, boolean hasAddress) {}

    /**
     * An interface of a namespace.
     *
     * @param isOfParent whether it belongs to the wanted device; no pod can feign that, as it can a hardware address
     */
    record Entry(int namespace, int index, String name, boolean isUp, boolean isOfParent) {}

    /**
     * The interfaces of a device in all namespaces that the kernel has numbered. One that ends meanwhile has none. Before
     * Linux 5.14, they are those with its hardware address.
     *
     * @param mac in lower case with colons
     * @param parents the names of the devices to which it may belong, such as a PCI address
     */
    public static List<Seen> find(String mac, Set<String> parents) throws IOException {
        List<Integer> namespaces = new ArrayList<>();
        boolean ignored = Netlink.dump(
                RTM_GETNSID,
                new byte[NAMESPACE],
                MOST,
                message -> attributes(message, RTM_NEWNSID, NAMESPACE, NETNSA_NSID)
                        .forEach(value -> namespaces.add(value.getInt(value.position()))));
        List<Entry> all = namespaces.stream()
                .flatMap(namespace -> entries(namespace, mac, parents).stream())
                .toList();
        return ofDevice(all).stream().flatMap(entry -> seen(entry).stream()).toList();
    }

    /** Any pod can make interfaces with any hardware address, and thousands of them. */
    static List<Entry> ofDevice(List<Entry> all) {
        boolean isAnyOfParent = all.stream().anyMatch(Entry::isOfParent);
        return all.stream()
                .filter(one -> one.isOfParent() || !isAnyOfParent)
                .limit(MOST_SEEN)
                .toList();
    }

    private static Optional<Seen> seen(Entry entry) {
        try {
            return Optional.of(new Seen(entry.name(), entry.isUp(), hasAddress(entry.namespace(), entry.index())));
        } catch (IOException e) {
            // It has just ended.
            return Optional.empty();
        }
    }

    private static List<Entry> entries(int namespace, String mac, Set<String> parents) {
        List<Entry> found = new ArrayList<>();
        byte[] body = body(INTERFACE, IFLA_TARGET_NETNSID, namespace);
        try {
            boolean ignored = Netlink.dumpStrictly(RTM_GETLINK, body, MOST, message -> {
                boolean isOfParent =
                        texts(message, IFLA_PARENT_DEV_NAME).stream().anyMatch(parents::contains);
                boolean hasMac = attributes(message, RTM_NEWLINK, INTERFACE, IFLA_ADDRESS).stream()
                        .anyMatch(
                                value -> COLONS.formatHex(Netlink.bytes(value)).equals(mac));
                if (isOfParent || hasMac) {
                    String name =
                            texts(message, IFLA_IFNAME).stream().findFirst().orElse("");
                    int flags = message.getInt(Netlink.HEADER + 2 * Integer.BYTES);
                    int index = message.getInt(Netlink.HEADER + Integer.BYTES);
                    found.add(new Entry(namespace, index, name, (flags & IFF_UP) != 0, isOfParent));
                }
            });
            return found;
        } catch (IOException e) {
            // It has just ended.
            return List.of();
        }
    }

    private static List<String> texts(ByteBuffer message, int wanted) {
        return attributes(message, RTM_NEWLINK, INTERFACE, wanted).stream()
                .map(Netlink::text)
                .toList();
    }

    private static boolean hasAddress(int namespace, int index) throws IOException {
        boolean[] hasAny = {false};
        byte[] body = body(ADDRESS, IFA_TARGET_NETNSID, namespace);
        boolean ignored =
                Netlink.dumpStrictly(RTM_GETADDR, body, MOST, message -> hasAny[0] |= Links.isGlobal(message, index));
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
