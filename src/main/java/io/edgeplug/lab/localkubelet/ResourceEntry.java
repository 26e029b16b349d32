package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A registered resource: its plugins, of which one is called, and the sets of its devices.
 *
 * <p>Guarded by the lock of its {@link Ledger}.
 */
final class ResourceEntry {

    /** endpointStopGracePeriod in types.go. */
    private static final Duration GRACE = Duration.ofMinutes(5);

    // The map has no order, because sorting a list of thousands would take too long.
    private final Map<String, ListedDevice> healthy = new HashMap<>();
    private final Map<String, ListedDevice> unhealthy = new HashMap<>();
    /** By ID, as in the last list; the end of a stream changes nothing here. */
    private Map<String, ListedDevice> all = new HashMap<>();
    /** Devices for a container whose Allocate is not answered yet. */
    private final SortedSet<String> reserved = new TreeSet<>();

    /** The plugins that the kubelet knows and takes for alive, by their sockets; only from 1.37 on. */
    private final Map<Path, Endpoint> plugins = new HashMap<>();

    private final KubeletOptions options;
    private @Nullable Endpoint endpoint;
    private @Nullable Instant restored;
    private boolean known;

    ResourceEntry(KubeletOptions options) {
        this.options = options;
    }

    /** A resource from a checkpoint, whose plugin may come back within the grace. */
    static ResourceEntry restored(KubeletOptions options) {
        ResourceEntry entry = new ResourceEntry(options);
        entry.known = true;
        entry.restored = options.clock().instant();
        return entry;
    }

    /** The plugin that is called; it may have stopped. Empty for a resource from a checkpoint until one registers. */
    Optional<Endpoint> endpoint() {
        return Optional.ofNullable(endpoint);
    }

    /** Whether it was ever listed, or a checkpoint names it. Otherwise the node does not have it. */
    boolean known() {
        return known;
    }

    SortedSet<String> reserved() {
        return reserved;
    }

    /** The IDs for a checkpoint. */
    List<String> healthyIds() {
        return healthy.keySet().stream().sorted().toList();
    }

    /**
     * From now on this plugin is called.
     *
     * @throws PluginException if one on its socket still counts as alive
     */
    void connected(Endpoint newest) throws PluginException {
        if (options.knowsPluginsBySocket() && plugins.putIfAbsent(newest.socket(), newest) != null) {
            throw new PluginException("device plugin already connected: " + newest.socket());
        }
        endpoint = newest;
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

    /** The plugin on that socket is gone; up to 1.36, this ends the called plugin, whichever it is. */
    void disconnected(Path socket) {
        if (!options.knowsPluginsBySocket()) {
            stop();
            return;
        }
        Endpoint gone = plugins.remove(socket);
        if (gone == null) {
            return;
        }
        if (plugins.isEmpty()) {
            stop();
            return;
        }
        gone.stop(options.clock().instant());
        // The choice is random, because the kubelet takes the first of its map, even if the called plugin lives.
        endpoint = Admission.shuffled(plugins.values()).getFirst();
    }

    /** No plugin serves it. */
    void stop() {
        healthy.forEach((id, device) -> unhealthy.put(id, device.withHealth(false)));
        healthy.clear();
        plugins.clear();
        if (endpoint != null) {
            endpoint.stop(options.clock().instant());
        }
    }

    /** Whether the grace after the end of its last plugin is over. */
    boolean expired() {
        Instant now = options.clock().instant();
        return (endpoint == null ? Optional.ofNullable(restored) : endpoint.stopped())
                .filter(since -> now.isAfter(since.plus(GRACE)))
                .isPresent();
    }

    /** A device in the last list; the end of a stream changes nothing about it. */
    Optional<ListedDevice> device(String id) {
        return Optional.ofNullable(all.get(id));
    }

    /**
     * The devices for an allocation, at one moment.
     *
     * @param all by ID, from the last list, which is never changed; none after a restart of the kubelet
     * @param available those of the healthy ones that no pod uses
     */
    record Free(Map<String, ListedDevice> all, Set<String> healthy, SortedSet<String> available) {}

    /** The devices for an allocation, if pods hold these. */
    Free free(SortedSet<String> held) {
        SortedSet<String> available = new TreeSet<>(healthy.keySet());
        available.removeAll(held);
        available.removeAll(reserved);
        return new Free(all, Set.copyOf(healthy.keySet()), available);
    }

    ResourceState state(ResourceName resource, SortedSet<String> held) {
        List<ListedDevice> devices = new ArrayList<>(healthy.values());
        devices.addAll(unhealthy.values());
        devices.sort(Comparator.comparing(ListedDevice::id));
        SortedSet<String> allocated = new TreeSet<>(held);
        allocated.addAll(reserved);
        Optional<String> socket =
                endpoint().filter(plugin -> plugin.stopped().isEmpty()).map(Endpoint::socketName);
        return new ResourceState(resource, known, socket, devices, allocated);
    }
}
