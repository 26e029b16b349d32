package io.edgeplug.system.kernel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

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
    private static final int ATTRIBUTE = 4;
    private static final int MAX_NAME = 15;

    private LinkMessage() {}

    /**
     * The kernel's answer.
     *
     * @param mask what it has beside the usual
     * @throws IOException with the kernel's reason if it does not answer, for example for a missing interface
     */
    public static ByteBuffer ask(String netInterface, int mask) throws IOException {
        byte[] name = netInterface.getBytes(StandardCharsets.UTF_8);
        if (name.length > MAX_NAME) {
            throw new IOException("no interface has a name of more than " + MAX_NAME + " bytes");
        }
        int ofName = ATTRIBUTE + name.length + 1;
        ByteBuffer body = ByteBuffer.allocate(INTERFACE + Netlink.aligned(ofName) + ATTRIBUTE + Integer.BYTES)
                .order(ByteOrder.nativeOrder());
        body.position(INTERFACE);
        body.putShort((short) ofName).putShort(IFLA_IFNAME).put(name);
        body.position(INTERFACE + Netlink.aligned(ofName));
        body.putShort((short) (ATTRIBUTE + Integer.BYTES)).putShort(IFLA_EXT_MASK);
        body.putInt(mask);
        return Netlink.ask(Netlink.request(RTM_GETLINK, body.array()));
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
