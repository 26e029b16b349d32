package io.edgeplug.prepare;

import io.edgeplug.device.Device;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.Recipe;
import io.edgeplug.device.Step;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What must not happen at the same time, in this process or any other of ours: a bus and what is on it, a PF and its VFs,
 * one device twice. Everything else may.
 *
 * <p>Locks are taken from the largest to the smallest, so that nobody waits for who waits for him.
 */
final class Exclusion {

    /** Shared by all who prepare anything on this node. */
    private static final String NODE = "node";

    private final Sysfs sysfs;
    private final Map<String, ProcessLock> locks = new ConcurrentHashMap<>();

    Exclusion(Sysfs sysfs) {
        this.sysfs = sysfs;
    }

    /** Locks, given back in reverse by the thread that took them. */
    static final class Held implements AutoCloseable {

        private final Deque<Runnable> givingBack = new ArrayDeque<>();

        private void take(ProcessLock lock, boolean alone) throws IOException, InterruptedException {
            lock.take(alone);
            givingBack.push(() -> lock.giveBack(alone));
        }

        @Override
        public void close() {
            givingBack.forEach(Runnable::run);
        }
    }

    private interface Taking {
        void run(Held held) throws IOException, InterruptedException;
    }

    /**
     * Waits until the device can be prepared, however long others take.
     *
     * @throws IOException if other processes cannot be kept from it
     */
    Held acquire(Device device, Recipe recipe) throws IOException, InterruptedException {
        return taken(held -> {
            if (device instanceof PciDevice pci) {
                boolean wholeBus = recipe.steps().contains(new Step.Reset(Step.Reset.Method.BUS));
                takeFunction(held, pci.function().address(), wholeBus, changesFunction(recipe));
            }
            held.take(lock("device " + device.id()), true);
        });
    }

    /** Waits until nobody does anything to the function. */
    Held acquire(PciAddress function) throws IOException, InterruptedException {
        return taken(held -> takeFunction(held, function, false, true));
    }

    /** Waits for nobody: empty if anything on this node is being prepared. */
    Optional<Held> tryAll() throws IOException {
        Held held = new Held();
        ProcessLock node = lock(NODE);
        if (!node.tryAlone()) {
            return Optional.empty();
        }
        held.givingBack.push(() -> node.giveBack(true));
        return Optional.of(held);
    }

    /** Whether a recipe resets a function or gives it another driver. */
    static boolean changesFunction(Recipe recipe) {
        return recipe.steps().stream().anyMatch(Exclusion::changesFunction);
    }

    static boolean changesFunction(Step step) {
        return step instanceof Step.Reset || step instanceof Step.Driver;
    }

    private Held taken(Taking taking) throws IOException, InterruptedException {
        Held held = new Held();
        try {
            held.take(lock(NODE), false);
            taking.run(held);
            return held;
        } catch (IOException | InterruptedException e) {
            held.close();
            throw e;
        }
    }

    private void takeFunction(Held held, PciAddress address, boolean wholeBus, boolean alone)
            throws IOException, InterruptedException {
        held.take(lock("bus " + address.domain() + ":" + address.bus()), wholeBus);
        Optional<String> physicalFunction = sysfs.linkName(PciBinding.FUNCTIONS + address + "/physfn");
        if (physicalFunction.isPresent()) {
            held.take(lock("function " + physicalFunction.orElseThrow()), false);
        }
        held.take(lock("function " + address), alone);
    }

    private ProcessLock lock(String name) {
        return locks.computeIfAbsent(name, other -> new ProcessLock(sysfs, other.replace(' ', '-')));
    }
}
