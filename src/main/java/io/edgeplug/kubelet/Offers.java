package io.edgeplug.kubelet;

import io.edgeplug.device.Device;
import io.edgeplug.inventory.Difference;
import io.edgeplug.inventory.Inventory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** The newest offer of a resource, for those who want it now or wait for a newer one; thread-safe. */
final class Offers {

    private final Lock lock = new ReentrantLock();
    private final Condition published = lock.newCondition();

    /** Guarded by the lock. */
    private Offer offer = Offer.NOTHING;

    Offer current() {
        lock.lock();
        try {
            return offer;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for an offer of a higher number, or for {@code timeout}, and returns the newest. */
    Offer awaitNewerThan(long number, Duration timeout) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = timeout.toNanos();
            while (offer.number() <= number && left > 0) {
                left = published.awaitNanos(left);
            }
            return offer;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Offers these devices, and so many shares of each, from now on. Does nothing if there is an offer of a newer inventory:
     * bad news of it was told while all of the older one was looked at. Its number is higher, and who waits is told, only if
     * the kubelet is to know something else than before.
     *
     * @return whether they are offered
     */
    boolean publish(Inventory inventory, List<Device> devices, int shares, Map<String, String> problems) {
        lock.lock();
        try {
            if (inventory.generation() < offer.inventory()) {
                return false;
            }
            offer(inventory, devices, shares, problems);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Offers these devices instead of those of an offer, all else as it was.
     *
     * @return whether that was still the newest offer; if not, nothing has changed
     */
    @SuppressWarnings("ReferenceEquality") // whether anything was offered since, be it the same again
    boolean replace(Offer before, Inventory inventory, List<Device> devices) {
        lock.lock();
        try {
            if (offer != before) {
                return false;
            }
            offer(inventory, devices, before.shares(), before.problems());
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** With the lock held. */
    private void offer(Inventory inventory, List<Device> devices, int shares, Map<String, String> problems) {
        boolean isNews = offer.number() == 0
                || !Difference.of(offer.devices(), devices).isEmpty()
                || shares != offer.shares()
                || !inventory.numaNodes().equals(offer.numaNodes());
        long number = isNews ? offer.number() + 1 : offer.number();
        offer = new Offer(number, inventory.generation(), devices, shares, inventory.numaNodes(), problems);
        if (isNews) {
            published.signalAll();
        }
    }

    /** Offers a device as unhealthy from now on. */
    void spoil(String id, String problem) {
        lock.lock();
        try {
            if (!problem.equals(offer.problems().get(id))) {
                offer = offer.without(id, problem);
                published.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }
}
