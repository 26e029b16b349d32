package io.edgeplug.kubelet;

import static io.edgeplug.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.config.ConfigFiles;
import io.edgeplug.container.ContainerDirectories;
import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.HandOver;
import io.edgeplug.inventory.DeviceUnavailableException;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A node whose two functions, in one IOMMU group, are handed over by name, and what supplies them. */
final class SupplyNode {

    static final String A = "0000:43:00.0";
    static final String B = "0000:43:00.1";
    static final String SPEC = "edgeplug_example.com_dpu.json";

    static final String CLASSES = """
            [[class]]
            resource = "example.com/dpu"
            kind = "nic"
            hand_over = "cdi"
            cdi_annotations = true
            [class.match]
            vendors = ["15b3"]
            pci_addresses = ["0000:43:00.0", "0000:43:00.1"]
            """;

    final SimulatedNode node;
    final Monitor monitor;
    final Supply supply;
    private final Resource resource;

    SupplyNode(Closing closing, Path directory) throws Exception {
        node = closing.add(
                SimulatedNode.unpack(Files.readString(Machine.file("vfio-groups", "tree")), directory.resolve("node")));
        List<DeviceClass> classes = ConfigFiles.read(Files.writeString(directory.resolve("edgeplug.toml"), CLASSES))
                .classes();
        monitor = closing.add(Monitor.open(node.sysfs(), classes, node.uevents(), Duration.ZERO));
        supply = closing.add(Supply.open(
                classes.getFirst(),
                monitor,
                closing.add(new NodeWatch(node.sysfs(), paths -> {})),
                node.sysfs(),
                directories(directory)));
        resource = new Resource(supply, closing.add(new Preparations(node.sysfs(), monitor, directory)), directory);
    }

    /** Where its files are. */
    static ContainerDirectories directories(Path directory) {
        return new ContainerDirectories(directory.resolve("cdi"), directory.resolve("devinfo"));
    }

    /** Why Allocate refuses these. */
    String refusal(String... ids) {
        return String.valueOf(catchThrowableOfType(
                        DeviceUnavailableException.class, () -> resource.allocate(List.of(List.of(ids)), HandOver.CDI))
                .getMessage());
    }

    Offer await(Predicate<Offer> condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.multipliedBy(3).toNanos();
        Offer offer = supply.current();
        while (!condition.test(offer) && System.nanoTime() < end) {
            offer = supply.awaitNewerThan(offer.number(), Duration.ofSeconds(1));
        }
        assertThat(condition.test(offer)).as("%s", offer).isTrue();
        return offer;
    }

    static boolean isHealthy(Offer offer, String id) {
        return offer.devices().stream()
                .anyMatch(device -> device.id().equals(id) && device.health().isHealthy());
    }

    static String problem(Offer offer, String id) {
        return offer.devices().stream()
                .filter(device -> device.id().equals(id))
                .map(Device::health)
                .findFirst()
                .flatMap(health -> health.problem())
                .orElse("");
    }

    static List<String> names(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
