package io.edgeplug.system.udev;

import io.edgeplug.system.kernel.OwnNamespaces;
import io.edgeplug.system.kernel.TestCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import jnr.ffi.Memory;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/** Sends datagrams to udevd's group, as root may; in {@link OwnNamespaces}, where no other program hears them. */
public final class UeventSender implements AutoCloseable {

    /** The largest datagram that is sent. */
    public static final int MAX_BYTES = 64 << 10;

    /** Bytes before the properties. */
    public static final int HEADER = 40;

    private static final int GROUP_UDEV = 2;

    private final TestCalls libc = TestCalls.load();
    private final Pointer bytes = Memory.allocateDirect(Runtime.getRuntime(libc), MAX_BYTES);
    private final Pointer address = Memory.allocateDirect(Runtime.getRuntime(libc), 12, true);
    private final int socket = libc.socket(TestCalls.AF_NETLINK, TestCalls.SOCK_RAW, TestCalls.NETLINK_KOBJECT_UEVENT);

    /** Sends it to all who listen; where nobody does, nothing happens. */
    public void send(byte[] datagram) {
        address.putShort(0, (short) TestCalls.AF_NETLINK);
        address.putInt(4, 0);
        address.putInt(8, GROUP_UDEV);
        bytes.put(0, datagram, 0, datagram.length);
        libc.sendto(socket, bytes, datagram.length, 0, address, 12);
    }

    /** How much waits in the sockets of the group, and how many datagrams had no room in them. */
    public record Waiting(long bytes, long dropped) {}

    /** What listeners have not read yet. */
    public static Waiting waiting() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/thread-self/net/netlink"))) {
            List<String[]> sockets = lines.map(line -> line.strip().split("\\s+", -1))
                    .filter(line -> line[1].equals(String.valueOf(TestCalls.NETLINK_KOBJECT_UEVENT)))
                    .filter(line -> line[3].equals("0000000" + GROUP_UDEV))
                    .toList();
            return new Waiting(
                    sockets.stream().mapToLong(line -> Long.parseLong(line[4])).sum(),
                    sockets.stream().mapToLong(line -> Long.parseLong(line[8])).sum());
        }
    }

    /** As libudev has it: its name, a magic number, header and properties, hashes for the kernel to filter by. */
    public static byte[] valid(String action, String devpath, String subsystem) {
        byte[] properties = String.join(
                        "\0", "ACTION=" + action, "DEVPATH=" + devpath, "SUBSYSTEM=" + subsystem, "SEQNUM=1", "")
                .getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(HEADER + properties.length)
                .put("libudev\0".getBytes(StandardCharsets.UTF_8))
                .putInt(0xfeedcafe)
                .order(ByteOrder.nativeOrder())
                .putInt(HEADER)
                .putInt(HEADER)
                .putInt(properties.length)
                .order(ByteOrder.BIG_ENDIAN)
                .putInt(murmur(subsystem.getBytes(StandardCharsets.UTF_8)))
                .position(HEADER)
                .put(properties)
                .array();
    }

    /** MurmurHash2 with seed 0, of at most seven bytes. */
    private static int murmur(byte[] text) {
        int m = 0x5bd1e995;
        int hash = text.length;
        int i = 0;
        if (text.length >= 4) {
            int k = ByteBuffer.wrap(text).order(ByteOrder.LITTLE_ENDIAN).getInt() * m;
            hash = hash * m ^ (k ^ k >>> 24) * m;
            i = 4;
        }
        for (int shift = 0, j = i; j < text.length; j++, shift += 8) {
            hash ^= (text[j] & 0xff) << shift;
        }
        hash = text.length > i ? hash * m : hash;
        hash = (hash ^ hash >>> 13) * m;
        return hash ^ hash >>> 15;
    }

    @Override
    public void close() {
        libc.close(socket);
    }
}
