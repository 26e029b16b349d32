package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.linux.Uevent;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What is to be looked at, each thing once however often it was named; any thread adds, one takes.
 *
 * <p>It cannot grow beyond the functions that were named since it was taken from last.
 */
final class Heard {

    private final Lock lock = new ReentrantLock();
    private final Condition added = lock.newCondition();

    // below: guarded by the lock
    private Map<PciAddress, Span> functions = new HashMap<>();
    private boolean withoutFunction;
    private boolean everything;
    private boolean judgement;

    /**
     * What to look at.
     *
     * @param withoutFunction whether at what is neither a function nor a file
     */
    record Batch(Map<PciAddress, Span> functions, boolean withoutFunction, boolean everything) {

        /** Whether something was said of that device. */
        boolean names(Device device) {
            return everything
                    || (device instanceof PciDevice pci
                            ? functions.containsKey(pci.function().address())
                            : withoutFunction);
        }
    }

    /** When something was named first and last, in {@link System#nanoTime}. */
    record Span(long first, long last) {

        Span and(Span later) {
            return new Span(first, later.last);
        }
    }

    /** Notes what a uevent asks to look at, which may be nothing. */
    void hear(Uevent event) {
        Optional<PciAddress> address = PciAddress.lastIn(event.devpath());
        if (address.isPresent()) {
            lookAt(address.orElseThrow());
            return;
        }
        switch (event.subsystem()) {
            // an RDMA device in software is one of the function whose interface it sends through
            case "infiniband", "infiniband_verbs", "infiniband_mad" -> lookAtEverything();
            case "fpga_manager", "fpga_region", "dfl" -> add(() -> withoutFunction = true);
            default -> {
                boolean isNodeOfAllRdma = event.devpath().endsWith("/misc/rdma_cm");
                // all others are of no device that is listed: interfaces of containers, bridges, tunnels
                if (isNodeOfAllRdma || event.equals(Uevent.MISSED)) {
                    lookAtEverything();
                }
            }
        }
    }

    void lookAt(PciAddress address) {
        long now = System.nanoTime();
        add(() -> functions.merge(address, new Span(now, now), Span::and));
    }

    void lookAtEverything() {
        add(() -> everything = true);
    }

    /** Has what is known judged again, and nothing looked at. */
    void judgeAgain() {
        add(() -> judgement = true);
    }

    /** Whether there is something to look at, or to judge again. */
    boolean hasAny() {
        lock.lock();
        try {
            return !functions.isEmpty() || withoutFunction || everything || judgement;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is something to look at, or until that {@link System#nanoTime}, and takes it. */
    Batch await(long end) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = end - System.nanoTime();
            while (!hasAny() && left > 0) {
                left = added.awaitNanos(left);
            }
            Batch batch = new Batch(functions, withoutFunction, everything);
            functions = new HashMap<>();
            withoutFunction = false;
            everything = false;
            judgement = false;
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private void add(Runnable change) {
        lock.lock();
        try {
            change.run();
            added.signal();
        } finally {
            lock.unlock();
        }
    }
}
