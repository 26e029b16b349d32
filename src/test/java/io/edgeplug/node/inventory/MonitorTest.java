package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.node.scan.ChangeNote;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.programs.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
final class MonitorTest {

    private static final ResourceName VFS = ResourceName.parse("example.com/vfs");
    private static final Duration SETTLE = Duration.ofMillis(150);
    private static final PciAddress VF0 = new PciAddress(0, 0x3b, 1, 0);
    private static final PciAddress VF1 = new PciAddress(0, 0x3b, 1, 1);
    private static final List<DeviceClass> CLASSES =
            List.of(DeviceClass.of(VFS, Kind.VF, new Selector(Map.of(SelectorWord.PF_NAMES, List.of("ens1f0")))));

    @TempDir
    private Path directory = Path.of("");

    @Test
    void firstInventoryIsThereWhenItOpens() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = Monitor.open(node.sysfs(), CLASSES, node.uevents(), SETTLE)) {
            assertThat(monitor.current().generation()).isEqualTo(1);
            assertThat(monitor.current().devices(VFS)).hasSize(2);
        }
    }

    @Test
    void ueventThatChangesNothingPublishesNothing() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = Monitor.open(node.sysfs(), CLASSES, node.uevents(), SETTLE)) {
            node.announce("change", VF0);
            node.fallOff(VF0);

            assertThat(monitor.inventories().awaitNewerThan(1).generation()).isEqualTo(2);
            assertThat(monitor.current().devices(VFS).getFirst().health().isHealthy())
                    .isFalse();
        }
    }

    @Test
    void deviceThatCannotBeReadStaysInItsResourceAsUnhealthy() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = Monitor.open(node.sysfs(), CLASSES, node.uevents(), SETTLE)) {
            Path vendor = node.root().resolve("sys/bus/pci/devices/" + VF0 + "/vendor");
            Files.delete(vendor);
            Files.createDirectory(vendor);
            node.announce("change", VF0);

            Inventory after = monitor.inventories().awaitNewerThan(1);

            assertThat(after.devices(VFS)).hasSize(2);
            assertThat(after.devices(VFS).getFirst().health())
                    .isEqualTo(Health.unhealthy("read vendor: Is a directory"));
        }
    }

    @Test
    void renamedPfChangesWhatItsVfsMatch() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = Monitor.open(node.sysfs(), CLASSES, node.uevents(), SETTLE)) {
            Path net = node.root().resolve("sys/bus/pci/devices/0000:3b:00.0/net");
            Files.move(net.resolve("ens1f0"), net.resolve("renamed"));
            node.announce("change", new PciAddress(0, 0x3b, 0, 0));

            assertThat(monitor.inventories().awaitNewerThan(1).devices(VFS)).isEmpty();
        }
    }

    @Test
    void deviceThatWasHandedOutStaysListedWhenItGoesAtOnce() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = Monitor.open(node.sysfs(), CLASSES, node.uevents(), SETTLE)) {
            monitor.publication().handOver(VFS, Set.of(VF0.toString()), Set.of(VF0.toString()));
            node.pull(VF0);

            Inventory gone = monitor.inventories().awaitNewerThan(1);
            assertThat(gone.devices(VFS)).hasSize(2);
            assertThat(gone.device(VFS, VF0.toString()).orElseThrow().health().problem())
                    .contains("is gone, and a container may hold it");
        }
    }

    @Test
    void functionThatIsGoneIsToldBeforeAllOthersAreLookedAt() throws Exception {
        CountDownLatch opened = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        try (SimulatedNode node = node()) {
            Sysfs slow = node.sysfs().witnessedBy(look -> {
                if (opened.getCount() == 0 && look.path().endsWith("/vendor")) {
                    await(told, Duration.ofSeconds(20));
                }
            });
            try (Monitor monitor = Monitor.open(slow, CLASSES, node.uevents(), SETTLE)) {
                opened.countDown();
                Files.delete(node.root().resolve("sys/bus/pci/devices/" + VF0));
                monitor.lookAgain("everything");

                assertThat(monitor.inventories().awaitNewerThan(1).devices(VFS))
                        .extracting(Device::id)
                        .containsExactly(VF1.toString());
            } finally {
                told.countDown();
            }
        }
    }

    @Test
    void functionThatHasSettledIsToldBeforeAllOthersAreLookedAt() throws Exception {
        ResourceName first = ResourceName.parse("intel.com/first");
        DeviceClass all = DeviceClass.of(first, Kind.VF, new Selector(Map.of(SelectorWord.PF_NAMES, List.of("ens1"))));
        CountDownLatch told = new CountDownLatch(1);
        AtomicInteger looks = new AtomicInteger();
        String tree = Files.readString(Path.of("src/test/machines/pf-256-vfs/tree"));
        try (SimulatedNode node = SimulatedNode.unpack(tree, directory.resolve("node"))) {
            Sysfs slow = node.sysfs().witnessedBy(look -> {
                if (looks.get() > 0 && look.path().endsWith("/vendor")) {
                    looks.incrementAndGet();
                    await(told, Duration.ofMillis(5));
                }
            });
            Files.write(node.root().resolve("sys/bus/pci/devices/" + VF0 + "/config"), new byte[64]);
            try (Monitor monitor = Monitor.open(slow, List.of(all), node.uevents(), SETTLE)) {
                node.fallOff(VF0);
                assertThat(monitor.inventories().awaitNewerThan(1).device(first, VF0.toString()))
                        .hasValueSatisfying(device ->
                                assertThat(device.health().isHealthy()).isFalse());

                looks.set(1);
                monitor.lookAgain("everything");
                node.comeBack(VF0);

                assertThat(monitor.inventories().awaitNewerThan(2).device(first, VF0.toString()))
                        .hasValueSatisfying(device ->
                                assertThat(device.health().isHealthy()).isTrue());
                assertThat(looks).hasValueLessThan(256);
            } finally {
                told.countDown();
            }
        }
    }

    @Test
    void functionThatHasNoVfsAnyMoreIsBackThoughNoUeventTellsIt() throws Exception {
        ResourceName nics = ResourceName.parse("example.com/nics");
        PciAddress pf = new PciAddress(0, 0x3b, 0, 0);
        DeviceClass whole =
                DeviceClass.of(nics, Kind.NIC, new Selector(Map.of(SelectorWord.PF_NAMES, List.of("ens1f0"))));
        try (SimulatedNode node = node();
                Monitor monitor = Monitor.open(node.sysfs(), List.of(whole), node.uevents(), SETTLE)) {
            node.pull(VF0);
            node.pull(VF1);
            Inventory now = monitor.inventories().awaitNewerThan(1);
            while (now.devices().stream().anyMatch(device -> device.id().equals(VF1.toString()))) {
                now = monitor.inventories().awaitNewerThan(now.generation());
            }
            assertThat(now.devices(nics)).isEmpty();

            Files.writeString(node.root().resolve("sys/bus/pci/devices/" + pf + "/sriov_numvfs"), "0\n");

            while (now.devices(nics).isEmpty()) {
                now = monitor.inventories().awaitNewerThan(now.generation());
            }
            assertThat(now.devices(nics)).extracting(Device::id).containsExactly(pf.toString());
        }
    }

    @Test
    void functionThatAnotherProcessIsChangingStaysAsItWas() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = Monitor.open(node.sysfs(), CLASSES, node.uevents(), SETTLE)) {
            Path note = node.root().resolve(ChangeNote.file(VF0));
            Files.createDirectories(node.root().resolve(ChangeNote.DIRECTORY));
            Files.writeString(note, "by=" + ProcessIdentity.own() + "\n");
            node.fallOff(VF0);
            node.fallOff(VF1);

            Inventory meanwhile = monitor.inventories().awaitNewerThan(1);
            assertThat(meanwhile.devices(VFS))
                    .extracting(device -> device.health().isHealthy())
                    .containsExactly(true, false);

            Files.delete(note);
            node.announce("change", VF0);
            assertThat(monitor.inventories()
                            .awaitNewerThan(meanwhile.generation())
                            .devices(VFS))
                    .extracting(device -> device.health().isHealthy())
                    .containsExactly(false, false);
        }
    }

    @Test
    void manyReadersSeeTheSameChange() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = Monitor.open(node.sysfs(), CLASSES, node.uevents(), SETTLE)) {
            node.pull(VF0);

            Inventory first = monitor.inventories().awaitNewerThan(1);
            Inventory second = monitor.inventories().awaitNewerThan(1);

            assertThat(first).isSameAs(second);
            assertThat(first.devices(VFS)).hasSize(1);
        }
    }

    @Test
    void unavailableDevicesAreToldInASentence() throws Exception {
        try (SimulatedNode node = node();
                Monitor monitor = Monitor.open(node.sysfs(), CLASSES, node.uevents(), SETTLE)) {
            node.fallOff(VF0);
            monitor.inventories().awaitNewerThan(1);

            assertRefused(monitor, "0000:3b:01.7", "Device 0000:3b:01.7 of example.com/vfs is not on this node");
            assertRefused(
                    monitor,
                    "0000:3b:01.0",
                    "Device 0000:3b:01.0 of example.com/vfs is unhealthy: "
                            + "it does not answer on PCI: its configuration space reads all ones");
            assertThat(monitor.publication().handOver(VFS, Set.of("0000:3b:01.1"), Set.of("0000:3b:01.1")))
                    .hasSize(1);
        }
    }

    @Test
    void nameThatCannotBeAnIdIsKeptFromTheResource() throws Exception {
        List<DeviceClass> gophers =
                List.of(DeviceClass.of(VFS, Kind.PATH, new Selector(Map.of(SelectorWord.PATHS, List.of("/etc/*/*")))));
        try (SimulatedNode node = node()) {
            Files.createFile(node.root().resolve("etc/gophers/g3,g4"));
            Files.createDirectories(node.root().resolve("etc/other"));
            Files.createFile(node.root().resolve("etc/other/g1"));

            Inventory inventory = Inventory.scan(node.sysfs(), gophers);

            assertThat(inventory.devices(VFS)).extracting(device -> device.id()).containsExactly("g1", "g2");
            assertThat(inventory.items().stream().flatMap(item -> item.device().health().problem().stream()))
                    .containsExactly(
                            "its name cannot be an ID: printable characters of ASCII only, no comma or space",
                            "another device has the ID g1");
        }
    }

    private SimulatedNode node() throws IOException {
        return SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node"));
    }

    private static void await(CountDownLatch latch, Duration longest) {
        try {
            boolean ignored = latch.await(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void assertRefused(Monitor monitor, String id, String sentence) {
        assertThatThrownBy(() -> monitor.publication().handOver(VFS, Set.of(id), Set.of(id)))
                .isInstanceOf(DeviceUnavailableException.class)
                .hasMessage(sentence);
    }
}
