package io.edgeplug.node.supply;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.device.PodInterface;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.CdiSpecs;
import io.edgeplug.node.container.ContainerDirectories;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.prepare.InterfaceNotes;
import io.edgeplug.system.files.Sysfs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/**
 * The supplies of all resources of a node, kept ready while this is open. Closing it removes the files that containers
 * need.
 */
public final class Supplies implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Supplies.class.getName());

    private final Sysfs sysfs;
    private final ContainerDirectories directories;
    private final Monitor monitor;
    private final NodeWatch nodes;

    /** Only {@link #use} changes it. */
    private volatile List<Supply> supplies = List.of();

    /**
     * Writes the files of all devices, and removes those of an earlier run.
     *
     * @param sysfs the node, in whose {@code /dev} nodes are looked for
     */
    public Supplies(Sysfs sysfs, ContainerDirectories directories, Monitor monitor, List<DeviceClass> classes) {
        CdiSpecs.removeStale(directories.cdi(), resources(classes)).forEach(LOG::warning);
        this.sysfs = sysfs;
        this.directories = directories;
        this.monitor = monitor;
        this.nodes = new NodeWatch(sysfs, paths -> supplies.forEach(supply -> supply.lookAtNodes(paths)));
        this.supplies = classes.stream().map(this::open).toList();
        // While the last supplies were opened, nobody was told of new nodes of the first ones.
        nodes.tellAll();
    }

    private Supply open(DeviceClass deviceClass) {
        return new Supply(deviceClass, monitor, nodes, sysfs, directories);
    }

    /**
     * Supplies these classes from now on, and has the monitor use them. An unchanged class keeps its supply. One thread
     * at a time may call it, once nobody serves the changed classes.
     */
    public void use(List<DeviceClass> classes) throws InterruptedException {
        Set<ResourceName> resources = resources(classes);
        List<Supply> kept = new ArrayList<>();
        for (Supply supply : supplies) {
            if (classes.contains(supply.deviceClass())) {
                kept.add(supply);
            } else if (resources.contains(supply.deviceClass().resource())) {
                // The next supply takes over its files, because a container that is being created may need one.
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

    /**
     * The network interface of a device as that user has it, a pod or a claim by its UID; empty if it has none, or if it
     * is not known where the interface is.
     */
    public Optional<PodInterface> podInterface(String uid, String device) {
        return monitor.here(device).flatMap(one -> new InterfaceNotes(sysfs).ofUser(uid, one));
    }

    /** Whether any pod has the network interface of a device, also if no class gives it any more. */
    public boolean areInterfacesInPods() {
        return new InterfaceNotes(sysfs).areAny();
    }

    public Monitor monitor() {
        return monitor;
    }

    /** Who has which device. */
    public Custodian custodian() {
        return monitor.custodian();
    }

    /**
     * The IDs of devices that pods use or have used and that are not scrubbed yet, each with whether it is soon
     * scrubbed without help.
     */
    public Map<String, Boolean> used() {
        return monitor.custodian().all().stream()
                .filter(one -> one.traces().isPresent())
                .collect(Collectors.toMap(Custody::id, Custody::isSoonScrubbed));
    }

    List<DeviceClass> classes() {
        return supplies.stream().map(Supply::deviceClass).toList();
    }

    /** Sends the kubelet the lists of these resources again. */
    void tellAgain(Set<String> resources) {
        supplies.stream()
                .filter(supply ->
                        resources.contains(supply.deviceClass().resource().toString()))
                .forEach(Supply::tellAgain);
    }

    /** Whether a resource with that name is supplied. */
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
