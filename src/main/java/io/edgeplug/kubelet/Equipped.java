package io.edgeplug.kubelet;

import io.edgeplug.container.Equipment;
import io.edgeplug.container.IommuGroups;
import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.PciDevice;
import io.edgeplug.inventory.Difference;
import io.edgeplug.inventory.Inventory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** What the devices of one resource bring, worked out again of those that have changed; one thread at a time. */
final class Equipped {

    private final DeviceClass deviceClass;
    private final Map<String, Equipment> byId = new HashMap<>();
    private List<Device> devices = List.of();

    /** All of the node while any device is handed over with VFIO, which looks at its group mates too; else none. */
    private List<Device> node = List.of();

    private int vfios;

    Equipped(DeviceClass deviceClass) {
        this.deviceClass = deviceClass;
    }

    /**
     * What is not as it was.
     *
     * @param changed what devices bring that are new, or bring something else
     * @param gone the IDs of those that are none of the resource's any more
     */
    record Change(List<Equipment> changed, List<String> gone) {

        boolean isEmpty() {
            return changed.isEmpty() && gone.isEmpty();
        }
    }

    /** What all of them bring. */
    Collection<Equipment> all() {
        return Collections.unmodifiableCollection(byId.values());
    }

    /** Has the devices be those of that inventory from now on. */
    Change follow(Inventory inventory) {
        List<Device> newest = inventory.devices(deviceClass.resource());
        Difference<Device> change = Difference.of(devices, newest);
        Set<String> gone = new HashSet<>();
        change.was().forEach(device -> gone.add(device.id()));
        change.is().forEach(device -> gone.remove(device.id()));
        gone.forEach(this::remove);
        IommuGroups groups = IommuGroups.of(inventory.devices());
        List<Equipment> changed = new ArrayList<>();
        change.is().forEach(device -> put(device, groups, changed));
        if (vfios > 0) {
            Set<Integer> stirred = groups(Difference.of(node, inventory.devices()));
            Stream.concat(change.head().stream(), change.tail().stream())
                    .filter(device -> isIn(stirred, device))
                    .forEach(device -> put(device, groups, changed));
        }
        devices = newest;
        node = vfios > 0 ? inventory.devices() : List.of();
        return new Change(changed, List.copyOf(gone));
    }

    private void put(Device device, IommuGroups groups, List<Equipment> changed) {
        Equipment now = Equipment.of(deviceClass, device, groups);
        if (!now.equals(byId.get(device.id()))) {
            remove(device.id());
            byId.put(device.id(), now);
            vfios += now.isVfio() ? 1 : 0;
            changed.add(now);
        }
    }

    private void remove(String id) {
        Equipment was = byId.remove(id);
        vfios -= was != null && was.isVfio() ? 1 : 0;
    }

    /** The groups of which a member has changed. */
    private static Set<Integer> groups(Difference<Device> change) {
        Set<Integer> groups = new HashSet<>();
        for (List<Device> some : List.of(change.was(), change.is())) {
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
