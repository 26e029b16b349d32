package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.Health;
import io.edgeplug.device.HealthScan;
import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** All devices of a node at one time, each with the class that takes it; the first class that does wins. */
public final class Inventory {

    private final long generation;
    private final List<Item> items;
    private final List<Device> devices;
    private final List<Integer> numaNodes;
    private final Map<ResourceName, List<Device>> byResource;
    private final Map<String, Item> byId;

    private Inventory(long generation, List<Item> items, List<Integer> numaNodes) {
        this.generation = generation;
        this.numaNodes = List.copyOf(numaNodes);
        this.items = List.copyOf(items);
        this.byResource = new HashMap<>();
        this.byId = HashMap.newHashMap(items.size());
        List<Device> all = new ArrayList<>(items.size());
        for (Item item : items) {
            all.add(item.device());
            byId.putIfAbsent(item.device().id(), item);
            item.resource()
                    .ifPresent(resource -> byResource
                            .computeIfAbsent(resource, none -> new ArrayList<>())
                            .add(item.device()));
        }
        this.devices = Collections.unmodifiableList(all);
    }

    /**
     * A device and the class that takes it.
     *
     * @param deviceClass empty if no class does
     */
    public record Item(Device device, Optional<DeviceClass> deviceClass) {

        /** The resource that the device backs. */
        public Optional<ResourceName> resource() {
            return deviceClass.map(DeviceClass::resource);
        }

        /** The NUMA nodes that it is near to: those that its class says, else the kernel's. */
        public List<Integer> numaNodes() {
            return deviceClass
                    .map(one -> one.numaNodes(device))
                    .orElseGet(() -> device.numaNode().stream().boxed().toList());
        }
    }

    /** Those items of a node with these NUMA nodes. */
    static Inventory of(long generation, List<Item> items, List<Integer> numaNodes) {
        return new Inventory(generation, items, numaNodes);
    }

    /**
     * Scans a node once.
     *
     * @throws IOException if the node does not tell which devices it has
     */
    public static Inventory scan(Sysfs sysfs, List<DeviceClass> classes) throws IOException {
        NodeDevices node = new NodeDevices(sysfs, classes, new Holds());
        node.scanAll();
        HealthScan health = new HealthScan(sysfs);
        List<Item> judged = new Matching()
                .match(classes, node.devices()).stream()
                        .map(item -> judged(item, health))
                        .toList();
        return of(0, judged, node.numaNodes());
    }

    /** In the health that its class finds; what a rule needs of the past is not there. */
    private static Item judged(Item item, HealthScan health) {
        Device device = item.device();
        return item.deviceClass()
                .filter(taker -> device.health().isHealthy())
                .flatMap(taker -> health.problem(device, taker.health().checks()))
                .map(problem -> new Item(device.withHealth(Health.unhealthy(problem)), item.deviceClass()))
                .orElse(item);
    }

    /** The device of that ID, whether or not a class takes it. */
    Optional<Item> item(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    /** Higher for each inventory that a {@link Monitor} publishes. */
    public long generation() {
        return generation;
    }

    /** All devices, also those that no class takes: PCI functions by address, then what has none, then files by path. */
    public List<Item> items() {
        return items;
    }

    /** The NUMA nodes of the node; none where the kernel knows nothing of NUMA. */
    public List<Integer> numaNodes() {
        return numaNodes;
    }

    /** The devices of all items. */
    public List<Device> devices() {
        return devices;
    }

    /** The devices that back a resource. */
    public List<Device> devices(ResourceName resource) {
        return Collections.unmodifiableList(byResource.getOrDefault(resource, List.of()));
    }

    /** The device of a resource with that ID. */
    public Optional<Device> device(ResourceName resource, String id) {
        return item(id).filter(item -> item.resource().equals(Optional.of(resource)))
                .map(Item::device);
    }

    /**
     * The devices of a resource with these IDs, all of them or none.
     *
     * @throws DeviceUnavailableException if one is not there or not healthy
     */
    public List<Device> allocatable(ResourceName resource, Set<String> ids) throws DeviceUnavailableException {
        List<Device> chosen = new ArrayList<>();
        for (String id : ids) {
            Device device = device(resource, id).orElseThrow(() -> DeviceUnavailableException.notHere(resource, id));
            Optional<String> problem = device.health().problem();
            if (problem.isPresent()) {
                throw DeviceUnavailableException.unhealthy(resource, id, problem.orElseThrow());
            }
            chosen.add(device);
        }
        chosen.sort(Comparator.comparing(Device::id));
        return chosen;
    }
}
