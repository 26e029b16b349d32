package io.edgeplug.localkubelet;

import io.edgeplug.device.ResourceName;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A resource that has registered: its newest plugin and the sets of its devices.
 *
 * <p>Guarded by the lock of the {@link Ledger} that has it.
 */
final class ResourceEntry {

    /** endpointStopGracePeriod in types.go. */
    private static final Duration GRACE = Duration.ofMinutes(5);

    // in no order, as a list of thousands must not wait for one
    private final Map<String, ListedDevice> healthy = new HashMap<>();
    private final Map<String, ListedDevice> unhealthy = new HashMap<>();
    /** By ID, as listed last; the end of a stream changes nothing here. */
    private final Map<String, ListedDevice> all = new HashMap<>();
    /** Chosen for a container whose Allocate is not answered yet. */
    private final SortedSet<String> reserved = new TreeSet<>();

    private Optional<Endpoint> endpoint = Optional.empty();
    private Optional<Instant> stopped = Optional.empty();

    /** One that a checkpoint brought back, whose plugin has the grace to come back too. */
    static ResourceEntry restored(Instant now) {
        ResourceEntry entry = new ResourceEntry();
        entry.stopped = Optional.of(now);
        return entry;
    }

    Optional<Endpoint> endpoint() {
        return endpoint;
    }

    SortedSet<String> reserved() {
        return reserved;
    }

    /** IDs as a checkpoint lists them. */
    List<String> healthyIds() {
        return healthy.keySet().stream().sorted().toList();
    }

    void connected(Endpoint newest) {
        endpoint = Optional.of(newest);
        stopped = Optional.empty();
    }

    void list(List<ListedDevice> devices) {
        healthy.clear();
        unhealthy.clear();
        all.clear();
        for (ListedDevice device : devices) {
            (device.healthy() ? healthy : unhealthy).put(device.id(), device);
            all.put(device.id(), device);
        }
    }

    void disconnected(Instant now) {
        healthy.forEach((id, device) -> unhealthy.put(id, device.withHealth(false)));
        healthy.clear();
        stopped = Optional.of(now);
    }

    boolean expired(Instant now) {
        return stopped.filter(since -> now.isAfter(since.plus(GRACE))).isPresent();
    }

    /** What allocation sees. */
    Stock stock(SortedSet<String> held) {
        SortedSet<String> inUse = new TreeSet<>(held);
        inUse.addAll(reserved);
        return new Stock(new TreeMap<>(all), new TreeSet<>(healthy.keySet()), inUse);
    }

    ResourceState state(ResourceName resource, SortedSet<String> held) {
        List<ListedDevice> devices = new ArrayList<>(healthy.values());
        devices.addAll(unhealthy.values());
        devices.sort(Comparator.comparing(ListedDevice::id));
        SortedSet<String> allocated = new TreeSet<>(held);
        allocated.addAll(reserved);
        Optional<String> socket = endpoint.filter(plugin -> !plugin.isStopped()).map(Endpoint::socketName);
        return new ResourceState(resource, true, socket, devices, allocated);
    }
}
