package io.edgeplug.lab.localkubelet;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The devices of one resource at one moment, for an allocation.
 *
 * @param all by ID, from the last list; none after a restart of the kubelet
 * @param inUse IDs in use by any pod, listed or not
 */
record FreeDevices(SortedMap<String, ListedDevice> all, SortedSet<String> healthy, SortedSet<String> inUse) {

    /** The bits of a mask of NUMA nodes. */
    private static final int MAX_NODE = 63;

    FreeDevices {
        all = Collections.unmodifiableSortedMap(new TreeMap<>(all));
        healthy = Collections.unmodifiableSortedSet(new TreeSet<>(healthy));
        inUse = Collections.unmodifiableSortedSet(new TreeSet<>(inUse));
    }

    SortedSet<String> available() {
        SortedSet<String> free = new TreeSet<>(healthy);
        free.removeAll(inUse);
        return free;
    }

    /** Whether any device has NUMA nodes. If so, devices without nodes match no hint. */
    boolean hasTopology() {
        return all.values().stream().anyMatch(device -> !device.numaNodes().isEmpty());
    }

    boolean hasTopology(String id) {
        return Optional.ofNullable(all.get(id))
                .filter(device -> !device.numaNodes().isEmpty())
                .isPresent();
    }

    /** The device's NUMA nodes as a mask. */
    long mask(String id) {
        return Optional.ofNullable(all.get(id)).stream()
                .flatMap(device -> device.numaNodes().stream())
                .filter(node -> node >= 0 && node <= MAX_NODE)
                .mapToLong(node -> 1L << node)
                .reduce(0, (one, other) -> one | other);
    }
}
