package io.edgeplug.localkubelet;

import io.edgeplug.device.ResourceName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * What the kubelet remembers: resources, their plugins and devices, and who holds which; the maps of ManagerImpl in
 * manager.go behind their mutex.
 *
 * <p>The listener is told of a change under the same lock, so events are in order and whoever awaited a change finds
 * its event told.
 */
final class Ledger {

    private static final Logger LOG = Logger.getLogger(Ledger.class.getName());

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Consumer<KubeletEvent> listener;
    private final SortedMap<ResourceName, Entry> entries = new TreeMap<>();
    private final PodDevices pods = new PodDevices();
    private boolean closed;

    Ledger(Consumer<KubeletEvent> listener) {
        this.listener = listener;
    }

    /** A resource that has registered. */
    private static final class Entry {
        private Optional<Endpoint> endpoint = Optional.empty();
        private final SortedMap<String, ListedDevice> healthy = new TreeMap<>();
        private final SortedMap<String, ListedDevice> unhealthy = new TreeMap<>();
        /** Chosen for a container whose Allocate is not answered yet. */
        private final SortedSet<String> reserved = new TreeSet<>();

        void list(List<ListedDevice> devices) {
            healthy.clear();
            unhealthy.clear();
            devices.forEach(device -> (device.healthy() ? healthy : unhealthy).put(device.id(), device));
        }

        void markUnhealthy() {
            healthy.forEach((id, device) -> unhealthy.put(id, device.withHealth(false)));
            healthy.clear();
        }
    }

    void tell(KubeletEvent event) {
        locked(() -> publish(event));
    }

    /** A plugin was connected: the resource is its own now. Returns the one it was taken from, if that still lives. */
    Optional<Endpoint> connected(Endpoint endpoint) {
        return locked(() -> {
            Entry entry = entries.computeIfAbsent(endpoint.resource(), name -> new Entry());
            Optional<Endpoint> replaced = entry.endpoint.filter(before -> !before.isStopped());
            entry.endpoint = Optional.of(endpoint);
            publish(new KubeletEvent.Registered(
                    endpoint.resource(),
                    endpoint.socketName(),
                    endpoint.preStartRequired(),
                    endpoint.preferredAllocationAvailable()));
            return replaced;
        });
    }

    /** A plugin sent its list, which counts unless another plugin has taken the resource. */
    void listed(Endpoint endpoint, List<ListedDevice> devices) {
        locked(() -> owned(endpoint).ifPresent(entry -> {
            entry.list(devices);
            publish(new KubeletEvent.DeviceList(endpoint.resource(), devices));
        }));
    }

    /** A plugin is gone, and with it the health of its devices, unless another plugin has taken the resource. */
    void disconnected(Endpoint endpoint, String reason) {
        locked(() -> {
            endpoint.stop(reason);
            owned(endpoint).ifPresent(Entry::markUnhealthy);
            publish(new KubeletEvent.StreamEnded(endpoint.resource(), endpoint.socketName(), reason));
        });
    }

    /** What a checkpoint brings back: the resources' names without devices, and the pods with theirs. */
    void restarted() {
        locked(() -> {
            entries.replaceAll((resource, entry) -> new Entry());
            publish(new KubeletEvent.Restarted());
        });
    }

    /** Ends all waiting. */
    void close() {
        locked(() -> {
            closed = true;
            changed.signalAll();
        });
    }

    Optional<Endpoint> endpoint(ResourceName resource) {
        return locked(() -> Optional.ofNullable(entries.get(resource)).flatMap(entry -> entry.endpoint));
    }

    Optional<PodDevices.Holding> holding(String pod, String container, ResourceName resource) {
        return locked(() -> pods.holding(pod, container, resource));
    }

    /** The healthy devices that nobody holds; empty if the resource never registered. */
    Optional<SortedSet<String>> healthy(ResourceName resource) {
        return locked(
                () -> Optional.ofNullable(entries.get(resource)).map(entry -> new TreeSet<>(entry.healthy.keySet())));
    }

    SortedSet<String> inUse(ResourceName resource) {
        return locked(() -> {
            SortedSet<String> ids = pods.ids(resource);
            Optional.ofNullable(entries.get(resource)).ifPresent(entry -> ids.addAll(entry.reserved));
            return ids;
        });
    }

    void reserve(ResourceName resource, Collection<String> ids) {
        locked(() -> {
            Optional.ofNullable(entries.get(resource)).ifPresent(entry -> entry.reserved.addAll(ids));
            changed.signalAll();
        });
    }

    void release(ResourceName resource, Collection<String> ids) {
        locked(() -> {
            Optional.ofNullable(entries.get(resource)).ifPresent(entry -> entry.reserved.removeAll(ids));
            changed.signalAll();
        });
    }

    /** The container holds the devices from now on. */
    void allocated(String pod, String container, ResourceName resource, PodDevices.Holding holding) {
        locked(() -> {
            pods.insert(pod, container, resource, holding);
            publish(new KubeletEvent.Allocated(pod, container, resource, List.copyOf(holding.ids())));
        });
    }

    void removed(String pod) {
        locked(() -> {
            if (pods.remove(pod)) {
                publish(new KubeletEvent.PodRemoved(pod));
            }
        });
    }

    Optional<Pod> pod(String name) {
        return locked(() -> pods.pod(name));
    }

    List<Pod> pods() {
        return locked(pods::all);
    }

    ResourceState state(ResourceName resource) {
        return locked(() -> Optional.ofNullable(entries.get(resource))
                .map(entry -> state(resource, entry))
                .orElseGet(() -> new ResourceState(resource, false, Optional.empty(), List.of(), pods.ids(resource))));
    }

    SortedMap<ResourceName, ResourceState> states() {
        return locked(() -> {
            SortedMap<ResourceName, ResourceState> states = new TreeMap<>();
            entries.forEach((resource, entry) -> states.put(resource, state(resource, entry)));
            return states;
        });
    }

    /** Waits for a view to be as wanted, looking after each change. */
    <T> T await(Supplier<T> view, Predicate<? super T> wanted, Duration timeout, Function<T, String> text)
            throws InterruptedException, TimeoutException {
        lock.lockInterruptibly();
        try {
            long left = timeout.toNanos();
            while (true) {
                T seen = view.get();
                if (wanted.test(seen)) {
                    return seen;
                }
                if (closed) {
                    throw new IllegalStateException("the local kubelet is closed; last seen: " + text.apply(seen));
                }
                if (left <= 0) {
                    throw new TimeoutException(
                            "not as awaited after " + timeout.toMillis() + " ms; last seen: " + text.apply(seen));
                }
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private ResourceState state(ResourceName resource, Entry entry) {
        List<ListedDevice> devices = new ArrayList<>(entry.healthy.values());
        devices.addAll(entry.unhealthy.values());
        devices.sort(Comparator.comparing(ListedDevice::id));
        SortedSet<String> allocated = pods.ids(resource);
        allocated.addAll(entry.reserved);
        Optional<String> socket =
                entry.endpoint.filter(endpoint -> !endpoint.isStopped()).map(Endpoint::socketName);
        return new ResourceState(resource, true, socket, devices, allocated);
    }

    /** The resource's entry, if this plugin has it. */
    private Optional<Entry> owned(Endpoint endpoint) {
        return Optional.ofNullable(entries.get(endpoint.resource()))
                .filter(entry -> entry.endpoint.equals(Optional.of(endpoint)));
    }

    private void publish(KubeletEvent event) {
        changed.signalAll();
        try {
            listener.accept(event);
        } catch (RuntimeException e) {
            LOG.log(Level.SEVERE, e, () -> "a listener failed on: " + event.text());
        }
    }

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
        } finally {
            lock.unlock();
        }
    }

    private <T> T locked(Supplier<T> reading) {
        lock.lock();
        try {
            return reading.get();
        } finally {
            lock.unlock();
        }
    }
}
