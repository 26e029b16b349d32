package io.edgeplug.node.prepare;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Step;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps apart work that must not happen at the same time, in all processes of edgeplug and the programs they have left:
 * on a bus and the functions on it, on a PF and its VFs, or twice on one device.
 *
 * <p>Locks are taken from the largest to the smallest, so that no two threads wait for each other.
 */
final class Exclusion {

    /** The lock that everyone who prepares anything on this node shares. */
    private static final String NODE = "node";

    private final Sysfs sysfs;
    private final RunningCommands commands;
    private final Map<String, ProcessLock> locks = new ConcurrentHashMap<>();

    Exclusion(Sysfs sysfs, RunningCommands commands) {
        this.sysfs = sysfs;
        this.commands = commands;
    }

    /** A lock by name, and whether it is wanted exclusively. */
    record Claim(String lock, boolean alone) {

        private static final String ALONE = "alone ";
        private static final String SHARED = "shared ";

        /** The form that {@link #parse} reads. */
        String text() {
            return (alone ? ALONE : SHARED) + lock;
        }

        static Claim parse(String text) {
            if (text.startsWith(ALONE)) {
                return new Claim(text.substring(ALONE.length()), true);
            }
            if (text.startsWith(SHARED)) {
                return new Claim(text.substring(SHARED.length()), false);
            }
            throw new IllegalArgumentException(text);
        }

        boolean excludes(Claim other) {
            return lock.equals(other.lock) && (alone || other.alone);
        }
    }

    /** Locks that the thread which took them releases in reverse order. */
    static final class Locks implements AutoCloseable {

        private final Deque<Runnable> givingBack = new ArrayDeque<>();

        private void add(ProcessLock taken, boolean alone) {
            givingBack.push(() -> taken.giveBack(alone));
        }

        @Override
        public void close() {
            givingBack.forEach(Runnable::run);
        }
    }

    /**
     * Waits until the device can be prepared, however long others take.
     *
     * @param whole whether nobody else may change the function meanwhile, whatever the recipe does
     * @throws IOException if other processes cannot be locked out
     */
    Locks acquire(Device device, Recipe recipe, boolean whole) throws IOException, InterruptedException {
        return take(claims(device, recipe.steps(), whole));
    }

    /** Waits until nobody changes the function. */
    Locks acquire(PciAddress function) throws IOException, InterruptedException {
        return take(claims(function, false, true));
    }

    /** The locks that these steps need for a device. */
    List<Claim> claims(Device device, List<Step> steps, boolean whole) throws IOException {
        List<Claim> claims = new ArrayList<>();
        if (device instanceof PciDevice pci) {
            boolean wholeBus = steps.contains(new Step.Reset(Step.Reset.Method.BUS));
            claims.addAll(claims(
                    pci.function().address(), wholeBus, whole || steps.stream().anyMatch(Step::changesFunction)));
        } else {
            claims.add(new Claim(NODE, false));
        }
        claims.add(new Claim("device " + device.id(), true));
        return claims;
    }

    private List<Claim> claims(PciAddress address, boolean wholeBus, boolean alone) throws IOException {
        List<Claim> claims = new ArrayList<>();
        claims.add(new Claim(NODE, false));
        claims.add(new Claim("bus " + address.domain() + ":" + address.bus(), wholeBus));
        sysfs.linkName(PciBinding.FUNCTIONS + address + "/physfn")
                .ifPresent(physicalFunction -> claims.add(new Claim("function " + physicalFunction, false)));
        claims.add(new Claim("function " + address, alone));
        return claims;
    }

    /** Takes all locks without waiting; empty if anything on this node is being prepared. */
    Optional<Locks> tryAll() throws IOException {
        Locks taken = new Locks();
        ProcessLock node = lock(NODE);
        if (!node.tryAlone()) {
            return Optional.empty();
        }
        taken.add(node, true);
        boolean anyRuns = true;
        try {
            anyRuns = commands.anyRuns();
        } finally {
            if (anyRuns) {
                taken.close();
            }
        }
        return anyRuns ? Optional.empty() : Optional.of(taken);
    }

    private Locks take(List<Claim> claims) throws IOException, InterruptedException {
        Locks taken = new Locks();
        boolean isComplete = false;
        try {
            for (Claim claim : claims) {
                ProcessLock lock = lock(claim.lock());
                lock.take(claim.alone());
                taken.add(lock, claim.alone());
            }
            commands.awaitLeft(claims);
            isComplete = true;
            return taken;
        } finally {
            if (!isComplete) {
                taken.close();
            }
        }
    }

    private ProcessLock lock(String name) {
        return locks.computeIfAbsent(name, other -> new ProcessLock(sysfs, other.replace(' ', '-')));
    }
}
