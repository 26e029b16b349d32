package io.edgeplug.node.inventory;

import io.edgeplug.model.custody.Face;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.scan.HealthScan;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Difference;
import java.io.IOException;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.RandomAccess;
import java.util.Set;

/** All devices of a node at one time, each with the first class that takes it. */
public final class Inventory {

    /** The inventory of a node that was not scanned yet. */
    static final Inventory NOTHING = new Inventory(0, List.of(), List.of(), Map.of());

    private final long generation;
    private final List<Item> items;
    private final List<Device> devices;
    private final List<Integer> numaNodes;
    private final Map<ResourceName, List<Device>> byResource;

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
     * @param face the device as its resource offers it; empty if no class takes it
     */
    public record Item(Device device, Optional<DeviceClass> deviceClass, Optional<Face> face) {

        /** A device, and the class that takes it if one does. */
        public Item(Device device, Optional<DeviceClass> deviceClass) {
            this(
                    device,
                    deviceClass,
                    deviceClass.map(one -> new Face(
                            device.id(),
                            one.resource().toString(),
                            one.tracksUse(),
                            one.isClaimed(),
                            one.sharing().isShared(),
                            one.vfioGroup(device))));
        }

        /** The resource of the device. */
        public Optional<ResourceName> resource() {
            return deviceClass.map(DeviceClass::resource);
        }

        /** Identifies an item in an inventory: the device's ID and the resource. No ID contains a space. */
        String key() {
            return device.id() + " " + resource().map(ResourceName::toString).orElse("");
        }

        /** Whether the device may also be listed for other resources. */
        public boolean isFace() {
            return deviceClass.filter(DeviceClass::isFace).isPresent();
        }

        /** The nearest NUMA nodes: those of its class, or else the kernel's. */
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

    /** The next generation: the items after that change, on a node with these NUMA nodes. */
    Inventory next(Difference<Item> change, List<Integer> newNumaNodes) {
        return new Inventory(generation + 1, change.after(), newNumaNodes, byResource(change));
    }

    /** A resource without changes keeps its list object, so that comparing it takes no time. */
    private Map<ResourceName, List<Device>> byResource(Difference<Item> change) {
        Map<ResourceName, List<Device>> was = grouped(change.removed());
        Map<ResourceName, List<Device>> is = grouped(change.added());
        Set<ResourceName> changed = new HashSet<>(was.keySet());
        changed.addAll(is.keySet());
        Map<ResourceName, List<Device>> lists = new HashMap<>(byResource);
        for (ResourceName resource : changed) {
            List<Device> before = devices(resource);
            int head = count(before, change.head(), resource);
            int tail = head + was.getOrDefault(resource, List.of()).size();
            List<Device> now = new ArrayList<>(before.subList(0, head));
            now.addAll(is.getOrDefault(resource, List.of()));
            now.addAll(before.subList(tail, before.size()));
            if (now.isEmpty()) {
                lists.remove(resource);
            } else {
                lists.put(resource, List.copyOf(now));
            }
        }
        return lists;
    }

    private static Map<ResourceName, List<Device>> grouped(List<Item> items) {
        Map<ResourceName, List<Device>> lists = new HashMap<>();
        for (Item item : items) {
            item.resource()
                    .ifPresent(resource -> lists.computeIfAbsent(resource, none -> new ArrayList<>())
                            .add(item.device()));
        }
        return lists;
    }

    /** The first resource that has the device with this ID; empty if there is none. */
    public Optional<ResourceName> resource(String id) {
        return items.stream()
                .filter(item -> item.device().id().equals(id))
                .findFirst()
                .flatMap(Item::resource);
    }

    /** How many shares of each device of the class the kubelet should see; 1 if they are not shared. */
    public int listedShares(DeviceClass deviceClass) {
        if (!deviceClass.sharing().isShared()) {
            return 1;
        }
        int shared = 0;
        long all = 0;
        for (Item item : items) {
            int shares = item.deviceClass().map(one -> one.sharing().shares()).orElse(1);
            shared += shares > 1 ? 1 : 0;
            all += shares > 1 ? shares : 0;
        }
        return deviceClass.sharing().listed(shared, all);
    }

    /** How many devices of a resource these items have. The list of all begins with them. */
    @SuppressWarnings(
            "ReferenceEquality") // the lists are of the same objects, and to look into thousands takes a while
    private static int count(List<Device> devices, List<Item> head, ResourceName resource) {
        Optional<Device> last = head.reversed().stream()
                .filter(item -> item.resource().equals(Optional.of(resource)))
                .findFirst()
                .map(Item::device);
        int count = 0;
        while (last.isPresent() && devices.get(count) != last.orElseThrow()) {
            count++;
        }
        return last.isPresent() ? count + 1 : 0;
    }

    /**
     * Scans a node once.
     *
     * @throws IOException if the node does not list its devices
     */
    public static Inventory scan(Sysfs sysfs, List<DeviceClass> classes) throws IOException {
        try (ScanThread thread = new ScanThread(sysfs, () -> {}, place -> {})) {
            NodeDevices node = new NodeDevices(thread, classes, new ScanGate());
            node.scanAll();
            HealthScan health = new HealthScan(thread.sysfs());
            List<Item> items = new Matching().match(classes, node.devices());
            List<Item> judged = thread.run(() ->
                    items.stream().map(item -> judged(item, health, thread)).toList());
            return NOTHING.next(Difference.of(List.of(), judged), node.numaNodes());
        }
    }

    /** The item with the health by its class. Conditions that need the past are left out. */
    private static Item judged(Item item, HealthScan health, ScanThread thread) {
        Device device = item.device();
        return item.deviceClass()
                .filter(taker -> device.health().isHealthy())
                .flatMap(taker -> problem(device, taker, health, thread))
                .map(problem -> new Item(device.withHealth(Health.unhealthy(problem)), item.deviceClass()))
                .orElse(item);
    }

    private static Optional<String> problem(Device device, DeviceClass taker, HealthScan health, ScanThread thread) {
        try {
            return thread.look(
                    Place.of(device).name(),
                    () -> health.problem(device, taker.health().checks()));
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** Grows with each inventory that a {@link Monitor} publishes. */
    public long generation() {
        return generation;
    }

    /**
     * All devices, also those that no class takes: PCI functions by address, then devices without a function, then
     * files by path.
     */
    public List<Item> items() {
        return items;
    }

    /** The NUMA nodes of the node; none if the kernel has no NUMA. */
    public List<Integer> numaNodes() {
        return numaNodes;
    }

    /** The devices of all items. */
    public List<Device> devices() {
        return devices;
    }

    /** The devices of a resource. */
    public List<Device> devices(ResourceName resource) {
        return byResource.getOrDefault(resource, List.of());
    }

    /** The reason why a resource has no device with that ID. This goes through all devices. */
    public DeviceUnavailableException absence(ResourceName resource, String id) {
        boolean isHere = false;
        for (Item item : items) {
            if (item.device().id().equals(id)) {
                Optional<ResourceName> owner = item.resource().filter(name -> !name.equals(resource));
                if (owner.isPresent()) {
                    return DeviceUnavailableException.ofAnother(resource, id, owner.orElseThrow());
                }
                isHere = true;
            }
        }
        return isHere
                ? DeviceUnavailableException.ofNone(resource, id)
                : DeviceUnavailableException.notHere(resource, id);
    }

    /** The device of a resource with that ID. This goes through all devices. */
    public Optional<Device> device(ResourceName resource, String id) {
        return devices(resource).stream()
                .filter(device -> device.id().equals(id))
                .findFirst();
    }
}
