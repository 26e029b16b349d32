package io.edgeplug.node.supply;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.HandOver;
import io.edgeplug.node.container.Allocation;
import io.edgeplug.node.container.ContainerDirectories;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.node.container.IommuGroups;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.inventory.Monitor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** 100,000 requests with IDs at random, on all machines: every answer is complete or an error that names an ID. */
@Timeout(180)
final class RandomAllocationTest {

    private static final int REQUESTS = 100_000;
    private static final int MAX_IDS = 4;

    @TempDir
    private Path root = Path.of("");

    private static final String IN_USE = " is in use: a container holds ";

    private final Random random = new Random(Long.getLong("seed", System.nanoTime()));
    private int granted;

    @Test
    void everyAnswerIsCompleteOrAnErrorThatNamesADevice() throws Exception {
        List<String> machines = Machine.names();
        for (String name : machines) {
            Path directory = Files.createDirectory(root.resolve(name));
            List<DeviceClass> classes =
                    ConfigFiles.read(Machine.file(name, "class.toml")).classes();
            try (SimulatedNode node = SimulatedNode.unpack(
                            Files.readString(Machine.file(name, "tree")), directory.resolve("node"));
                    Monitor monitor = Monitor.open(node.sysfs(), classes, node.uevents(), Duration.ZERO);
                    Preparations preparations = new Preparations(node.sysfs(), monitor, directory);
                    Supplies supplies =
                            new Supplies(node.sysfs(), ContainerDirectories.below(directory), monitor, classes)) {
                List<String> ids = ids(monitor);
                for (int i = 0; i < REQUESTS / machines.size() + 1; i++) {
                    Supply supply =
                            supplies.each().get(random.nextInt(supplies.each().size()));
                    ask(new Resource(supply, preparations, directory, given -> {}), some(ids));
                }
            }
        }
        assertThat(granted).isGreaterThan(1000);
    }

    private static List<String> ids(Monitor monitor) {
        List<String> ids = new ArrayList<>(List.of("", "none", "0000:ff:1f.7", "../../etc/passwd", "g1,g2", "☃"));
        monitor.current().items().forEach(item -> ids.add(item.device().id()));
        return ids;
    }

    private List<String> some(List<String> ids) {
        List<String> some = new ArrayList<>();
        for (int i = random.nextInt(MAX_IDS + 1); i > 0; i--) {
            some.add(ids.get(random.nextInt(ids.size())));
        }
        return some;
    }

    private void ask(Resource resource, List<String> ids) {
        Set<String> distinct = new HashSet<>(ids);
        Stock stock = resource.supply().current();
        Set<String> healthy = new HashSet<>();
        // those of a group that a container holds: it may have them again, and the stock says so a moment later
        Set<String> inUse = new HashSet<>();
        for (Device device : stock.devices()) {
            Optional<String> problem = device.health().problem();
            if (problem.isEmpty()) {
                healthy.add(device.id());
            } else if (problem.orElseThrow().contains(IN_USE)) {
                inUse.add(device.id());
            }
        }
        boolean isOnce = !ids.isEmpty() && distinct.size() == ids.size();
        boolean isSound = isOnce && healthy.containsAll(ids);
        try {
            Allocation given = resource.allocate(List.of(ids), HandOver.CDI).getFirst();
            distinct.removeAll(healthy);
            assertThat(isOnce && inUse.containsAll(distinct))
                    .as("%s of %s", ids, stock)
                    .isTrue();
            assertComplete(resource, ids, given);
            granted++;
        } catch (DeviceUnavailableException e) {
            String refusal = String.valueOf(e.getMessage());
            // the kubelet gives nothing back here, so that groups that were given away stay so
            assertThat(isSound && !refusal.contains(IN_USE)).as(refusal).isFalse();
            assertThat(refusal).contains(resource.name().toString()).doesNotEndWith(".");
            assertThat(ids.isEmpty()
                            || ids.stream().anyMatch(id -> refusal.contains("Device " + (id.isEmpty() ? "\"\"" : id))))
                    .as(refusal)
                    .isTrue();
        }
    }

    private static void assertComplete(Resource resource, List<String> ids, Allocation given) {
        DeviceClass deviceClass = resource.deviceClass();
        if (deviceClass.kind() != Kind.PATH) {
            boolean isUsb = deviceClass.kind() == Kind.USB;
            String name = (isUsb ? "USBDEVICE_" : "PCIDEVICE_")
                    + deviceClass.resource().toString().toUpperCase(Locale.ROOT).replaceAll("[./-]", "_");
            assertThat(given.env().getOrDefault(name, "").split(","))
                    .containsExactlyInAnyOrder(ids.toArray(String[]::new));
            if (!isUsb) {
                assertThat(given.env().get(name + "_INFO")).contains(ids);
            }
        }
        boolean isByName = deviceClass.container().handOver() == HandOver.CDI;
        for (String id : ids) {
            Equipment brought = expected(resource, id);
            assertThat(isByName || given.nodes().containsAll(brought.nodes())).isTrue();
            assertThat(isByName || given.mounts().containsAll(brought.mounts())).isTrue();
            assertThat(given.cdiDevices().contains(deviceClass.resource() + "=" + id))
                    .isEqualTo(isByName);
        }
    }

    private static Equipment expected(Resource resource, String id) {
        Inventory inventory = resource.supply().monitor().current();
        return Equipment.of(
                resource.deviceClass(),
                inventory.device(resource.name(), id).orElseThrow(),
                IommuGroups.of(inventory.devices()));
    }
}
