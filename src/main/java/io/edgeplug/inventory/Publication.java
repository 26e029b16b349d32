package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceUnavailableException;
import io.edgeplug.device.Health;
import io.edgeplug.device.ResourceName;
import io.edgeplug.flow.Difference;
import io.edgeplug.flow.Latest;
import io.edgeplug.inventory.Inventory.Item;
import java.time.Instant;
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
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The newest inventory, and the possible holders of its devices. Any thread reads and hands over, one thread publishes.
 */
final class Publication {

    private final Latest<Inventory> newest = new Latest<>(Inventory.NOTHING, Inventory::generation);

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    private final Lock lock = new ReentrantLock();

    // The fields below are guarded by the lock, so a list is published with all devices that were handed over before.
    private final Holders holders = new Holders();

    private final UnscrubbedDevices unscrubbed = new UnscrubbedDevices();

    /** The devices of all resources, by face. */
    private final Map<String, Item> byFace = new HashMap<>();

    Latest<Inventory> newest() {
        return newest;
    }

    /** Runs the listener after each newer inventory, on the thread that publishes it. */
    void addListener(Runnable listener) {
        listeners.add(listener);
    }

    void removeListener(Runnable listener) {
        listeners.remove(listener);
    }

    private <T> T locked(Supplier<T> reading) {
        lock.lock();
        try {
            return reading.get();
        } finally {
            lock.unlock();
        }
    }

    private Inventory current() {
        return newest.get();
    }

    /**
     * Hands over the devices of a resource with these IDs, all of them or none, in the order of their IDs. From now on
     * they stay in each inventory, even if they are gone.
     *
     * @throws DeviceUnavailableException if one is missing or unhealthy
     */
    List<Device> handOver(ResourceName resource, Set<String> ids) throws DeviceUnavailableException {
        lock.lock();
        try {
            List<Device> devices = available(resource, ids);
            holders.add(ids.stream().map(id -> byFace.get(face(resource, id))).toList(), System.nanoTime());
            return devices;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The same devices, without handing them over.
     *
     * @throws DeviceUnavailableException if one is missing or unhealthy
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
        Item item = Optional.ofNullable(byFace.get(face(resource, id)))
                .orElseThrow(() -> current().absence(resource, id));
        Device device = item.device();
        // The list that reports a group mate or another face as unhealthy may still be on its way.
        Optional<String> problem = device.health()
                .problem()
                .filter(text -> !device.health().isWithheld())
                .or(() -> unscrubbed.objection(item, holders.of(id)))
                .or(() -> holders.groups().objection(item, ids));
        if (problem.isPresent()) {
            throw DeviceUnavailableException.unhealthy(resource, id, problem.orElseThrow());
        }
        return device.health().isWithheld() ? device.withHealth(Health.HEALTHY) : device;
    }

    private static String face(ResourceName resource, String id) {
        return id + " " + resource;
    }

    /**
     * Notes the holders of devices, and forgets all others except the newest.
     *
     * @param written when the kubelet wrote its notes
     * @return whether this changes what other pods can have
     */
    boolean noteHolders(Function<Device, Optional<HeldAs>> holder, Instant written) {
        Map<Item, HeldAs> held = new LinkedHashMap<>();
        for (Item item : current().items()) {
            if (item.resource().isPresent()) {
                holder.apply(item.device()).filter(as -> isHeldFace(item, as)).ifPresent(as -> held.put(item, as));
            }
        }
        lock.lock();
        try {
            HeldGroups before = holders.groups();
            Map<String, HeldAs> as = holders.as();
            held.forEach((item, one) -> holders.add(item, one, written, System.nanoTime()));
            holders.removeFree(device -> holder.apply(device).isPresent(), written, System.nanoTime());
            return !before.equals(holders.groups()) || !as.equals(holders.as());
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a pod holds a device of a resource, by the kubelet's notes of that time. */
    void noteHolder(ResourceName resource, String id, HeldAs holder, Instant written) {
        lock.lock();
        try {
            Optional.ofNullable(byFace.get(face(resource, id)))
                    .ifPresent(item -> holders.add(item, holder, written, System.nanoTime()));
        } finally {
            lock.unlock();
        }
    }

    /** Whether a device is held as this item. If it is held as none of its faces, the first face counts. */
    private boolean isHeldFace(Item item, HeldAs as) {
        if (!item.isFace()
                || as.resource().equals(item.resource().map(Object::toString).orElse(""))) {
            return true;
        }
        Inventory now = current();
        return now.resource(item.device().id()).equals(item.resource())
                && !now.has(as.resource(), item.device().id());
    }

    /** The resources with an old Allocate of which it is not known yet whether the kubelet has noted it. */
    Set<String> unnoted() {
        lock.lock();
        try {
            return holders.unnoted(System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** Whether the kubelet may be about to note an Allocate. */
    boolean isAllocating() {
        return locked(() -> holders.areNew(System.nanoTime()));
    }

    /** Withholds a device from all resources but the one as which it was used. Returns whether that is new. */
    boolean noteUse(String id, Optional<String> resource, boolean waits, String reason) {
        lock.lock();
        try {
            return unscrubbed.note(id, resource, waits, reason);
        } finally {
            lock.unlock();
        }
    }

    /** Offers a device to all resources again. Returns whether that is new. */
    boolean endUse(String id) {
        lock.lock();
        try {
            return unscrubbed.end(id);
        } finally {
            lock.unlock();
        }
    }

    /** The devices that are withheld, as {@link UnscrubbedDevices#waiting} returns them. */
    Map<String, Boolean> used() {
        return unscrubbed.waiting();
    }

    /** Why a used device is not scrubbed soon, as {@link UnscrubbedDevices#problem} returns it. */
    Optional<String> scrubProblem(String id) {
        return unscrubbed.problem(id);
    }

    /** The possible holder of a device. */
    Optional<HeldAs> holder(String id) {
        return locked(() -> holders.of(id).map(Holders.Entry::as));
    }

    /** Whether a claim holds any device, as far as that was noted here. */
    boolean haveClaims() {
        return locked(holders::haveClaims);
    }

    /** These items, with those as unhealthy that no other container can have now. */
    List<Item> judged(List<Item> items) {
        lock.lock();
        try {
            List<Item> apart = holders.groups().judged(items);
            boolean isPlain = unscrubbed.isEmpty()
                    && !holders.haveClaims()
                    && items.stream().noneMatch(Item::isFace);
            return isPlain ? apart : unscrubbed.judged(apart, holders);
        } finally {
            lock.unlock();
        }
    }

    /** The IOMMU groups of containers now. */
    HeldGroups heldGroups() {
        return locked(holders::groups);
    }

    /**
     * Publishes these devices and those that a pod may hold, if anything differs.
     *
     * @param judge makes items of devices, with their class and health
     * @param settle reduces a change to the part that may be published now
     * @return the difference in the list of all items, unless there is none
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
            // The difference is worked out only here. All later steps use it, so none goes through thousands of devices
            // again.
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
        return locked(holders::byId);
    }

    /** Refuses if a device that is gone was handed over after the holders were read. */
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
            change.removed().forEach(item -> byFace.remove(item.face(), item));
            change.added().stream()
                    .filter(item -> item.resource().isPresent())
                    .forEach(item -> byFace.put(item.face(), item));
            Inventory ignored = newest.change(older -> after);
            return true;
        } finally {
            lock.unlock();
        }
    }
}
