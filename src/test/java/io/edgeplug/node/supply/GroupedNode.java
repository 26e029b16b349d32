package io.edgeplug.node.supply;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.ContainerDirectories;
import io.edgeplug.node.inventory.Monitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A node that has IOMMU groups of several functions, followed, and what prepares and supplies its devices. */
public record GroupedNode(
        SimulatedNode node, Path directory, List<DeviceClass> classes, Monitor monitor, Preparations preparations) {

    /** The node, before anyone looks at it. */
    public static SimulatedNode unpack(Closing closing, Path directory) throws IOException {
        return closing.add(
                SimulatedNode.unpack(Files.readString(Machine.file("vfio-groups", "tree")), directory.resolve("node")));
    }

    /** Follows a node with these classes. */
    public static GroupedNode follow(Closing closing, SimulatedNode node, Path directory, String classes)
            throws Exception {
        List<DeviceClass> read = read(directory, classes);
        Monitor monitor = closing.add(Monitor.open(node.sysfs(), read, node.uevents(), Duration.ZERO));
        Preparations preparations = closing.add(new Preparations(node.sysfs(), monitor, directory));
        return new GroupedNode(node, directory, read, monitor, preparations);
    }

    static List<DeviceClass> read(Path directory, String classes) throws IOException, ConfigException {
        return ConfigFiles.read(Files.writeString(directory.resolve("edgeplug.toml"), classes))
                .classes();
    }

    /** Where the files of containers are. */
    public ContainerDirectories directories() {
        return new ContainerDirectories(directory.resolve("cdi"), directory.resolve("devinfo"));
    }

    /** What supplies all its resources. */
    public Supplies supplies(Closing closing) {
        return closing.add(new Supplies(node.sysfs(), directories(), monitor, classes));
    }

    public Resource resource(Supply supply) {
        return new Resource(supply, preparations, directory, given -> {});
    }
}
