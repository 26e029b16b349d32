package io.edgeplug.node.supply;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.node.container.IommuGroups;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.system.files.Sysfs;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A device as a daemon that has just started would list it. State that only a running daemon has is left out: the
 * holder of the device, the result of its last preparation, and the result of its class's health program.
 *
 * @param item the device with the health for the kubelet, and its class
 * @param equipment what it brings into its container; empty if no class takes it
 */
public record Candidate(Item item, Optional<Equipment> equipment) {

    /** All devices of a scanned node. */
    public static List<Candidate> of(Inventory inventory, Sysfs sysfs) {
        IommuGroups groups = IommuGroups.of(inventory.devices());
        Map<DeviceClass, HostFiles> files = new HashMap<>();
        Map<DeviceClass, MountedNodes> mounted = new HashMap<>();
        return inventory.items().stream()
                .map(item -> item.deviceClass()
                        .map(taker -> of(
                                item.device(),
                                taker,
                                groups,
                                files.computeIfAbsent(taker, one -> new HostFiles(sysfs, one, device -> false)),
                                mounted.computeIfAbsent(taker, one -> new MountedNodes(sysfs, one, directory -> {}))))
                        .orElseGet(() -> new Candidate(item, Optional.empty())))
                .toList();
    }

    private static Candidate of(
            Device device, DeviceClass taker, IommuGroups groups, HostFiles files, MountedNodes mounted) {
        Equipment equipment = mounted.open(Equipment.of(taker, device, groups));
        String problem =
                device.health().isHealthy() ? files.look(equipment).problem().orElse(null) : null;
        Item item = new Item(Stock.told(device, problem), Optional.of(taker));
        return new Candidate(item, Optional.of(equipment));
    }

    /** The device with the health for the kubelet. */
    public Device device() {
        return item.device();
    }

    /** Whether it exists and a container could have it. */
    public boolean isHealthy() {
        return device().health().isHealthy();
    }
}
