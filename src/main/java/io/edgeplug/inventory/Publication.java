package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.Inventory.Item;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

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

    /** The devices of the newest inventory, which from now on stay in each, gone or not. */
    List<Device> handOut(ResourceName resource, Set<String> ids) throws DeviceUnavailableException {
        // whoever publishes need not wait for that
        current().index();
        lock.lock();
        try {
            List<Device> devices = current.allocatable(resource, ids);
            handedOut.add(devices, System.nanoTime());
            return devices;
        } finally {
            lock.unlock();
        }
    }

    /** Has those handed out that containers hold, and no others but the newest. */
    void containersHold(Predicate<Device> isHeld) {
        List<Device> held = current().items().stream()
                .filter(item -> item.resource().isPresent())
                .map(Item::device)
                .filter(device -> !HandedOut.isMissed(device) && isHeld.test(device))
                .toList();
        lock.lock();
        try {
            handedOut.add(held, System.nanoTime());
            handedOut.removeFree(isHeld, System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes these the devices that there are, and those that were handed out; publishes them if anything differs.
     *
     * @return whether it does
     */
    boolean publish(List<Device> found, List<Integer> numaNodes, Judgement judgement) {
        while (true) {
            // if a device is handed out meanwhile, it is not among these, and all of it is done again
            boolean isNoneHandedOut = isNoneHandedOut();
            Set<String> ids = isNoneHandedOut ? Set.of() : ids(found);
            List<Device> missed = isNoneHandedOut ? List.of() : missed(ids);
            List<Device> devices = new ArrayList<>(found);
            devices.addAll(missed);
            Inventory before = current();
            List<Item> items = judgement.items(devices, before);
            boolean differs = before.generation() == 0
                    || !Difference.of(before.items(), items).isEmpty()
                    || !numaNodes.equals(before.numaNodes());
            Inventory after = differs ? before.next(items, numaNodes) : before;
            if (replace(after, ids, missed.size())) {
                return differs;
            }
        }
    }

    private boolean isNoneHandedOut() {
        lock.lock();
        try {
            return handedOut.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    private static Set<String> ids(List<Device> devices) {
        Set<String> ids = HashSet.newHashSet(devices.size());
        devices.forEach(device -> ids.add(device.id()));
        return ids;
    }

    private List<Device> missed(Set<String> ids) {
        lock.lock();
        try {
            return handedOut.missed(ids);
        } finally {
            lock.unlock();
        }
    }

    /** Not if a device that is missed was handed out meanwhile. */
    private boolean replace(Inventory after, Set<String> ids, int missed) {
        lock.lock();
        try {
            if (handedOut.missed(ids).size() > missed) {
                return false;
            }
            if (after != current) {
                current = after;
                published.signalAll();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
