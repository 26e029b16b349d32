package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is told of a device at once, and what when it has settled. */
@Timeout(30)
final class SettlingTest {

    private static final ResourceName KERNEL = ResourceName.parse("example.com/kernel");
    private static final ResourceName DPDK = ResourceName.parse("example.com/dpdk");
    private static final PciAddress VF0 = new PciAddress(0, 0x3b, 1, 0);
    private static final PciAddress THIRD = new PciAddress(0, 0x3b, 1, 2);
    private static final List<DeviceClass> CLASSES = List.of(ofDriver(KERNEL, "iavf"), ofDriver(DPDK, "vfio-pci"));

    /** So long that nothing settles within a test by itself, or only if nothing else can end it. */
    private static final Duration LONG = Duration.ofMillis(1500);

    @TempDir
    private Path directory = Path.of("");

    @Test
    void deviceThatAppearsIsToldOnceItHasBeenLeftAlone() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = open(node, LONG)) {
            long plugged = System.nanoTime();
            node.plug(DemoNode.thirdVf());

            Inventory after = monitor.inventories().awaitNewerThan(1);

            assertThat(after.device(KERNEL, THIRD.toString())).isPresent();
            assertThat(Duration.ofNanos(System.nanoTime() - plugged)).isGreaterThanOrEqualTo(LONG);
        }
    }

    @Test
    void anotherTimeToSettleHoldsFromThenOn() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = open(node, Duration.ZERO)) {
            monitor.settle(LONG);
            long plugged = System.nanoTime();
            node.plug(DemoNode.thirdVf());

            Inventory after = monitor.inventories().awaitNewerThan(1);

            assertThat(after.device(KERNEL, THIRD.toString())).isPresent();
            assertThat(Duration.ofNanos(System.nanoTime() - plugged)).isGreaterThanOrEqualTo(LONG);
        }
    }

    @Test
    void deviceThatIsNamedAgainAndAgainIsToldAfterTwoSeconds() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = open(node, LONG)) {
            node.plug(DemoNode.thirdVf());
            long plugged = System.nanoTime();
            Inventory after = monitor.current();
            while (after.generation() == 1) {
                node.announce("change", THIRD);
                after = monitor.inventories().awaitNewerThan(1, Duration.ofMillis(50));
            }

            assertThat(after.device(KERNEL, THIRD.toString())).isPresent();
            assertThat(Duration.ofNanos(System.nanoTime() - plugged)).isBetween(LONG, Duration.ofSeconds(5));
        }
    }

    @Test
    void deviceThatGoesIsToldWhileAnotherSettles() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = open(node, LONG)) {
            node.plug(DemoNode.thirdVf());
            node.pull(VF0);

            Inventory after = monitor.inventories().awaitNewerThan(1);

            assertThat(after.device(KERNEL, VF0.toString())).isEmpty();
            assertThat(after.device(KERNEL, THIRD.toString())).isEmpty();
            assertThat(monitor.inventories().awaitNewerThan(2).device(KERNEL, THIRD.toString()))
                    .isPresent();
        }
    }

    @Test
    void deviceThatComesAndGoesBeforeItSettlesIsNeverTold() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = open(node, Duration.ofMillis(300))) {
            node.plug(DemoNode.thirdVf());
            node.pull(THIRD);
            node.fallOff(VF0);

            assertThat(monitor.inventories().awaitNewerThan(1).devices())
                    .extracting(Device::id)
                    .doesNotContain(THIRD.toString());
            assertThat(monitor.inventories()
                            .awaitNewerThan(2, Duration.ofMillis(600))
                            .generation())
                    .isEqualTo(2);
        }
    }

    @Test
    void deviceThatBreaksIsUnhealthyAtOnceAndHealthyOnceItHasSettled() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = open(node, LONG)) {
            node.fallOff(VF0);
            assertThat(health(monitor.inventories().awaitNewerThan(1))).isFalse();

            long back = System.nanoTime();
            node.comeBack(VF0);
            assertThat(health(monitor.inventories().awaitNewerThan(2))).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - back)).isGreaterThanOrEqualTo(LONG);
        }
    }

    @Test
    void deviceOfAnotherDriverLeavesItsResourceAtOnceAndComesToTheOtherOnceItHasSettled() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = open(node, LONG)) {
            bind(node, "vfio-pci");
            node.announce("bind", VF0);

            Inventory unbound = monitor.inventories().awaitNewerThan(1);
            assertThat(unbound.device(KERNEL, VF0.toString())).isEmpty();
            assertThat(unbound.device(DPDK, VF0.toString())).isEmpty();
            assertThat(monitor.inventories().awaitNewerThan(2).device(DPDK, VF0.toString()))
                    .isPresent();
        }
    }

    @Test
    void deviceWithoutItsInterfaceIsWaitedFor() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = open(node, Duration.ofMillis(20))) {
            node.plug(DemoNode.thirdVf().replaceAll("(?m)^(net/|\\[sys/class/net]|ens1f0v2).*", ""));
            assertThat(monitor.inventories()
                            .awaitNewerThan(1, Duration.ofMillis(500))
                            .generation())
                    .isEqualTo(1);

            node.plug("sys/devices/pci0000:3a/0000:3a:00.0/" + THIRD + "/net/ens1f0v2/operstate = up\n");

            Device device = monitor.inventories()
                    .awaitNewerThan(1)
                    .device(KERNEL, THIRD.toString())
                    .orElseThrow();
            assertThat(device.health().isHealthy()).isTrue();
        }
    }

    private SimulatedNode node() throws IOException {
        return SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node"));
    }

    private static Monitor open(SimulatedNode node, Duration settle) throws IOException {
        return Monitor.open(node.sysfs(), CLASSES, node.uevents(), settle);
    }

    private static boolean health(Inventory inventory) {
        return inventory.device(KERNEL, VF0.toString()).orElseThrow().health().isHealthy();
    }

    private static void bind(SimulatedNode node, String driver) throws IOException {
        Path link = node.root().resolve("sys/bus/pci/devices/" + VF0 + "/driver");
        Files.delete(link);
        Files.createSymbolicLink(link, Path.of("../../../../bus/pci/drivers/" + driver));
    }

    private static DeviceClass ofDriver(ResourceName resource, String driver) {
        return DeviceClass.of(resource, Kind.VF, new Selector(Map.of(SelectorWord.DRIVERS, List.of(driver))));
    }
}
