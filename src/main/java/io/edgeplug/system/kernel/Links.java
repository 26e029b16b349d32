package io.edgeplug.system.kernel;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;

/**
 * Settings of network interfaces in this process's network namespace; see rtnetlink(7). An interface is named by its
 * index, because udev or an administrator may rename it at any time. A driver may take any time to answer.
 *
 * <p>All methods throw an {@link IOException} with the kernel's reason, which for a missing interface is
 * {@code No such device}.
 */
public final class Links {

    // These numbers are those of linux/rtnetlink.h, linux/if_link.h, linux/if_addr.h and linux/if.h.
    private static final short RTM_NEWLINK = 16;
    private static final short RTM_NEWADDR = 20;
    private static final short RTM_DELADDR = 21;
    private static final short RTM_GETADDR = 22;
    private static final short RTM_DELLINKPROP = 109;
    private static final short NLM_F_CREATE_EXCL = 0x600;
    private static final int NLA_F_NESTED = 0x8000;
    private static final int IFLA_ADDRESS = 1;
    private static final int IFLA_IFNAME = 3;
    private static final int IFLA_MTU = 4;
    private static final int IFLA_PROP_LIST = 52;
    private static final int IFLA_ALT_IFNAME = 53;
    private static final int IFF_UP = 1;
    private static final int IFF_PROMISC_ALLMULTI = 0x300;
    private static final int IFA_ADDRESS = 1;
    private static final int IFA_LOCAL = 2;
    private static final int IFA_FLAGS = 8;
    private static final int IFA_F_PERMANENT = 0x80;
    private static final int IFA_F_NOPREFIXROUTE = 0x200;
    private static final byte RT_SCOPE_UNIVERSE = 0;
    private static final byte AF_INET = 2;
    private static final byte AF_INET6 = 10;

    private static final int INTERFACE = 16;
    private static final int ADDRESS = 8;
    private static final int FLAGS_AT = Netlink.HEADER + 8;
    private static final int INDEX_AT = Netlink.HEADER + 4;

    /** Many times the addresses of a node. */
    private static final long MOST = 16 << 20;

    private static final HexFormat COLONS = HexFormat.ofDelimiter(":");

    private Links() {}

    /**
     * An interface.
     *
     * @param altNames its alternative names
     * @param mac its hardware address, in lower case with colons; empty if it has none
     * @param addresses the permanent ones with global scope, which stay with the interface until somebody removes them
     */
    public record Link(
            int index,
            String name,
            List<String> altNames,
            String mac,
            int mtu,
            boolean isUp,
            List<LinkAddress> addresses) {

        public Link {
            altNames = List.copyOf(altNames);
            addresses = List.copyOf(addresses);
        }

        /** The same with another hardware address. */
        public Link withMac(String other) {
            return new Link(index, name, altNames, other, mtu, isUp, addresses);
        }
    }

    /** The interface with that index. */
    public static Link read(int index) throws IOException {
        ByteBuffer answer = LinkMessage.ask(index);
        boolean isUp = answer.remaining() > FLAGS_AT + Integer.BYTES
                && (answer.duplicate().order(ByteOrder.nativeOrder()).getInt(FLAGS_AT) & IFF_UP) != 0;
        String[] texts = {"", ""};
        List<String> altNames = new ArrayList<>();
        int[] mtu = {0};
        Netlink.each(LinkMessage.attributes(answer), (type, value) -> {
            switch (type) {
                case IFLA_IFNAME -> texts[0] = Netlink.text(value);
                case IFLA_PROP_LIST -> Netlink.each(value, IFLA_ALT_IFNAME, other -> altNames.add(Netlink.text(other)));
                case IFLA_ADDRESS -> texts[1] = COLONS.formatHex(Netlink.bytes(value));
                case IFLA_MTU -> mtu[0] = value.remaining() == Integer.BYTES ? value.getInt(value.position()) : 0;
                default -> {}
            }
        });
        return new Link(index, texts[0], altNames, texts[1], mtu[0], isUp, addresses(index));
    }

    private static List<LinkAddress> addresses(int index) throws IOException {
        List<LinkAddress> found = new ArrayList<>();
        // A table that changes meanwhile is read once more. Then the change was this interface's, or one soon follows.
        for (int i = 0; i < 2; i++) {
            found.clear();
            if (Netlink.dump(RTM_GETADDR, new byte[ADDRESS], MOST, message -> add(found, index, message))) {
                return found;
            }
        }
        return found;
    }

    /** Whether a message is about an address with global scope of that interface. */
    static boolean isGlobal(ByteBuffer message, int index) {
        return message.getShort(Integer.BYTES) == RTM_NEWADDR
                && message.remaining() >= Netlink.HEADER + ADDRESS
                && message.getInt(INDEX_AT) == index
                && message.get(Netlink.HEADER + 3) == RT_SCOPE_UNIVERSE;
    }

    private static void add(List<LinkAddress> found, int index, ByteBuffer message) throws IOException {
        if (!isGlobal(message, index)) {
            return;
        }
        int prefix = Byte.toUnsignedInt(message.get(Netlink.HEADER + 1));
        int[] flags = {Byte.toUnsignedInt(message.get(Netlink.HEADER + 2))};
        byte[][] address = {new byte[0], new byte[0]};
        Netlink.each(message.duplicate().position(Netlink.HEADER + ADDRESS), (type, value) -> {
            switch (type) {
                case IFA_ADDRESS -> address[0] = Netlink.bytes(value);
                case IFA_LOCAL -> address[1] = Netlink.bytes(value);
                case IFA_FLAGS -> flags[0] |= value.remaining() == Integer.BYTES ? value.getInt(value.position()) : 0;
                default -> {}
            }
        });
        if ((flags[0] & IFA_F_PERMANENT) != 0) {
            // On a point-to-point link, the first one is the peer's.
            found.add(
                    new LinkAddress(InetAddress.getByAddress(address[1].length > 0 ? address[1] : address[0]), prefix));
        }
    }

    /** Gives it another name. The kernel refuses the name of another interface. */
    public static void rename(int index, String name) throws IOException {
        change(RTM_NEWLINK, index, 0, 0, Netlink.attribute(IFLA_IFNAME, LinkMessage.zeroEnded(name)));
    }

    /** Takes all other alternative names away. They may have any bytes, so each is taken as the kernel has it. */
    public static void keepAltNames(int index, Collection<String> kept) throws IOException {
        List<byte[]> others = new ArrayList<>();
        Netlink.each(
                LinkMessage.attributes(LinkMessage.ask(index)),
                IFLA_PROP_LIST,
                list -> Netlink.each(list, IFLA_ALT_IFNAME, name -> {
                    if (!kept.contains(Netlink.text(name))) {
                        others.add(Netlink.bytes(name));
                    }
                }));
        for (byte[] name : others) {
            byte[] inner = Netlink.attribute(IFLA_ALT_IFNAME, name);
            change(RTM_DELLINKPROP, index, 0, 0, Netlink.attribute(IFLA_PROP_LIST | NLA_F_NESTED, inner));
        }
    }

    /** Sets its hardware address, with colons. */
    public static void setMac(int index, String mac) throws IOException {
        change(RTM_NEWLINK, index, 0, 0, Netlink.attribute(IFLA_ADDRESS, COLONS.parseHex(mac)));
    }

    public static void setMtu(int index, int mtu) throws IOException {
        change(RTM_NEWLINK, index, 0, 0, Netlink.attribute(IFLA_MTU, Netlink.number(mtu)));
    }

    /** Brings it up or down. */
    public static void setUp(int index, boolean isUp) throws IOException {
        change(RTM_NEWLINK, index, isUp ? IFF_UP : 0, IFF_UP, new byte[0]);
    }

    /** Has it receive only its own packets. */
    public static void endPromiscuity(int index) throws IOException {
        change(RTM_NEWLINK, index, 0, IFF_PROMISC_ALLMULTI, new byte[0]);
    }

    private static void change(short type, int index, int flags, int changed, byte[] attribute) throws IOException {
        ByteBuffer body = ByteBuffer.allocate(INTERFACE + attribute.length).order(ByteOrder.nativeOrder());
        body.putInt(Integer.BYTES, index).putInt(2 * Integer.BYTES, flags).putInt(3 * Integer.BYTES, changed);
        body.position(INTERFACE).put(attribute);
        Netlink.change(type, (short) 0, body.array());
    }

    /**
     * Adds an address.
     *
     * @param hasRoute whether the kernel also adds the route to its network
     */
    public static void add(int index, LinkAddress address, boolean hasRoute) throws IOException {
        Netlink.change(RTM_NEWADDR, NLM_F_CREATE_EXCL, body(index, address, hasRoute ? 0 : IFA_F_NOPREFIXROUTE));
    }

    public static void remove(int index, LinkAddress address) throws IOException {
        Netlink.change(RTM_DELADDR, (short) 0, body(index, address, 0));
    }

    private static byte[] body(int index, LinkAddress address, int flags) {
        byte[] bytes = address.bytes();
        byte[] local = Netlink.attribute(IFA_LOCAL, bytes);
        byte[] same = Netlink.attribute(IFA_ADDRESS, bytes);
        byte[] more = Netlink.attribute(IFA_FLAGS, Netlink.number(flags));
        return ByteBuffer.allocate(ADDRESS + local.length + same.length + more.length)
                .order(ByteOrder.nativeOrder())
                .put(bytes.length == Integer.BYTES ? AF_INET : AF_INET6)
                .put((byte) address.prefix())
                .put((byte) 0)
                .put(RT_SCOPE_UNIVERSE)
                .putInt(index)
                .put(local)
                .put(same)
                .put(more)
                .array();
    }
}
