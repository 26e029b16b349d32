package io.edgeplug.node.supply;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.rules.HandOver;
import io.edgeplug.node.container.ContainerDirectories;
import io.edgeplug.node.inventory.Monitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A node whose two functions, in one IOMMU group, are handed over by name, and what supplies them. */
public final class SupplyNode {

    public static final String A = "0000:43:00.0";
    public static final String B = "0000:43:00.1";
    public static final String SPEC = "edgeplug_example.com_dpu.json";

    public static final String CLASSES = """
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
    final Preparations preparations;
    private final Resource resource;

    SupplyNode(Closing closing, Path directory) throws Exception {
        GroupedNode whole = GroupedNode.follow(closing, GroupedNode.unpack(closing, directory), directory, CLASSES);
        node = whole.node();
        monitor = whole.monitor();
        supply = closing.add(new Supply(
                whole.classes().getFirst(),
                monitor,
                closing.add(new NodeWatch(node.sysfs(), paths -> {})),
                node.sysfs(),
                whole.directories()));
        preparations = whole.preparations();
        resource = whole.resource(supply);
    }

    /** Where its files are. */
    public static ContainerDirectories directories(Path directory) {
        return new ContainerDirectories(directory.resolve("cdi"), directory.resolve("devinfo"));
    }

    /** Why Allocate refuses these. */
    String refusal(String... ids) {
        return String.valueOf(catchThrowableOfType(
                        DeviceUnavailableException.class, () -> resource.allocate(List.of(List.of(ids)), HandOver.CDI))
                .getMessage());
    }

    /** Spoils what a device needs. */
    interface Spoiling {
        void spoil() throws IOException;
    }

    /** Why Allocate refuses a device after that; empty if it does not. A look may mend it between the two. */
    String refusal(String id, Spoiling spoiling) throws Exception {
        String text = "";
        for (int tries = 0; text.isEmpty() && tries < 100; tries++) {
            spoiling.spoil();
            try {
                assertThat(resource.allocate(List.of(List.of(id)), HandOver.CDI))
                        .hasSize(1);
            } catch (DeviceUnavailableException e) {
                text = String.valueOf(e.getMessage());
            }
        }
        return text;
    }

    Stock await(Predicate<Stock> condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.multipliedBy(3).toNanos();
        Stock stock = supply.current();
        while (!condition.test(stock) && System.nanoTime() < end) {
            stock = supply.stock().awaitNewerThan(stock.number(), Duration.ofSeconds(1));
        }
        assertThat(condition.test(stock)).as("%s", stock).isTrue();
        return stock;
    }

    static boolean isHealthy(Stock stock, String id) {
        return stock.devices().stream()
                .anyMatch(device -> device.id().equals(id) && device.health().isHealthy());
    }

    static String problem(Stock stock, String id) {
        return stock.devices().stream()
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
