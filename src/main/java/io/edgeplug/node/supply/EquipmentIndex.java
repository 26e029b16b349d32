package io.edgeplug.node.supply;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.node.container.IommuGroups;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.system.flow.Difference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What each device of one resource brings, by ID. Only changed devices are worked out again, because of 4,096 only one
 * or two change at a time. One thread at a time.
 */
final class EquipmentIndex {

    private final DeviceClass deviceClass;
    private final Supplier<MountedNodes> looks;
    private final Map<String, Equipment> byId = new HashMap<>();
    private Map<String, Equipment> all = Map.of();
    private List<Device> devices = List.of();

    /**
     * All devices of the node if a device is handed over with VFIO, which needs its group mates too; otherwise none.
     */
    private List<Device> node = List.of();

    private int vfios;

    /**
     * An index of nothing yet.
     *
     * @param looks begins a round of looks at directories of device nodes
     */
    EquipmentIndex(DeviceClass deviceClass, Supplier<MountedNodes> looks) {
        this.deviceClass = deviceClass;
        this.looks = looks;
    }

    /**
     * The difference to the state before.
     *
     * @param changed what devices bring that are new or bring something else now
     * @param gone the IDs of devices that left the resource
     */
    record Change(List<Equipment> changed, List<String> gone) {

        boolean isEmpty() {
            return changed.isEmpty() && gone.isEmpty();
        }
    }

    /** What all devices bring. The map never changes. */
    Map<String, Equipment> all() {
        return all;
    }

    /** The IDs of devices that bring one of these nodes, or all nodes of one of these directories. */
    Set<String> having(Set<String> paths) {
        Set<String> having = new HashSet<>();
        if (!paths.isEmpty()) {
            all.values().stream()
                    .filter(one -> one.nodes().stream().anyMatch(node -> paths.contains(node.hostPath()))
                            || one.directories().stream().anyMatch(paths::contains))
                    .forEach(one -> having.add(one.id()));
        }
        return having;
    }

    /** The IDs of devices that bring all nodes of a directory. */
    Set<String> havingDirectories() {
        return all.values().stream()
                .filter(one -> !one.directories().isEmpty())
                .map(Equipment::id)
                .collect(Collectors.toSet());
    }

    /**
     * Replaces the devices by those of that inventory.
     *
     * @param suspects the IDs of devices whose directories may have other nodes now
     */
    Change update(Inventory inventory, Set<String> suspects) {
        List<Device> newest = inventory.devices(deviceClass.resource());
        Difference<Device> difference = Difference.of(devices, newest);
        Set<String> gone = new HashSet<>();
        difference.removed().forEach(device -> gone.add(device.id()));
        difference.added().forEach(device -> gone.remove(device.id()));
        gone.forEach(this::remove);
        IommuGroups groups = IommuGroups.of(inventory.devices());
        List<Equipment> changed = new ArrayList<>();
        MountedNodes mounted = looks.get();
        difference.added().forEach(device -> put(device, groups, mounted, changed));
        suspects.stream()
                .flatMap(id -> Stream.ofNullable(byId.get(id)))
                .filter(one -> !one.directories().isEmpty())
                .map(Equipment::device)
                .toList()
                .forEach(device -> put(device, groups, mounted, changed));
        if (vfios > 0) {
            Set<Integer> changedGroups = groups(Difference.of(node, inventory.devices()));
            Stream.concat(difference.head().stream(), difference.tail().stream())
                    .filter(device -> isIn(changedGroups, device))
                    .forEach(device -> put(device, groups, mounted, changed));
        }
        devices = newest;
        node = vfios > 0 ? inventory.devices() : List.of();
        Change change = new Change(changed, List.copyOf(gone));
        if (!change.isEmpty()) {
            // This takes 0.2 ms for 4,096 devices, and only good news waits for it.
            all = Map.copyOf(byId);
        }
        return change;
    }

    private void put(Device device, IommuGroups groups, MountedNodes mounted, List<Equipment> changed) {
        Equipment now = mounted.open(Equipment.of(deviceClass, device, groups));
        if (!now.equals(byId.get(device.id()))) {
            remove(device.id());
            byId.put(device.id(), now);
            vfios += now.isVfio() ? 1 : 0;
            changed.add(now);
        }
    }

    private void remove(String id) {
        Equipment before = byId.remove(id);
        vfios -= before != null && before.isVfio() ? 1 : 0;
    }

    /** The groups with a changed member. */
    private static Set<Integer> groups(Difference<Device> difference) {
        Set<Integer> groups = new HashSet<>();
        for (List<Device> some : List.of(difference.removed(), difference.added())) {
            for (Device device : some) {
                if (device instanceof PciDevice pci) {
                    pci.function().iommuGroup().ifPresent(groups::add);
                }
            }
        }
        return groups;
    }

    private static boolean isIn(Set<Integer> groups, Device device) {
        return !groups.isEmpty()
                && device instanceof PciDevice pci
                && pci.function().iommuGroup().isPresent()
                && groups.contains(pci.function().iommuGroup().getAsInt());
    }
}
