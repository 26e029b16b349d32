package io.edgeplug.kubelet;

import io.edgeplug.device.Device;
import io.edgeplug.device.Health;
import io.edgeplug.inventory.Difference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What there is of one resource for containers to have.
 *
 * @param number higher for each offer of which the kubelet is to know
 * @param inventory the generation of the inventory that it was made from
 * @param devices as the kubelet is to know them
 * @param shares of each device, that the kubelet is to know
 * @param problems by ID, why a device that is healthy by itself cannot be handed over
 */
record Offer(
        long number,
        long inventory,
        List<Device> devices,
        int shares,
        List<Integer> numaNodes,
        Map<String, String> problems) {

    static final Offer NOTHING = new Offer(0, -1, List.of(), 1, List.of(), Map.of());

    Offer {
        devices = List.copyOf(devices);
        numaNodes = List.copyOf(numaNodes);
        problems = Map.copyOf(problems);
    }

    /** The devices, where those with a problem are unhealthy. */
    static List<Device> withProblems(List<Device> devices, Map<String, String> problems) {
        if (problems.isEmpty()) {
            return devices;
        }
        return devices.stream()
                .map(device -> device.health().isHealthy() && problems.containsKey(device.id())
                        ? device.withHealth(Health.unhealthy(problems.get(device.id())))
                        : device)
                .toList();
    }

    /** These devices without those that are gone, and none in better health than before. */
    static List<Device> noBetter(List<Device> before, List<Device> newest) {
        Difference<Device> change = Difference.of(before, newest);
        if (change.isEmpty()) {
            return before;
        }
        Map<String, Device> is = new HashMap<>();
        change.is().forEach(device -> is.put(device.id(), device));
        List<Device> now = new ArrayList<>(before.size());
        now.addAll(change.head());
        for (Device device : change.was()) {
            Device one = is.get(device.id());
            if (one != null) {
                now.add(noBetter(one, device));
            }
        }
        now.addAll(change.tail());
        return now;
    }

    private static Device noBetter(Device device, Device than) {
        boolean isBetter = device.health().isHealthy() && !than.health().isHealthy();
        return isBetter ? device.withHealth(than.health()) : device;
    }

    /** The same with one device known as unhealthy. */
    Offer without(String id, String problem) {
        Map<String, String> more = new TreeMap<>(problems);
        more.put(id, problem);
        return new Offer(number + 1, inventory, withProblems(devices, more), shares, numaNodes, more);
    }

    /** The IDs of devices that the kubelet knows. */
    Stream<String> ids() {
        return devices.stream().map(Device::id);
    }
}
