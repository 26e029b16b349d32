package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.Health;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The devices that containers may hold, as each was when it was handed out last; one thread at a time.
 *
 * <p>Times are {@link System#nanoTime}.
 */
final class HandedOut {

    private static final Health GONE = Health.unhealthy("is gone, and a container may hold it");

    /** The kubelet notes a device right after Allocate; so long after it, what is not noted is not held. */
    private static final long NOTED = Duration.ofSeconds(5).toNanos();

    private final Map<String, Given> byId = new TreeMap<>();

    private record Given(Device device, long when) {}

    void add(Collection<Device> devices, long now) {
        devices.forEach(device -> byId.put(device.id(), new Given(device, now)));
    }

    /** Forgets those that no container holds, unless they were handed out just now. */
    void removeFree(Predicate<Device> isHeld, long now) {
        byId.values().removeIf(given -> now - given.when() > NOTED && !isHeld.test(given.device()));
    }

    boolean hasAny(Set<String> ids) {
        return ids.stream().anyMatch(byId::containsKey);
    }

    /** All of them, as they are now. */
    Map<String, Device> byId() {
        Map<String, Device> devices = new LinkedHashMap<>();
        byId.forEach((id, given) -> devices.put(id, given.device()));
        return devices;
    }

    /** Those of these, by ID, that are not among the devices that were found, as unhealthy. */
    static List<Device> missed(Map<String, Device> given, List<Device> found) {
        if (given.isEmpty()) {
            return List.of();
        }
        // few are handed out of many
        Map<String, Device> missed = new LinkedHashMap<>(given);
        found.forEach(device -> missed.remove(device.id()));
        return missed.values().stream().map(device -> device.withHealth(GONE)).toList();
    }

    /** Whether a device is listed only because a container may hold it. */
    static boolean isMissed(Device device) {
        return device.health().equals(GONE);
    }
}
