package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceUnavailableException;
import io.edgeplug.device.ResourceName;
import io.edgeplug.flow.Difference;
import io.edgeplug.flow.Latest;
import io.edgeplug.inventory.Inventory.Item;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The newest inventory, and who may hold which of its devices. Any thread reads and hands over, one publishes. */
final class Publication {

    private final Latest<Inventory> newest = new Latest<>(Inventory.NOTHING, Inventory::generation);

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    private final Lock lock = new ReentrantLock();

    // below: guarded by the lock, so that a list is published with all that were handed over before
    private final Holders holders = new Holders();

    /** The devices of all resources, each of which has its ID for itself. */
    private final Map<String, Item> byId = new HashMap<>();

    Latest<Inventory> newest() {
        return newest;
    }

    /** Runs that after each newer inventory, on the thread that publishes it. */
    void addListener(Runnable listener) {
        listeners.add(listener);
    }

    void removeListener(Runnable listener) {
        listeners.remove(listener);
    }

    private Inventory current() {
        return newest.get();
    }

    /**
     * Hands over the devices of a resource with these IDs, all of them or none, in the order of their IDs; from now on they
     * stay in each inventory, gone or not.
     *
     * @throws DeviceUnavailableException if one is not there or not healthy
     */
    List<Device> handOver(ResourceName resource, Set<String> ids) throws DeviceUnavailableException {
        lock.lock();
        try {
            List<Device> devices = available(resource, ids);
            holders.add(ids.stream().map(byId::get).toList(), System.nanoTime());
            return devices;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The same devices, which are not handed over by that.
     *
     * @throws DeviceUnavailableException if one is not there or not healthy
     */
    List<Device> available(ResourceName resource, Set<String> ids) throws DeviceUnavailableException {
        lock.lock();
        try {
            List<Device> devices = new ArrayList<>();
            for (String id : new TreeSet<>(ids)) {
                devices.add(allocatable(resource, id, ids));
            }
            return devices;
        } finally {
            lock.unlock();
        }
    }

    private Device allocatable(ResourceName resource, String id, Set<String> ids) throws DeviceUnavailableException {
        Item item = Optional.ofNullable(byId.get(id))
                .filter(one -> one.resource().equals(Optional.of(resource)))
                .orElseThrow(() -> current().absence(resource, id));
        Device device = item.device();
        // the list that says so of a group mate may be on its way yet
        Optional<String> problem =
                device.health().problem().or(() -> holders.groups().objection(item, ids));
        if (problem.isPresent()) {
            throw DeviceUnavailableException.unhealthy(resource, id, problem.orElseThrow());
        }
        return device;
    }

    /** Notes who holds which devices, and forgets all others but the newest; returns whether groups come or go by it. */
    boolean noteHolders(Function<Device, Optional<String>> pod) {
        Map<Item, String> held = new LinkedHashMap<>();
        current().items().stream()
                .filter(item -> item.resource().isPresent())
                .forEach(item -> pod.apply(item.device()).ifPresent(uid -> held.put(item, uid)));
        lock.lock();
        try {
            HeldGroups before = holders.groups();
            held.forEach((item, uid) -> holders.add(item, uid, System.nanoTime()));
            holders.removeFree(device -> pod.apply(device).isPresent(), System.nanoTime());
            return !before.equals(holders.groups());
        } finally {
            lock.unlock();
        }
    }

    /** The IOMMU groups that containers have now. */
    HeldGroups heldGroups() {
        lock.lock();
        try {
            return holders.groups();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes these the devices that there are, and those that a pod may hold; publishes them if anything differs.
     *
     * @param judge makes items of devices: which class has each, and what is wrong with it
     * @param settle what may be published of a change
     * @return what differs in the list of all, unless nothing does
     */
    Optional<Difference<Item>> publish(
            List<Device> found,
            List<Integer> numaNodes,
            Function<List<Device>, List<Item>> judge,
            UnaryOperator<Difference<Item>> settle) {
        while (true) {
            Map<String, Device> held = held();
            List<Device> devices = new ArrayList<>(found);
            devices.addAll(Holders.missed(held, found));
            Inventory before = current();
            // worked out here alone: all that follow go by it, and none goes through thousands of devices again
            Difference<Item> change = settle.apply(Difference.of(before.items(), judge.apply(devices)));
            if (before.generation() > 0 && change.isEmpty() && numaNodes.equals(before.numaNodes())) {
                return Optional.empty();
            }
            if (replace(before.next(change, numaNodes), change, held.keySet())) {
                listeners.forEach(Runnable::run);
                return Optional.of(change);
            }
        }
    }

    private Map<String, Device> held() {
        lock.lock();
        try {
            return holders.byId();
        } finally {
            lock.unlock();
        }
    }

    /** Not if a device that is gone was handed over since it was asked who holds which. */
    private boolean replace(Inventory after, Difference<Item> change, Set<String> before) {
        Set<String> gone = new HashSet<>();
        change.removed().forEach(item -> gone.add(item.device().id()));
        change.added().forEach(item -> gone.remove(item.device().id()));
        gone.removeAll(before);
        lock.lock();
        try {
            if (holders.hasAny(gone)) {
                return false;
            }
            change.removed().forEach(item -> byId.remove(item.device().id(), item));
            change.added().stream()
                    .filter(item -> item.resource().isPresent())
                    .forEach(item -> byId.put(item.device().id(), item));
            Inventory ignored = newest.change(older -> after);
            return true;
        } finally {
            lock.unlock();
        }
    }
}
