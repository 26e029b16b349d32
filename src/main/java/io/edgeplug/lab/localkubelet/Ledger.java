package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The kubelet's memory: resources, their plugins and devices, and the holders. These are the maps of ManagerImpl in
 * manager.go behind their mutex, and their checkpoint.
 *
 * <p>The listener gets a change under the same lock. So events are in order, and a caller that has awaited a change
 * finds its event reported. The checkpoint is written before that. It is also written when a pod is removed, because no
 * list of active pods comes with a restart.
 */
final class Ledger {

    private static final Logger LOG = Logger.getLogger(Ledger.class.getName());

    private final Mutex mutex = new Mutex();
    private final Path checkpoint;
    private final KubeletOptions options;
    private final Consumer<KubeletEvent> listener;
    private final SortedMap<ResourceName, ResourceEntry> entries = new TreeMap<>();
    private final PodDevices pods = new PodDevices();

    Ledger(Path checkpoint, KubeletOptions options, Consumer<KubeletEvent> listener) {
        this.checkpoint = checkpoint;
        this.options = options;
        this.listener = listener;
    }

    void tell(KubeletEvent event) {
        mutex.locked(() -> publish(event));
    }

    /** A plugin was connected, and serves the resource from now on. */
    void connected(Endpoint endpoint) throws PluginException {
        mutex.locked(() -> {
            entries.computeIfAbsent(endpoint.resource(), name -> new ResourceEntry(options))
                    .connected(endpoint);
            publish(new KubeletEvent.Registered(
                    endpoint.resource(),
                    endpoint.socketName(),
                    endpoint.preStartRequired(),
                    endpoint.preferredAllocationAvailable()));
        });
    }

    /** A plugin sent its list. It replaces the one before, whichever plugin of the resource sent that. */
    void listed(Endpoint endpoint, List<ListedDevice> devices) {
        mutex.locked(() -> entry(endpoint.resource())
                .filter(entry -> !endpoint.isHungUp())
                .ifPresent(entry -> {
                    // The event comes first, because noting thousands of devices takes a while. Others see neither
                    // before both are done.
                    publish(new KubeletEvent.DeviceList(endpoint.resource(), devices));
                    Map<String, ListedDevice> before = entry.list(devices);
                    // As in genericDeviceUpdateCallback of manager.go, devices count before the file has them.
                    save();
                    if (options.reportsHealth()) {
                        PodHealth health = new PodHealth(pods, entries, options.findsHoldersByResource());
                        health.changed(endpoint.resource(), before).forEach(this::publish);
                    }
                }));
    }

    /**
     * A plugin's stream ended.
     *
     * @param client the client that the resource loses, which may be another than the plugin; if it is null, the kubelet
     *     had forgotten the plugin and takes it for alive
     */
    void ended(Endpoint endpoint, String reason, @Nullable Endpoint client) {
        mutex.locked(() -> {
            if (client != null) {
                entry(client.resource()).ifPresent(entry -> entry.disconnected(client.socket()));
            }
            publish(new KubeletEvent.StreamEnded(endpoint.resource(), endpoint.socketName(), reason));
        });
    }

    /** The kubelet stopped: no plugin serves anything. */
    void stopped() {
        mutex.locked(() -> {
            entries.values().forEach(ResourceEntry::stop);
            mutex.changed();
        });
    }

    /**
     * Forgets everything that is not in the checkpoint. That has the resources' names without devices, and the pods
     * with theirs.
     */
    void restore() {
        mutex.locked(() -> {
            entries.clear();
            pods.restore(List.of());
            try {
                Checkpoint.read(checkpoint).ifPresent(this::restore);
            } catch (IOException e) {
                publish(new KubeletEvent.CheckpointRefused(checkpoint, String.valueOf(e.getMessage())));
            }
            mutex.changed();
        });
    }

    private void restore(Checkpoint saved) {
        pods.restore(saved.entries());
        saved.registered()
                .keySet()
                .forEach(resource -> entries.put(ResourceName.parse(resource), ResourceEntry.restored(options)));
    }

    private void save() {
        try {
            Checkpoint.of(pods, entries).write(checkpoint);
        } catch (IOException e) {
            LOG.warning(() -> checkpoint + ": cannot write: " + e);
        }
    }

    void close() {
        mutex.close();
    }

    Optional<Endpoint> endpoint(ResourceName resource) {
        return mutex.locked(() -> entry(resource).flatMap(ResourceEntry::endpoint));
    }

    /** The devices of the resource that a container holds. */
    SortedSet<String> held(String pod, String container, ResourceName resource) {
        return mutex.locked(() -> pods.ids(pod, container, resource));
    }

    /** A device in the last list of the resource. */
    Optional<ListedDevice> device(ResourceName resource, String id) {
        return mutex.locked(() -> entry(resource).flatMap(entry -> entry.device(id)));
    }

    /** Whether the kubelet knows a plugin of the resource, or expects one back. */
    boolean hasPlugin(ResourceName resource) {
        return mutex.locked(() -> entry(resource).isPresent());
    }

    /** Whether the resource belongs to plugins: it was listed, a checkpoint names it, or a pod has some of it. */
    boolean isOfPlugins(ResourceName resource) {
        return mutex.locked(() -> entry(resource).filter(ResourceEntry::known).isPresent()
                || !pods.ids(resource).isEmpty());
    }

    /** Empty if the resource was never listed. */
    Optional<ResourceEntry.Free> free(ResourceName resource) {
        return mutex.locked(
                () -> entry(resource).filter(ResourceEntry::known).map(entry -> entry.free(pods.ids(resource))));
    }

    /** Changes which devices are for a container whose Allocate is not answered yet. */
    void changeReserved(ResourceName resource, Consumer<Set<String>> change) {
        mutex.locked(() -> {
            entry(resource).map(ResourceEntry::reserved).ifPresent(change);
            mutex.changed();
        });
    }

    /** The container holds the devices from now on. */
    void allocated(String pod, String container, ResourceName resource, PodDevices.Holding holding) {
        mutex.locked(() -> {
            pods.insert(pod, container, resource, holding);
            save();
            publish(new KubeletEvent.Allocated(pod, container, resource, List.copyOf(holding.ids())));
        });
    }

    void removed(String pod) {
        mutex.locked(() -> {
            if (pods.remove(pod)) {
                save();
                publish(new KubeletEvent.PodRemoved(pod));
            }
        });
    }

    /** Like UpdateAllocatedDevices: devices of ended pods become free, and the checkpoint is not written. */
    void reclaim(Collection<String> ended) {
        mutex.locked(() -> {
            ended.forEach(pods::remove);
            mutex.changed();
        });
    }

    Optional<Pod> pod(String name) {
        return mutex.locked(() -> pods.pod(name));
    }

    List<Pod> pods() {
        return mutex.locked(pods::all);
    }

    ResourceState state(ResourceName resource) {
        return mutex.locked(() -> {
            dropExpired();
            SortedSet<String> held = pods.ids(resource);
            return entry(resource)
                    .map(entry -> entry.state(resource, held))
                    .orElseGet(() -> new ResourceState(resource, false, Optional.empty(), List.of(), held));
        });
    }

    SortedMap<ResourceName, ResourceState> states() {
        return mutex.locked(() -> {
            dropExpired();
            SortedMap<ResourceName, ResourceState> states = new TreeMap<>();
            entries.forEach((resource, entry) -> states.put(resource, entry.state(resource, pods.ids(resource))));
            return states;
        });
    }

    /** Like GetCapacity: whoever asks for the node's capacity drops the resources whose grace is over. */
    private void dropExpired() {
        List<ResourceName> expired = entries.entrySet().stream()
                .filter(entry -> entry.getValue().expired())
                .map(Map.Entry::getKey)
                .toList();
        for (ResourceName resource : expired) {
            entries.remove(resource);
            save();
            publish(new KubeletEvent.ResourceDropped(resource));
        }
    }

    <T> T await(Supplier<T> view, Predicate<? super T> wanted, Duration timeout, Function<T, String> text)
            throws InterruptedException, TimeoutException {
        return mutex.await(view, wanted, timeout, text);
    }

    private Optional<ResourceEntry> entry(ResourceName resource) {
        return Optional.ofNullable(entries.get(resource));
    }

    private void publish(KubeletEvent event) {
        mutex.changed();
        try {
            listener.accept(event);
        } catch (RuntimeException e) {
            LOG.log(Level.SEVERE, e, () -> "a listener failed on: " + event.text());
        }
    }
}
