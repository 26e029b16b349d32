package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.Health;
import io.edgeplug.device.HealthScan;
import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.RandomAccess;
import java.util.Set;

/** All devices of a node at one time, each with the class that takes it; the first class that does wins. */
public final class Inventory {

    /** Of a node of which nothing is known yet. */
    static final Inventory NOTHING = new Inventory(0, List.of(), List.of(), Map.of());

    private final long generation;
    private final List<Item> items;
    private final List<Device> devices;
    private final List<Integer> numaNodes;
    private final Map<ResourceName, List<Device>> byResource;

    /** Made by who asks first, and two who ask at once make the same; empty before. */
    private volatile Map<String, Item> byId = Map.of();

    private Inventory(
            long generation, List<Item> items, List<Integer> numaNodes, Map<ResourceName, List<Device>> byResource) {
        this.generation = generation;
        this.items = items;
        this.devices = new Devices(items);
        this.numaNodes = List.copyOf(numaNodes);
        this.byResource = byResource;
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

    /** The devices of a list of items. */
    private static final class Devices extends AbstractList<Device> implements RandomAccess {

        private final List<Item> items;

        Devices(List<Item> items) {
            this.items = items;
        }

        @Override
        public Device get(int index) {
            return items.get(index).device();
        }

        @Override
        public int size() {
            return items.size();
        }
    }

    /** The next generation: those items of the node, with these NUMA nodes. */
    Inventory next(List<Item> newest, List<Integer> newNumaNodes) {
        return new Inventory(generation + 1, List.copyOf(newest), newNumaNodes, byResource(newest));
    }

    /** A resource of which nothing has changed keeps its list, so that whoever compares is done at once. */
    private Map<ResourceName, List<Device>> byResource(List<Item> newest) {
        Difference<Item> change = Difference.of(items, newest);
        Set<ResourceName> changed = new HashSet<>();
        change.was().forEach(item -> item.resource().ifPresent(changed::add));
        change.is().forEach(item -> item.resource().ifPresent(changed::add));
        Map<ResourceName, List<Device>> lists = new HashMap<>(byResource);
        lists.keySet().removeAll(changed);
        Optional<DeviceClass> last = Optional.empty();
        Optional<List<Device>> list = Optional.empty();
        for (Item item : newest) {
            Optional<DeviceClass> taker = item.deviceClass();
            if (taker.isPresent()) {
                // one after the other are mostly of one class
                if (!isSame(taker, last)) {
                    list = item.resource()
                            .filter(changed::contains)
                            .map(resource -> lists.computeIfAbsent(resource, none -> new ArrayList<>()));
                    last = taker;
                }
                if (list.isPresent()) {
                    list.orElseThrow().add(item.device());
                }
            }
        }
        // which copies none that is immutable already
        lists.replaceAll((resource, devices) -> List.copyOf(devices));
        return lists;
    }

    @SuppressWarnings("ReferenceEquality") // a class's own equals looks at all of it
    private static boolean isSame(Optional<DeviceClass> one, Optional<DeviceClass> other) {
        return other.isPresent() && one.orElseThrow() == other.orElseThrow();
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
        return NOTHING.next(judged, node.numaNodes());
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
        index();
        return Optional.ofNullable(byId.get(id));
    }

    /** Makes the index by which devices are found, if nobody has: of thousands, that takes a while. */
    void index() {
        if (byId.isEmpty()) {
            Map<String, Item> index = HashMap.newHashMap(items.size());
            items.forEach(item -> index.putIfAbsent(item.device().id(), item));
            byId = index;
        }
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
        return byResource.getOrDefault(resource, List.of());
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
