package io.edgeplug.prepare;

import io.edgeplug.device.Device;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.Recipe;
import io.edgeplug.device.Step;
import io.edgeplug.device.VirtualFunction;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * What must not happen at the same time: a bus and what is on it, a PF and its VFs, one device twice. Everything else
 * may.
 *
 * <p>Locks are taken from the largest to the smallest, so that nobody waits for who waits for him.
 */
final class Exclusion {

    private final Map<String, ReadWriteLock> locks = new ConcurrentHashMap<>();

    /** Locks, given back in reverse by the thread that took them. */
    static final class Held implements AutoCloseable {

        private final Deque<Lock> taken = new ArrayDeque<>();

        private void take(Lock lock) throws InterruptedException {
            lock.lockInterruptibly();
            taken.push(lock);
        }

        @Override
        public void close() {
            taken.forEach(Lock::unlock);
        }
    }

    /** Waits until the device can be prepared, however long others take. */
    Held acquire(Device device, Recipe recipe) throws InterruptedException {
        Held held = new Held();
        try {
            if (device instanceof PciDevice pci) {
                PciAddress address = pci.function().address();
                boolean wholeBus = recipe.steps().contains(new Step.Reset(Step.Reset.Method.BUS));
                held.take(lock("bus " + address.domain() + ":" + address.bus(), wholeBus));
                boolean isPart = pci instanceof VirtualFunction || !touchesFunction(recipe);
                held.take(lock("function " + owner(pci), !isPart));
            }
            held.take(lock("device " + device.id(), true));
            return held;
        } catch (InterruptedException e) {
            held.close();
            throw e;
        }
    }

    private static boolean touchesFunction(Recipe recipe) {
        return recipe.steps().stream().anyMatch(step -> step instanceof Step.Reset || step instanceof Step.Driver);
    }

    private static PciAddress owner(PciDevice device) {
        return device instanceof VirtualFunction vf
                ? vf.physicalFunction()
                : device.function().address();
    }

    private Lock lock(String name, boolean alone) {
        ReadWriteLock lock = locks.computeIfAbsent(name, other -> new ReentrantReadWriteLock());
        return alone ? lock.writeLock() : lock.readLock();
    }
}
