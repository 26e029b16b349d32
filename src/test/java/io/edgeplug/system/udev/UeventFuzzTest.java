package io.edgeplug.system.udev;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.system.files.NeedsRoot;
import io.edgeplug.system.kernel.OwnNamespaces;
import io.edgeplug.system.kernel.TestCalls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import jnr.ffi.Memory;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Datagrams that no udevd would send, sent by root to udevd's group; a million with {@code -Dsoak}. */
@ExtendWith(OwnNamespaces.class)
@Timeout(300)
@NeedsRoot("is in namespaces of its own")
final class UeventFuzzTest {

    private static final Pattern MAPPING = Pattern.compile("([0-9a-f]+)-[0-9a-f]+ ");

    private static final int DATAGRAMS = System.getProperty("soak") == null ? 100_000 : 1_000_000;
    private static final int BATCH = 32;
    private static final int GROUP_UDEV = 2;
    private static final int MAX_BYTES = 64 << 10;
    private static final int BUFFER_BYTES = 64 << 20;

    @TempDir
    private Path directory = Path.of("");

    private final TestCalls libc = TestCalls.load();
    private final Runtime runtime = Runtime.getRuntime(libc);
    private final Pointer bytes = Memory.allocateDirect(runtime, MAX_BYTES);
    private final Pointer address = Memory.allocateDirect(runtime, 12, true);
    private final Random random = new Random(Long.getLong("seed", 1));

    @BeforeAll
    static void loadLibrary() throws IOException {
        Udev.load();
    }

    @Test
    void datagramAsUdevdSendsItIsHeard() throws Exception {
        assertThat(heard(UeventSender.valid("add", "/devices/pci0000:00/0000:00:01.0", "pci"), 0, GROUP_UDEV))
                .contains(new Uevent("add", "/devices/pci0000:00/0000:00:01.0", "pci"));
    }

    @Test
    void datagramThatWasNotSentToTheGroupIsDropped() throws Exception {
        byte[] datagram = UeventSender.valid("add", "/devices/pci0000:00/0000:00:01.0", "pci");
        List<Integer> ports = List.of();
        try (UeventSocket socket = open();
                Stream<String> lines = Files.lines(Path.of("/proc/thread-self/net/netlink"))) {
            ports = lines.map(line -> line.strip().split("\\s+", -1))
                    .filter(line -> line[1].equals(String.valueOf(TestCalls.NETLINK_KOBJECT_UEVENT)))
                    .filter(line -> line[3].equals("00000002"))
                    .map(line -> Integer.parseUnsignedInt(line[2]))
                    .toList();
            assertThat(ports).hasSize(1);
            send(datagram, ports.getFirst(), 0);

            assertThat(socket.receive()).isEmpty();
        }
    }

    @Test
    void pathOutOfSysIsDropped() throws Exception {
        assertThat(heard(UeventSender.valid("add", "/devices/../../etc", "pci"), 0, GROUP_UDEV))
                .isEmpty();
        assertThat(heard(UeventSender.valid("add", "/module/vfio", "pci"), 0, GROUP_UDEV))
                .isEmpty();
    }

    @Test
    void garbageCrashesNothingLeaksNothingAndReadsNothing() throws Exception {
        int sender = libc.socket(TestCalls.AF_NETLINK, TestCalls.SOCK_RAW, TestCalls.NETLINK_KOBJECT_UEVENT);
        int inotify = watch(directory);
        try (UeventSocket socket = open()) {
            round(sender, socket, DATAGRAMS / 5);
            long before = residentKiB();
            long heard = 0;
            for (int i = 0; i < 4; i++) {
                heard += round(sender, socket, DATAGRAMS / 5);
            }

            System.out.println(
                    DATAGRAMS + " datagrams, " + heard + " heard, " + (residentKiB() - before) + " KiB more");
            assertThat(heard).isPositive();
            assertThat(residentKiB() - before).isLessThan(32 << 10);
            assertThat(isTouched(inotify)).isFalse();
        } finally {
            libc.close(sender);
        }
        assertThat(directory.toFile().list()).isEmpty();
        assertThat(isTouched(inotify)).as("what the watch would have seen").isTrue();
        libc.close(inotify);
    }

    private int round(int sender, UeventSocket socket, int count) {
        int heard = 0;
        for (int i = 0; i < count / BATCH; i++) {
            for (int j = 0; j < BATCH; j++) {
                send(sender, garbage(), 0, GROUP_UDEV);
            }
            for (int j = 0; j <= BATCH; j++) {
                Optional<Uevent> event = socket.receive();
                heard += event.isPresent() ? 1 : 0;
                event.ifPresent(
                        one -> assertThat(one.devpath()).startsWith("/devices/").doesNotContain("/../"));
            }
        }
        return heard;
    }

    private byte[] garbage() {
        String[] paths = {
            "/devices/pci0000:00/0000:00:01.0",
            "/devices/../.." + directory,
            "/.." + directory,
            directory.toString(),
            "",
            "/devices/" + "../".repeat(random.nextInt(1000)),
            "/devices/" + "x".repeat(random.nextInt(20_000)),
        };
        byte[] datagram =
                UeventSender.valid("add", paths[random.nextInt(paths.length)], random.nextBoolean() ? "pci" : "net");
        return switch (random.nextInt(6)) {
            case 0 -> Arrays.copyOf(datagram, random.nextInt(datagram.length));
            case 1 -> Arrays.copyOf(datagram, random.nextInt(datagram.length, MAX_BYTES));
            case 2 -> spoilt(datagram, 8, UeventSender.HEADER);
            case 3 -> spoilt(datagram, UeventSender.HEADER, datagram.length);
            case 4 -> withoutNul(datagram);
            default -> datagram;
        };
    }

    private byte[] spoilt(byte[] datagram, int from, int to) {
        for (int i = random.nextInt(1, 8); i > 0; i--) {
            datagram[random.nextInt(from, to)] = (byte) random.nextInt();
        }
        return datagram;
    }

    private static byte[] withoutNul(byte[] datagram) {
        for (int i = UeventSender.HEADER; i < datagram.length; i++) {
            datagram[i] = datagram[i] == 0 ? (byte) '=' : datagram[i];
        }
        return datagram;
    }

    private Optional<Uevent> heard(byte[] datagram, int port, int groups) throws IOException {
        try (UeventSocket socket = open()) {
            send(datagram, port, groups);
            return socket.receive();
        }
    }

    private static UeventSocket open() throws IOException {
        // libudev gives no socket of udevd's group where this file is missing
        Files.write(Path.of("/run/udev/control"), new byte[0]);
        return UeventSocket.open(Udev.udev_new(), true, BUFFER_BYTES);
    }

    private void send(byte[] datagram, int port, int groups) {
        int sender = libc.socket(TestCalls.AF_NETLINK, TestCalls.SOCK_RAW, TestCalls.NETLINK_KOBJECT_UEVENT);
        send(sender, datagram, port, groups);
        libc.close(sender);
    }

    private void send(int sender, byte[] datagram, int port, int groups) {
        address.putShort(0, (short) TestCalls.AF_NETLINK);
        bytes.put(0, datagram, 0, datagram.length);
        address.putInt(4, port);
        address.putInt(8, groups);
        libc.sendto(sender, bytes, datagram.length, 0, address, 12);
    }

    private int watch(Path path) {
        int inotify = libc.inotify_init1(TestCalls.IN_NONBLOCK);
        assertThat(libc.inotify_add_watch(inotify, path.toString(), TestCalls.IN_OPEN | TestCalls.IN_ACCESS))
                .isPositive();
        return inotify;
    }

    private boolean isTouched(int inotify) {
        return libc.read(inotify, bytes, MAX_BYTES) > 0;
    }

    /** Without the Java heap, which grows by what other tests have left; with compressed pointers it is below 32 GiB. */
    private static long residentKiB() throws IOException {
        long sum = 0;
        boolean isNative = false;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"), StandardCharsets.UTF_8)) {
            Matcher mapping = MAPPING.matcher(line);
            if (mapping.lookingAt()) {
                isNative = Long.parseUnsignedLong(mapping.group(1), 16) >= 32L << 30;
            } else if (isNative && line.startsWith("Rss:")) {
                sum += Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return sum;
    }
}
