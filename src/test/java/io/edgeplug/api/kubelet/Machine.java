package io.edgeplug.api.kubelet;

import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.node.container.IommuGroups;
import io.edgeplug.node.inventory.Inventory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** One machine of {@code src/test/machines}, unpacked and scanned. */
public record Machine(SimulatedNode node, List<DeviceClass> classes, Inventory inventory) implements AutoCloseable {

    private static final Path ALL = Path.of("src/test/machines");

    public static List<String> names() throws IOException {
        try (Stream<Path> found = Files.list(ALL)) {
            return found.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    public static Path file(String name, String file) {
        return ALL.resolve(name).resolve(file);
    }

    static Machine unpack(String name, Path root) throws IOException, ConfigException {
        SimulatedNode node = SimulatedNode.unpack(Files.readString(file(name, "tree")), root);
        Config config = ConfigFiles.read(file(name, "class.toml"));
        return new Machine(node, config.classes(), Inventory.scan(node.sysfs(), config.classes()));
    }

    /** What each healthy device of the class brings that can be handed over. */
    List<Equipment> equipment(DeviceClass deviceClass) {
        return all(deviceClass).stream().filter(one -> one.problem().isEmpty()).toList();
    }

    /** What each healthy device of the class brings, or why it cannot be handed over. */
    List<Equipment> all(DeviceClass deviceClass) {
        IommuGroups groups = IommuGroups.of(inventory.devices());
        return inventory.devices(deviceClass.resource()).stream()
                .filter(Machine::isHealthy)
                .map(device -> Equipment.of(deviceClass, device, groups))
                .toList();
    }

    private static boolean isHealthy(Device device) {
        return device.health().isHealthy();
    }

    @Override
    public void close() {
        node.close();
    }
}
