package io.edgeplug.localkubelet;

import io.edgeplug.device.ResourceName;
import java.nio.file.Path;
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
 * A resource that has registered: its plugins, of which one is called, and the sets of its devices.
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
    private Map<String, ListedDevice> all = new HashMap<>();
    /** Chosen for a container whose Allocate is not answered yet. */
    private final SortedSet<String> reserved = new TreeSet<>();

    /** Those that the kubelet knows of and takes for alive, by their sockets; from 1.37 on only. */
    private final Map<Path, Endpoint> plugins = new HashMap<>();

    private final KubeletOptions options;
    private Optional<Endpoint> endpoint = Optional.empty();
    private Optional<Instant> restored = Optional.empty();
    private boolean known;

    ResourceEntry(KubeletOptions options) {
        this.options = options;
    }

    /** One that a checkpoint brought back, whose plugin has the grace to come back too. */
    static ResourceEntry restored(KubeletOptions options) {
        ResourceEntry entry = new ResourceEntry(options);
        entry.known = true;
        entry.restored = Optional.of(options.clock().instant());
        return entry;
    }

    /** The plugin that is called; it may have stopped. Empty until one registers, if a checkpoint brought this back. */
    Optional<Endpoint> endpoint() {
        return endpoint;
    }

    /** Whether it was ever listed, or a checkpoint names it: before, the node does not have it. */
    boolean known() {
        return known;
    }

    SortedSet<String> reserved() {
        return reserved;
    }

    /** IDs as a checkpoint lists them. */
    List<String> healthyIds() {
        return healthy.keySet().stream().sorted().toList();
    }

    /**
     * From now on this plugin is called.
     *
     * @throws PluginException if one on its socket is still taken for alive
     */
    void connected(Endpoint newest) throws PluginException {
        if (options.knowsPluginsBySocket() && plugins.putIfAbsent(newest.socket(), newest) != null) {
            throw new PluginException("device plugin already connected: " + newest.socket());
        }
        endpoint = Optional.of(newest);
    }

    /** Replaces all devices, and returns those of the list before. */
    Map<String, ListedDevice> list(List<ListedDevice> devices) {
        Map<String, ListedDevice> before = all;
        known = true;
        healthy.clear();
        unhealthy.clear();
        all = HashMap.newHashMap(devices.size());
        for (ListedDevice device : devices) {
            (device.healthy() ? healthy : unhealthy).put(device.id(), device);
            all.put(device.id(), device);
        }
        return before;
    }

    /** The plugin on that socket is gone; up to 1.36, whichever plugin is called. */
    void disconnected(Path socket) {
        if (!options.knowsPluginsBySocket()) {
            stop();
            return;
        }
        Optional<Endpoint> gone = Optional.ofNullable(plugins.remove(socket));
        if (gone.isEmpty()) {
            return;
        }
        if (plugins.isEmpty()) {
            stop();
            return;
        }
        gone.orElseThrow().stop(options.clock().instant());
        // any, as the kubelet takes what its map gives first, even where the one that is called lives
        endpoint = Optional.of(Choice.shuffled(plugins.values()).getFirst());
    }

    /** No plugin serves it. */
    void stop() {
        healthy.forEach((id, device) -> unhealthy.put(id, device.withHealth(false)));
        healthy.clear();
        plugins.clear();
        endpoint.ifPresent(called -> called.stop(options.clock().instant()));
    }

    /** Whether the grace after the end of its last plugin is over. */
    boolean expired() {
        Instant now = options.clock().instant();
        return endpoint.map(Endpoint::stopped)
                .orElse(restored)
                .filter(since -> now.isAfter(since.plus(GRACE)))
                .isPresent();
    }

    /** A device as it was listed last; the end of a stream changes nothing about it. */
    Optional<ListedDevice> device(String id) {
        return Optional.ofNullable(all.get(id));
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
        Optional<String> socket =
                endpoint.filter(plugin -> plugin.stopped().isEmpty()).map(Endpoint::socketName);
        return new ResourceState(resource, known, socket, devices, allocated);
    }
}
