package io.edgeplug.system.kernel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The routes of this process's network namespace, of all tables and with all their next hops; see rtnetlink(7).
 * {@code /proc/net/route} has the main table alone, and only the first next hop of each route.
 */
public final class KernelRoutes {

    /** The table that the kernel looks into if no rule says otherwise. */
    public static final int MAIN = 254;

    // These numbers are those of linux/rtnetlink.h and linux/socket.h.
    private static final byte AF_INET = 2;
    private static final byte AF_INET6 = 10;
    private static final short RTM_NEWROUTE = 24;
    private static final short RTM_GETROUTE = 26;
    private static final int RTN_UNICAST = 1;
    private static final int RTN_LOCAL = 2;
    private static final int RTM_F_CLONED = 0x200;
    private static final int RTA_DST = 1;
    private static final int RTA_OIF = 4;
    private static final int RTA_MULTIPATH = 9;
    private static final int RTA_TABLE = 15;
    private static final int RTA_NH_ID = 30;

    private static final int ROUTE = 12;
    private static final int PREFIX_AT = Netlink.HEADER + 1;
    private static final int TABLE_AT = Netlink.HEADER + 4;
    private static final int TYPE_AT = Netlink.HEADER + 7;
    private static final int FLAGS_AT = Netlink.HEADER + 8;

    private static final int NEXT_HOP = 8;
    private static final int IPV4_BITS = 32;
    private static final int IPV6_BITS = 128;

    /** A node with the routes of the whole Internet has about a million. */
    private static final long MAX_BYTES = 128L << 20;

    /** Routes that come and go while they are read may hide others. */
    private static final int TRIES = 3;

    private KernelRoutes() {}

    /**
     * A route by one interface.
     *
     * @param prefix how many bits of an address it is for: 0 for all addresses, and all bits for an address of the node
     */
    public record Route(boolean isIpv6, int table, int prefix, String netInterface) {

        /** The route of a line, as {@link #toString} writes it. */
        public static List<Route> parse(String line) {
            String[] words = line.strip().split("\\s+", -1);
            boolean isRoute = words.length == 4
                    && Set.of("ipv4", "ipv6").contains(words[0])
                    && words[1].matches("\\d{1,10}")
                    && words[2].matches("\\d{1,3}");
            return isRoute
                    ? List.of(new Route(
                            words[0].equals("ipv6"),
                            (int) Long.parseLong(words[1]),
                            Integer.parseInt(words[2]),
                            words[3]))
                    : List.of();
        }

        @Override
        public String toString() {
            return (isIpv6 ? "ipv6 " : "ipv4 ") + Integer.toUnsignedString(table) + " " + prefix + " " + netInterface;
        }
    }

    /** A route by the interface with an index. */
    record Hop(boolean isIpv6, int table, int prefix, int index) {}

    /**
     * All routes that lead to an interface, each once, and the node's addresses of IPv4.
     *
     * @throws IOException with the kernel's reason if it does not answer, or if the next hop of a route is not known
     */
    public static Set<Route> read() throws IOException {
        Set<Hop> hops = new LinkedHashSet<>();
        for (byte family : new byte[] {AF_INET, AF_INET6}) {
            byte[] body = new byte[ROUTE];
            body[0] = family;
            boolean isWhole = false;
            for (int tries = 0; tries < TRIES && !isWhole; tries++) {
                isWhole = Netlink.dump(RTM_GETROUTE, body, MAX_BYTES, message -> hops.addAll(parse(message)));
            }
        }
        Map<Integer, String> names = new HashMap<>();
        Set<Route> routes = new LinkedHashSet<>();
        for (Hop hop : hops) {
            String name = names.get(hop.index());
            if (name == null) {
                name = name(hop.index());
                names.put(hop.index(), name);
            }
            if (!name.isEmpty()) {
                routes.add(new Route(hop.isIpv6(), hop.table(), hop.prefix(), name));
            }
        }
        return routes;
    }

    /** An interface may go at any time, and its routes with it. */
    private static String name(int index) {
        try {
            return LinkMessage.name(index);
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * The hops of a message; none for a route that leads to no interface, or stays on its link. Nothing is read beyond
     * its end.
     */
    static Set<Hop> parse(ByteBuffer answer) throws IOException {
        ByteBuffer message = answer.duplicate().order(ByteOrder.nativeOrder());
        if (message.remaining() < Netlink.HEADER + ROUTE || message.getShort(Integer.BYTES) != RTM_NEWROUTE) {
            return Set.of();
        }
        int type = message.get(TYPE_AT);
        boolean isIpv6 = message.get(Netlink.HEADER) == AF_INET6;
        Map<Integer, ByteBuffer> parts = new TreeMap<>();
        Netlink.each(message.duplicate().position(Netlink.HEADER + ROUTE), parts::put);
        boolean isOfNode = type == RTN_UNICAST || type == RTN_LOCAL;
        boolean isCloned = (message.getInt(FLAGS_AT) & RTM_F_CLONED) != 0;
        if (!isOfNode || isCloned || (isIpv6 && isOfLink(parts.get(RTA_DST)))) {
            return Set.of();
        }
        int table = number(parts.get(RTA_TABLE), Byte.toUnsignedInt(message.get(TABLE_AT)));
        int bits = isIpv6 ? IPV6_BITS : IPV4_BITS;
        int prefix = type == RTN_LOCAL ? bits : Byte.toUnsignedInt(message.get(PREFIX_AT));
        Set<Integer> indexes = indexes(parts);
        if (indexes.isEmpty() && parts.containsKey(RTA_NH_ID)) {
            throw new IOException("a route of table " + Integer.toUnsignedString(table) + " has next hop "
                    + number(parts.get(RTA_NH_ID), 0) + ", whose interfaces the kernel does not say");
        }
        Set<Hop> hops = new HashSet<>();
        indexes.forEach(index -> hops.add(new Hop(isIpv6, table, prefix, index)));
        return hops;
    }

    /** Each interface has such addresses and routes of IPv6. */
    private static boolean isOfLink(@Nullable ByteBuffer destination) {
        if (destination == null || destination.remaining() < Short.BYTES) {
            return false;
        }
        int first = Byte.toUnsignedInt(destination.get(destination.position()));
        int second = Byte.toUnsignedInt(destination.get(destination.position() + 1));
        return first == 0xff || (first == 0xfe && (second & 0xc0) == 0x80);
    }

    private static Set<Integer> indexes(Map<Integer, ByteBuffer> parts) {
        Set<Integer> indexes = new LinkedHashSet<>();
        int own = number(parts.get(RTA_OIF), 0);
        if (own > 0) {
            indexes.add(own);
        }
        ByteBuffer hops = parts.get(RTA_MULTIPATH);
        while (hops != null && hops.remaining() >= NEXT_HOP) {
            int begin = hops.position();
            int length = Short.toUnsignedInt(hops.getShort(begin));
            if (length < NEXT_HOP || length > hops.remaining()) {
                break;
            }
            indexes.add(hops.getInt(begin + Integer.BYTES));
            hops.position(Math.min(hops.limit(), begin + Netlink.aligned(length)));
        }
        return indexes;
    }

    private static int number(@Nullable ByteBuffer value, int other) {
        return value == null || value.remaining() < Integer.BYTES ? other : value.getInt(value.position());
    }
}
