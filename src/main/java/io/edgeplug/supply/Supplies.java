package io.edgeplug.supply;

import io.edgeplug.container.CdiSpecs;
import io.edgeplug.container.ContainerDirectories;
import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.rules.DeviceClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/**
 * What containers get of a node's resources, kept ready while this is open; the files that they need are removed when it
 * is closed.
 */
public final class Supplies implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Supplies.class.getName());

    private final Sysfs sysfs;
    private final ContainerDirectories directories;
    private final Monitor monitor;
    private final NodeWatch nodes;

    /** Changed by {@link #use} only. */
    private volatile List<Supply> supplies = List.of();

    private Supplies(Sysfs sysfs, ContainerDirectories directories, Monitor monitor) {
        this.sysfs = sysfs;
        this.directories = directories;
        this.monitor = monitor;
        this.nodes = new NodeWatch(sysfs, paths -> supplies.forEach(supply -> supply.lookAtNodes(paths)));
    }

    /**
     * Writes the files of all devices there are, and removes what an earlier run has left.
     *
     * @param sysfs the node, in whose {@code /dev} nodes are looked for
     */
    public static Supplies open(
            Sysfs sysfs, ContainerDirectories directories, Monitor monitor, List<DeviceClass> classes) {
        CdiSpecs.removeStale(directories.cdi(), resources(classes)).forEach(LOG::warning);
        Supplies supplies = new Supplies(sysfs, directories, monitor);
        supplies.supplies = classes.stream().map(supplies::open).toList();
        // the first ones' nodes may have come while the last ones were opened, and nobody was told
        supplies.nodes.tellAll();
        return supplies;
    }

    private Supply open(DeviceClass deviceClass) {
        return Supply.open(deviceClass, monitor, nodes, sysfs, directories);
    }

    /**
     * Supplies these classes from now on, and has the monitor use them; a class that is as it was keeps its supply. One
     * thread at a time, once nobody serves what has changed.
     */
    public void use(List<DeviceClass> classes) throws InterruptedException {
        Set<ResourceName> resources = resources(classes);
        List<Supply> kept = new ArrayList<>();
        for (Supply supply : supplies) {
            if (classes.contains(supply.deviceClass())) {
                kept.add(supply);
            } else if (resources.contains(supply.deviceClass().resource())) {
                // its files are taken over: a container that is being made may need one
                supply.stop();
            } else {
                supply.close();
            }
        }
        monitor.use(classes);
        // Replaced once, as others ask meanwhile which resources there are: a class that changes is there all the time.
        supplies = classes.stream()
                .map(one -> kept.stream()
                        .filter(supply -> supply.deviceClass().equals(one))
                        .findFirst()
                        .orElseGet(() -> open(one)))
                .toList();
        nodes.tellAll();
    }

    private static Set<ResourceName> resources(List<DeviceClass> classes) {
        return classes.stream().map(DeviceClass::resource).collect(Collectors.toSet());
    }

    public Monitor monitor() {
        return monitor;
    }

    /**
     * The devices that pods use or have used, and that are not as the next pod must find them: by ID, whether each is so soon
     * without anybody's help.
     */
    public Map<String, Boolean> used() {
        return monitor.used();
    }

    List<DeviceClass> classes() {
        return supplies.stream().map(Supply::deviceClass).toList();
    }

    /** Has the kubelet told once more of the devices of these resources. */
    void tellAgain(Set<String> resources) {
        supplies.stream()
                .filter(supply ->
                        resources.contains(supply.deviceClass().resource().toString()))
                .forEach(Supply::tellAgain);
    }

    /** Whether this is the name of a resource that is supplied. */
    public boolean has(String resource) {
        return supplies.stream()
                .anyMatch(supply -> supply.deviceClass().resource().toString().equals(resource));
    }

    public List<Supply> each() {
        return supplies;
    }

    @Override
    public void close() {
        nodes.close();
        supplies.forEach(Supply::close);
    }
}
