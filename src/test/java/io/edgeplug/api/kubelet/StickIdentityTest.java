package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.system.files.NeedsRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stick in the place of another is another device, by its number or by its serial number. */
@Timeout(20)
final class StickIdentityTest extends OnSticks {

    @Test
    @NeedsRoot("makes device nodes")
    void nodeWithAnotherNumberIsAnotherDevice() throws Exception {
        pull("zwave", "ttyUSB1");
        mknod("ttyUSB1", 1);
        link("zwave", "ttyUSB1");
        TestDaemon daemon = open("");
        run("heating", ZWAVE);

        pull("zwave", "ttyUSB1");
        mknod("ttyUSB1", 7);
        link("zwave", "ttyUSB1");

        awaitUnhealthy(daemon, ZWAVE, "is /dev/ttyUSB1 with the number 188:7 now, and its pod was given 188:1");
        assertThat(refusal("heating")).contains("188:7");
    }

    @Test
    @NeedsRoot("makes device nodes")
    void numbersMayBeOthersAfterAReboot() throws Exception {
        pull("zwave", "ttyUSB1");
        mknod("ttyUSB1", 1);
        link("zwave", "ttyUSB1");
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir, classes(""))) {
            awaitHealthy(ZWAVE);
            run("heating", ZWAVE);
            daemon.learnHolders();
        }
        Files.delete(directory.resolve("node/run/edgeplug/nodes/boot"));
        pull("zwave", "ttyUSB1");
        mknod("ttyUSB1", 7);
        link("zwave", "ttyUSB1");

        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir, classes(""))) {
            awaitHealthy(ZWAVE);
            kubelet.startContainer("heating", "main");
            daemon.learnHolders();
        }

        open("");
        awaitHealthy(ZWAVE);
        kubelet.startContainer("heating", "main");
    }

    @Test
    @NeedsRoot("makes device nodes")
    void otherStickInTheSameSocketIsAnotherDevice() throws Exception {
        usb("A1");
        mknod("ttyUSB5", 5);
        pull("zwave", "ttyUSB1");
        link("zwave", "ttyUSB5");
        TestDaemon daemon = open("");
        run("heating", ZWAVE);

        pull("zwave", "ttyUSB5");
        usb("B2");
        mknod("ttyUSB5", 5);
        link("zwave", "ttyUSB5");

        awaitUnhealthy(
                daemon, ZWAVE, "is usb 0403:6001 serial B2 1.0 now, and its pod was given usb 0403:6001 serial A1 1.0");
        assertThat(refusal("heating")).contains("serial B2");

        pull("zwave", "ttyUSB5");
        usb("A1");
        mknod("ttyUSB5", 5);
        link("zwave", "ttyUSB5");
        awaitHealthy(ZWAVE);
    }

    private void usb(String serial) throws IOException {
        Path sys = directory.resolve("node/sys");
        Path port = Files.createDirectories(sys.resolve("devices/pci0000:00/0000:00:14.0/usb1/1-2"));
        Path tty = Files.createDirectories(port.resolve("1-2:1.0/ttyUSB5/tty/ttyUSB5"));
        Files.writeString(port.resolve("idVendor"), "0403\n");
        Files.writeString(port.resolve("idProduct"), "6001\n");
        Files.writeString(port.resolve("serial"), serial + "\n");
        Path numbers = Files.createDirectories(sys.resolve("dev/char"));
        Files.deleteIfExists(numbers.resolve("188:5"));
        Files.createSymbolicLink(numbers.resolve("188:5"), numbers.relativize(tty));
    }

    private void mknod(String name, int minor) throws Exception {
        NeedsRoot.Condition.check();
        assertThat(new ProcessBuilder("mknod", dev.resolve(name).toString(), "c", "188", String.valueOf(minor))
                        .start()
                        .waitFor())
                .isZero();
    }
}
