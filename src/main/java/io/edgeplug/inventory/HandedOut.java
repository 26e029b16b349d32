package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.Health;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The devices that containers may hold, as each was when it was handed out last; one thread at a time. */
final class HandedOut {

    private static final Health GONE = Health.unhealthy("is gone, and a container may hold it");

    private final Map<String, Device> byId = new TreeMap<>();

    void add(Collection<Device> devices) {
        devices.forEach(device -> byId.put(device.id(), device));
    }

    /** Those that are not among the IDs that were found, as unhealthy. */
    List<Device> missed(Set<String> found) {
        return byId.values().stream()
                .filter(device -> !found.contains(device.id()))
                .map(device -> device.withHealth(GONE))
                .toList();
    }
}
