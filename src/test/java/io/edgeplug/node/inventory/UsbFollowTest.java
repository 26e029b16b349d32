package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.system.udev.Uevent;
import io.edgeplug.system.udev.UeventSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** USB devices as their uevents come, those of their nodes too. */
@Timeout(60)
final class UsbFollowTest {

    private static final String DEVPATH = "/devices/pci0000:00/0000:00:14.0/usb1/1-6";
    private static final ResourceName SERIAL = ResourceName.parse("example.com/serial");

    @TempDir
    Path directory;

    private final Events events = new Events();

    private static final class Events implements UeventSource {

        private final LinkedBlockingQueue<Optional<Uevent>> all = new LinkedBlockingQueue<>();

        void send(String action, String devpath, String subsystem) {
            all.add(Optional.of(new Uevent(action, devpath, subsystem)));
        }

        @Override
        public Optional<Uevent> next() {
            try {
                return all.take();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
        }

        @Override
        public void close() {
            all.add(Optional.empty());
        }
    }

    @Test
    void deviceLeavesWhenItIsPulledAndIsLookedAtAgainForItsNode() throws Exception {
        DeviceClass serial =
                DeviceClass.of(SERIAL, Kind.USB, new Selector(Map.of(SelectorWord.SERIALS, List.of("A5028*"))));
        try (SimulatedNode node = node();
                Monitor monitor = Monitor.open(node.sysfs(), List.of(serial), events, Duration.ofMillis(10))) {
            await(monitor, List.of("0403-6001-A50285BI"), 2);

            Path tty = node.root().resolve("sys" + DEVPATH + "/1-6:1.0/ttyUSB0/tty/ttyUSB0/dev");
            Files.delete(tty);
            events.send("remove", DEVPATH + "/1-6:1.0/ttyUSB0/tty/ttyUSB0", "tty");
            await(monitor, List.of("0403-6001-A50285BI"), 1);

            Files.writeString(tty, "188:0\n");
            events.send("add", DEVPATH + "/1-6:1.0/ttyUSB0/tty/ttyUSB0", "tty");
            await(monitor, List.of("0403-6001-A50285BI"), 2);

            Files.delete(node.root().resolve("sys/bus/usb/devices/1-6"));
            events.send("remove", DEVPATH, "usb");
            await(monitor, List.of(), 0);
        }
    }

    /** As an accelerator does when it gets its firmware: it goes, and another device number comes at the same port. */
    @Test
    void deviceThatBeginsAnewStaysListedAndUnhealthyMeanwhile() throws Exception {
        DeviceClass coral = DeviceClass.of(SERIAL, Kind.USB, new Selector(Map.of(SelectorWord.PORTS, List.of("1-6"))));
        try (SimulatedNode node = node();
                Monitor monitor = Monitor.open(node.sysfs(), List.of(coral), events, Duration.ofMillis(10))) {
            await(monitor, List.of("0403-6001-A50285BI"), 2);
            node.write("sys/bus/usb/devices/usb1/1-0:1.0/usb1-port6/over_current_count", "2");
            Path link = node.root().resolve("sys/bus/usb/devices/1-6");
            Path target = Files.readSymbolicLink(link);

            Files.delete(link);
            events.send("remove", DEVPATH, "usb");
            assertThat(awaitHealth(monitor, false).problem())
                    .contains("is not plugged in at 1-6, where its hub has reported too much current"
                            + " (over_current_count is 2)");

            Files.createSymbolicLink(link, target);
            node.write("sys/bus/usb/devices/1-6/uevent", "DEVNAME=bus/usb/001/009");
            events.send("add", DEVPATH, "usb");
            assertThat(awaitHealth(monitor, true).isHealthy()).isTrue();
            assertThat(monitor.current().devices(SERIAL).getFirst().identities())
                    .anyMatch(one -> one.path().equals("/dev/bus/usb/001/009"));
        }
    }

    @Test
    void deviceThatIsPluggedInAtAnotherPortIsTheOneThatHasJustGone() throws Exception {
        DeviceClass serial =
                DeviceClass.of(SERIAL, Kind.USB, new Selector(Map.of(SelectorWord.SERIALS, List.of("A5028*"))));
        try (SimulatedNode node = node();
                Monitor monitor = Monitor.open(node.sysfs(), List.of(serial), events, Duration.ofMillis(10))) {
            await(monitor, List.of("0403-6001-A50285BI"), 2);
            Path link = node.root().resolve("sys/bus/usb/devices/1-6");

            Files.move(link, link.resolveSibling("1-9"));
            events.send("remove", DEVPATH, "usb");
            awaitHealth(monitor, false);
            events.send("add", "/devices/pci0000:00/0000:00:14.0/usb1/1-9", "usb");

            assertThat(awaitHealth(monitor, true).isHealthy()).isTrue();
            await(monitor, List.of("0403-6001-A50285BI"), 2);
        }
    }

    private SimulatedNode node() throws Exception {
        return SimulatedNode.unpack(
                Files.readString(Path.of("src/test/machines/usb-devices/tree")), directory.resolve("node"));
    }

    /** The health of the only device, which must never leave the list. */
    private static Health awaitHealth(Monitor monitor, boolean isHealthy) throws InterruptedException {
        Inventory now = monitor.current();
        while (true) {
            assertThat(now.devices(SERIAL)).hasSize(1);
            Health health = now.devices(SERIAL).getFirst().health();
            if (health.isHealthy() == isHealthy) {
                return health;
            }
            now = monitor.inventories().awaitNewerThan(now.generation());
        }
    }

    private static void await(Monitor monitor, List<String> ids, int nodes) throws InterruptedException {
        Inventory now = monitor.current();
        while (!ids.equals(now.devices(SERIAL).stream().map(Device::id).toList())
                || now.devices(SERIAL).stream().anyMatch(one -> one.identities().size() != nodes)) {
            now = monitor.inventories().awaitNewerThan(now.generation());
        }
        assertThat(now.devices(SERIAL)).hasSameSizeAs(ids);
    }
}
