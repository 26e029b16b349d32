package io.edgeplug.system.kernel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What the kernel says of one network interface; see rtnetlink(7). */
public final class LinkMessage {

    /** The attribute asks for all VFs of the interface too. */
    static final int WITH_VFS = 1;

    // These numbers are those of linux/rtnetlink.h and linux/if_link.h.
    private static final short RTM_GETLINK = 18;
    private static final short RTM_NEWLINK = 16;
    private static final short IFLA_IFNAME = 3;
    private static final short IFLA_EXT_MASK = 29;

    private static final int INTERFACE = 16;
    private static final int INDEX_AT = 4;
    private static final int MAX_NAME = 15;

    private LinkMessage() {}

    /**
     * The kernel's answer.
     *
     * @param mask what it has beside the usual
     * @throws IOException with the kernel's reason if it does not answer, for example for a missing interface
     */
    public static ByteBuffer ask(String netInterface, int mask) throws IOException {
        byte[] name = Netlink.attribute(IFLA_IFNAME, zeroEnded(netInterface));
        byte[] more = Netlink.attribute(IFLA_EXT_MASK, Netlink.number(mask));
        ByteBuffer body = ByteBuffer.allocate(INTERFACE + name.length + more.length);
        body.position(INTERFACE).put(name).put(more);
        return Netlink.ask(Netlink.request(RTM_GETLINK, body.array()));
    }

    /** The name of an interface for a request, which the kernel limits. */
    static byte[] zeroEnded(String name) throws IOException {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_NAME) {
            throw new IOException("no interface has a name of more than " + MAX_NAME + " bytes");
        }
        return Arrays.copyOf(bytes, bytes.length + 1);
    }

    /**
     * The name of the interface with this index; empty if the answer has none.
     *
     * @throws IOException with the kernel's reason, for example for a missing interface
     */
    static String name(int index) throws IOException {
        StringBuilder name = new StringBuilder();
        Netlink.each(attributes(ask(index)), IFLA_IFNAME, value -> name.append(Netlink.text(value)));
        return name.toString();
    }

    /** The kernel's answer about the interface with this index. */
    static ByteBuffer ask(int index) throws IOException {
        ByteBuffer body = ByteBuffer.allocate(INTERFACE).order(ByteOrder.nativeOrder());
        body.putInt(INDEX_AT, index);
        return Netlink.ask(Netlink.request(RTM_GETLINK, body.array()));
    }

    /** The attributes of the interface in an answer; none if it is another message. */
    public static ByteBuffer attributes(ByteBuffer answer) {
        ByteBuffer message = answer.duplicate().order(ByteOrder.nativeOrder());
        if (message.remaining() < Netlink.HEADER + INTERFACE || message.getShort(Integer.BYTES) != RTM_NEWLINK) {
            return ByteBuffer.allocate(0);
        }
        return message.position(Netlink.HEADER + INTERFACE);
    }
}
