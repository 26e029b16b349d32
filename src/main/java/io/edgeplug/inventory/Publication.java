package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.Inventory.Item;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The newest inventory, for those who want it now or wait for a newer one. Any thread reads and hands out, one publishes.
 *
 * <p>There is no queue, so a slow reader misses what was overtaken and nothing else, and no reader can take a change from
 * another.
 */
final class Publication {

    private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private final Lock lock = new ReentrantLock();
    private final Condition published = lock.newCondition();

    // below: guarded by the lock, so that a list is published with all that were handed out before
    private final HandedOut handedOut = new HandedOut();
    private Inventory current = Inventory.NOTHING;

    /** The devices of all resources, each of which has its ID for itself. */
    private final Map<String, Item> byId = new HashMap<>();

    /** Makes items of devices: which class has each, and what is to be told of it. */
    interface Judgement {
        List<Item> items(List<Device> devices, Inventory before);
    }

    Inventory current() {
        lock.lock();
        try {
            return current;
        } finally {
            lock.unlock();
        }
    }

    Inventory awaitNewerThan(long generation) throws InterruptedException {
        return awaitNewerThan(generation, FOREVER);
    }

    /** The newest once it is newer than that, or once the time is over. */
    Inventory awaitNewerThan(long generation, Duration timeout) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = timeout.toNanos();
            while (current.generation() <= generation && left > 0) {
                left = published.awaitNanos(left);
            }
            return current;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The devices of a resource with these IDs, all of them or none, in the order of their IDs; from now on they stay in
     * each inventory, gone or not.
     *
     * @throws DeviceUnavailableException if one is not there or not healthy
     */
    List<Device> handOut(ResourceName resource, Set<String> ids) throws DeviceUnavailableException {
        lock.lock();
        try {
            List<Device> devices = available(resource, ids);
            handedOut.add(ids.stream().map(byId::get).toList(), System.nanoTime());
            return devices;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The same devices, which are not handed out by that.
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
                .orElseThrow(() -> current.absence(resource, id));
        Device device = item.device();
        // the list that says so of a group mate may be on its way yet
        Optional<String> problem =
                device.health().problem().or(() -> handedOut.groups().objection(item, ids));
        if (problem.isPresent()) {
            throw DeviceUnavailableException.unhealthy(resource, id, problem.orElseThrow());
        }
        return device;
    }

    /** Has those handed out that containers hold, and no others but the newest; returns whether groups come or go by it. */
    boolean containersHold(Function<Device, Optional<String>> pod) {
        Map<Item, String> held = new LinkedHashMap<>();
        current().items().stream()
                .filter(item -> item.resource().isPresent() && !HandedOut.isMissed(item.device()))
                .forEach(item -> pod.apply(item.device()).ifPresent(uid -> held.put(item, uid)));
        lock.lock();
        try {
            HeldGroups before = handedOut.groups();
            held.forEach((item, uid) -> handedOut.add(item, uid, System.nanoTime()));
            handedOut.removeFree(device -> pod.apply(device).isPresent(), System.nanoTime());
            return !before.equals(handedOut.groups());
        } finally {
            lock.unlock();
        }
    }

    /** The IOMMU groups that containers have now. */
    HeldGroups heldGroups() {
        lock.lock();
        try {
            return handedOut.groups();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes these the devices that there are, and those that were handed out; publishes them if anything differs.
     *
     * @return what differs in the list of all, unless nothing does
     */
    Optional<Difference<Item>> publish(List<Device> found, List<Integer> numaNodes, Judgement judgement) {
        while (true) {
            Map<String, Device> given = handedOut();
            List<Device> devices = new ArrayList<>(found);
            devices.addAll(HandedOut.missed(given, found));
            Inventory before = current();
            Difference<Item> change = Difference.of(before.items(), judgement.items(devices, before));
            if (before.generation() > 0 && change.isEmpty() && numaNodes.equals(before.numaNodes())) {
                return Optional.empty();
            }
            if (replace(before.next(change, numaNodes), change, given.keySet())) {
                return Optional.of(change);
            }
        }
    }

    private Map<String, Device> handedOut() {
        lock.lock();
        try {
            return handedOut.byId();
        } finally {
            lock.unlock();
        }
    }

    /** Not if a device that is gone was handed out since it was asked which were. */
    private boolean replace(Inventory after, Difference<Item> change, Set<String> given) {
        Set<String> gone = new HashSet<>();
        change.was().forEach(item -> gone.add(item.device().id()));
        change.is().forEach(item -> gone.remove(item.device().id()));
        gone.removeAll(given);
        lock.lock();
        try {
            if (handedOut.hasAny(gone)) {
                return false;
            }
            current = after;
            change.was().forEach(item -> byId.remove(item.device().id(), item));
            change.is().stream()
                    .filter(item -> item.resource().isPresent())
                    .forEach(item -> byId.put(item.device().id(), item));
            published.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }
}
