package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.Health;
import io.edgeplug.device.HealthScan;
import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** All devices of a node at one time, each with the class that takes it; the first class that does wins. */
public final class Inventory {

    static final int MAX_ID = 63;

    /** Printable and without a comma, which separates IDs in a container's environment; the kubelet's length. */
    private static final Pattern ID = Pattern.compile("[!-+\\--~]{1," + MAX_ID + "}");

    /** An ID that is shared has up to {@code ::999} behind it. */
    private static final int MAX_SHARED_ID = MAX_ID - 5;

    /** As the kubelet knows a share; a device of such a name could be taken for one. */
    private static final Pattern SHARE = Pattern.compile(".+::\\d+");

    private final long generation;
    private final List<Item> items;
    private final List<Integer> numaNodes;
    private final Map<ResourceName, Map<String, Item>> byResource;
    private final Map<String, Item> byId;

    private Inventory(long generation, List<Item> items, List<Integer> numaNodes) {
        this.generation = generation;
        this.numaNodes = List.copyOf(numaNodes);
        this.items = List.copyOf(items);
        this.byResource = new HashMap<>();
        this.byId = new HashMap<>();
        for (Item item : items) {
            byId.putIfAbsent(item.device().id(), item);
            item.deviceClass()
                    .ifPresent(deviceClass -> byResource
                            .computeIfAbsent(deviceClass.resource(), resource -> new LinkedHashMap<>())
                            .put(item.device().id(), item));
        }
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

    /** Gives each of these devices, in order, to the first class that takes it. */
    static Inventory of(
            long generation, List<DeviceClass> classes, Collection<? extends Device> devices, List<Integer> numaNodes) {
        Map<String, Device> byId = new HashMap<>();
        List<Item> items = new ArrayList<>();
        for (Device device : devices) {
            Device earlier = byId.putIfAbsent(device.id(), device);
            if (earlier != null) {
                items.add(refused(device, "another device has the ID " + device.id()));
            } else if (!ID.matcher(device.id()).matches()) {
                items.add(refused(device, "its name cannot be an ID: 1 to 63 printable characters, no comma or space"));
            } else if (SHARE.matcher(device.id()).matches()) {
                items.add(refused(device, "its name is that of a share of another device"));
            } else {
                items.add(given(
                        device,
                        classes.stream().filter(one -> one.takes(device)).findFirst()));
            }
        }
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
        Inventory scanned = of(0, classes, node.devices(), node.numaNodes());
        HealthScan health = new HealthScan(sysfs);
        return scanned.with(
                scanned.items().stream().map(item -> judged(item, health)).toList());
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

    /** The same with other items. */
    Inventory with(List<Item> others) {
        return new Inventory(generation, others, numaNodes);
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

    /** The devices that back a resource. */
    public List<Device> devices(ResourceName resource) {
        return byResource.getOrDefault(resource, Map.of()).values().stream()
                .map(Item::device)
                .toList();
    }

    /** The device of a resource with that ID. */
    public Optional<Device> device(ResourceName resource, String id) {
        return Optional.ofNullable(byResource.getOrDefault(resource, Map.of()).get(id))
                .map(Item::device);
    }

    /**
     * The devices of a resource with these IDs, all of them or none.
     *
     * @throws DeviceUnavailableException if one is not there or not healthy
     */
    public List<Device> allocatable(ResourceName resource, Set<String> ids) throws DeviceUnavailableException {
        Map<String, Item> known = byResource.getOrDefault(resource, Map.of());
        List<Device> chosen = new ArrayList<>();
        for (String id : ids) {
            Item item = known.get(id);
            if (item == null) {
                throw DeviceUnavailableException.notHere(resource, id);
            }
            Optional<String> problem = item.device().health().problem();
            if (problem.isPresent()) {
                throw DeviceUnavailableException.unhealthy(resource, id, problem.orElseThrow());
            }
            chosen.add(item.device());
        }
        chosen.sort(Comparator.comparing(Device::id));
        return chosen;
    }

    private static Item given(Device device, Optional<DeviceClass> taker) {
        boolean isTooLong = device.id().length() > MAX_SHARED_ID
                && taker.filter(one -> one.sharing().isShared()).isPresent();
        return isTooLong
                ? refused(
                        device,
                        "its name is longer than the " + MAX_SHARED_ID + " characters that leave room for shares")
                : new Item(device, taker);
    }

    private static Item refused(Device device, String problem) {
        return new Item(device.withHealth(Health.unhealthy(problem)), Optional.empty());
    }
}
