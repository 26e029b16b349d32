package io.edgeplug.api.dra;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PfPart;
import io.edgeplug.model.device.Shares;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Preference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The devices of one class at one time.
 *
 * @param devices the devices, with the health that the cluster is told
 * @param claimed the IDs of devices that a claim has as devices of this class, and of their shares
 * @param heldByPlugin the IDs of devices that a pod got while the device plugin offered the class
 * @param used by ID, the devices that no claim has and that are not fit for the next pod yet. The value says
 *     whether a device becomes fit soon and by itself.
 * @param shares the number of shares of each device
 * @param consumed the shares of {@code claimed} that claims consume of a device with a capacity
 * @param unfit the IDs of devices that could not be prepared a short time ago
 * @param isAwaited whether the scheduler waits until a device is ready
 */
record Offer(
        DeviceClass deviceClass,
        List<Device> devices,
        Set<String> claimed,
        Set<String> heldByPlugin,
        Map<String, Boolean> used,
        int shares,
        Set<String> consumed,
        Set<String> unfit,
        boolean isAwaited) {

    Offer {
        devices = List.copyOf(devices);
        // A claim that has a share has its device too.
        claimed =
                claimed.stream().flatMap(id -> Stream.of(id, Shares.whole(id))).collect(Collectors.toUnmodifiableSet());
        heldByPlugin = Set.copyOf(heldByPlugin);
        used = Map.copyOf(used);
        consumed = Set.copyOf(consumed);
        unfit = Set.copyOf(unfit);
    }

    /**
     * The devices in the order for the scheduler, which takes the first that fits. It is one PF after the other, or one
     * device of each PF in turn.
     *
     * @param fields the fields that the API server keeps
     */
    List<OfferedDevice> inOrder(Set<SliceField> fields) {
        List<Device> sorted = devices.stream()
                .sorted(Comparator.comparing(Offer::adapter)
                        .thenComparingInt(Offer::index)
                        .thenComparing(Device::id))
                .toList();
        List<Device> ordered = deviceClass.placement().preference() == Preference.PACK ? sorted : spread(sorted);
        return deviceClass.sharing().isShared()
                ? new OfferedShares(this, fields).of(ordered)
                : ordered.stream()
                        .map(device -> new OfferedDevice(deviceClass, device, device.id()))
                        .toList();
    }

    private static List<Device> spread(List<Device> sorted) {
        Map<String, List<Device>> byAdapter =
                sorted.stream().collect(Collectors.groupingBy(Offer::adapter, TreeMap::new, Collectors.toList()));
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
