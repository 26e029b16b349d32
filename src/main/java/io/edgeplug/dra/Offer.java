package io.edgeplug.dra;

import io.edgeplug.device.Device;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PfPart;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.rules.Preference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The devices of one class at one time.
 *
 * @param devices the devices, with the health that the cluster is told
 * @param claimed the IDs of devices, or of their shares, that a claim has as devices of this class
 * @param heldByPlugin the IDs of devices that a pod got while the device plugin offered the class
 * @param used by ID, the devices that no claim has and that are not fit for the next pod yet. The value says
 *     whether a device becomes fit soon and by itself.
 * @param shares the number of shares of each device
 */
record Offer(
        DeviceClass deviceClass,
        List<Device> devices,
        Set<String> claimed,
        Set<String> heldByPlugin,
        Map<String, Boolean> used,
        int shares) {

    Offer(DeviceClass deviceClass, List<Device> devices, Set<String> claimed, Set<String> heldByPlugin) {
        this(deviceClass, devices, claimed, heldByPlugin, Map.of());
    }

    /** An offer of devices that are not shared. */
    Offer(
            DeviceClass deviceClass,
            List<Device> devices,
            Set<String> claimed,
            Set<String> heldByPlugin,
            Map<String, Boolean> used) {
        this(deviceClass, devices, claimed, heldByPlugin, used, 1);
    }

    Offer {
        devices = List.copyOf(devices);
        claimed = Set.copyOf(claimed);
        heldByPlugin = Set.copyOf(heldByPlugin);
        used = Map.copyOf(used);
    }

    /**
     * The devices in the order for the scheduler, which takes the first that fits. It is one PF after the other, or one
     * device of each PF in turn.
     */
    List<OfferedDevice> inOrder() {
        List<Device> sorted = devices.stream()
                .sorted(Comparator.comparing(Offer::adapter)
                        .thenComparingInt(Offer::index)
                        .thenComparing(Device::id))
                .toList();
        return OfferedDevice.of(
                deviceClass, deviceClass.preference() == Preference.PACK ? sorted : spread(sorted), shares);
    }

    private static List<Device> spread(List<Device> sorted) {
        Map<String, List<Device>> byAdapter = new TreeMap<>();
        sorted.forEach(device -> byAdapter
                .computeIfAbsent(adapter(device), none -> new ArrayList<>())
                .add(device));
        List<Device> spread = new ArrayList<>();
        for (int turn = 0; spread.size() < sorted.size(); turn++) {
            for (List<Device> one : byAdapter.values()) {
                if (turn < one.size()) {
                    spread.add(one.get(turn));
                }
            }
        }
        return spread;
    }

    private static String adapter(Device device) {
        return switch (device) {
            case PfPart part -> part.physicalFunction().toString();
            case PciDevice pci -> pci.function().address().toString();
            default -> device.id();
        };
    }

    private static int index(Device device) {
        return device instanceof PfPart part ? part.index() : 0;
    }
}
