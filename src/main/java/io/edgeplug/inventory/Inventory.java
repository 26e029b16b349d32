package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.Health;
import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** All devices of a node at one time, each with the class that takes it; the first class that does wins. */
public final class Inventory {

    private static final int MAX_ID = 63;

    /** Printable and without a comma, which separates IDs in a container's environment; the kubelet's length. */
    private static final Pattern ID = Pattern.compile("[!-+\\--~]{1," + MAX_ID + "}");

    private final long generation;
    private final List<Item> items;
    private final List<Integer> numaNodes;
    private final Map<ResourceName, Map<String, Item>> byResource;

    private Inventory(long generation, List<Item> items, List<Integer> numaNodes) {
        this.generation = generation;
        this.numaNodes = List.copyOf(numaNodes);
        this.items = List.copyOf(items);
        this.byResource = new HashMap<>();
        for (Item item : items) {
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
            } else {
                items.add(new Item(
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
        NodeDevices node = new NodeDevices(sysfs, classes);
        node.scanAll();
        return of(0, classes, node.devices(), node.numaNodes());
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
     * @throws DeviceUnavailableException if one is not there, not healthy, or asked for twice, or none is asked for
     */
    public List<Device> allocatable(ResourceName resource, Collection<String> ids) throws DeviceUnavailableException {
        Map<String, Item> known = byResource.getOrDefault(resource, Map.of());
        Map<String, Device> chosen = new TreeMap<>();
        if (ids.isEmpty()) {
            throw new DeviceUnavailableException("No device of " + resource + " was asked for.");
        }
        for (String id : ids) {
            Item item = known.get(id);
            if (item == null) {
                throw new DeviceUnavailableException("Device " + cut(id) + " of " + resource + " is not on this node.");
            }
            Optional<String> problem = item.device().health().problem();
            if (problem.isPresent()) {
                throw new DeviceUnavailableException(
                        "Device " + id + " of " + resource + " is unhealthy: " + problem.orElseThrow() + ".");
            }
            if (chosen.put(id, item.device()) != null) {
                throw new DeviceUnavailableException("Device " + id + " of " + resource + " was asked for twice.");
            }
        }
        return List.copyOf(chosen.values());
    }

    /** What nobody would call a device is cut short, for the header that carries it has little room. */
    private static String cut(String id) {
        return id.isEmpty() ? "\"\"" : id.length() > MAX_ID ? id.substring(0, MAX_ID) + "…" : id;
    }

    private static Item refused(Device device, String problem) {
        return new Item(device.withHealth(Health.unhealthy(problem)), Optional.empty());
    }
}
