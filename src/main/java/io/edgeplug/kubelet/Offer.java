package io.edgeplug.kubelet;

import io.edgeplug.container.Equipment;
import io.edgeplug.device.Device;
import io.edgeplug.device.Health;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What there is of one resource for containers to have.
 *
 * @param number higher for each offer of which the kubelet is to know
 * @param inventory the generation of the inventory that it was made from
 * @param devices as the kubelet is to know them
 * @param ready by ID, what those devices bring whose files are written, be they healthy or not; of thousands, so it is not
 *     copied, and nobody may change it
 * @param problems by ID, why a device that is healthy by itself cannot be handed over
 */
record Offer(
        long number,
        long inventory,
        List<Device> devices,
        List<Integer> numaNodes,
        Map<String, Equipment> ready,
        Map<String, String> problems) {

    static final Offer NOTHING = new Offer(0, -1, List.of(), List.of(), Map.of(), Map.of());

    Offer {
        devices = List.copyOf(devices);
        numaNodes = List.copyOf(numaNodes);
        ready = Collections.unmodifiableMap(ready);
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
    static List<Device> noBetter(List<Device> before, Function<String, Optional<Device>> newest) {
        List<Device> now = new ArrayList<>(before.size());
        for (Device device : before) {
            newest.apply(device.id()).map(one -> noBetter(one, device)).ifPresent(now::add);
        }
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
        return new Offer(number + 1, inventory, withProblems(devices, more), numaNodes, ready, more);
    }

    /** The IDs of devices that the kubelet knows. */
    Stream<String> ids() {
        return devices.stream().map(Device::id);
    }
}
