package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps scans away from devices that are being changed.
 *
 * <p>A scan must not even start: the kernel blocks a reader of the configuration space while the function is being
 * reset, for as long as that takes. Thread-safe.
 */
final class ScanGate {

    private final Lock lock = new ReentrantLock();
    private final Condition looked = lock.newCondition();

    /** The function that is being scanned, null if none is; guarded by the lock, which nobody holds during a scan. */
    private @Nullable PciAddress lookedAt;

    /** The thread of the last scan; guarded by the lock. */
    private Thread looker = Thread.currentThread();

    private final Map<String, Device> closed = new ConcurrentHashMap<>();

    /** Stops all scans of a device from now on. Waits for a scan of it that is running, but for no other one. */
    void close(Device device) {
        lock.lock();
        try {
            closed.put(device.id(), device);
            while (device instanceof PciDevice pci
                    && lookedAt != null
                    && lookedAt.equals(pci.function().address())) {
                looked.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends that. Returns whether the device was closed. */
    boolean open(Device device) {
        return closed.remove(device.id()) != null;
    }

    /** Scans a function, unless a device of it is being changed. One thread at a time. */
    void unlessClosed(PciAddress address, Runnable look) {
        if (beginLook(address)) {
            try {
                look.run();
            } finally {
                endLook();
            }
        }
    }

    private boolean beginLook(PciAddress address) {
        lock.lock();
        try {
            if (isClosed(address)) {
                return false;
            }
            lookedAt = address;
            looker = Thread.currentThread();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Does nothing if this thread was given up and another one scans. */
    private void endLook() {
        lock.lock();
        try {
            if (looker.equals(Thread.currentThread())) {
                giveUpLook();
            }
        } finally {
            lock.unlock();
        }
    }

    /** No longer waits for the running scan, which does not return. */
    void giveUpLook() {
        lock.lock();
        try {
            lookedAt = null;
            looked.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed(PciAddress address) {
        return closed.values().stream()
                .anyMatch(device -> device instanceof PciDevice pci
                        && pci.function().address().equals(address));
    }

    boolean isClosed(Device device) {
        return closed.containsKey(device.id());
    }

    /** The devices that were found, but each device that is being changed as it was before. */
    List<Device> keep(List<Device> before, List<Device> found) {
        Map<String, Device> kept = new LinkedHashMap<>();
        found.forEach(device -> kept.put(device.id(), device));
        before.stream()
                .filter(device -> closed.containsKey(device.id()))
                .forEach(device -> kept.put(device.id(), device));
        return List.copyOf(kept.values());
    }
}
