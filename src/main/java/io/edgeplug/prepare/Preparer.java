package io.edgeplug.prepare;

import io.edgeplug.device.Device;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PrepareException;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.rules.Recipe;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Prepares devices, each on a thread of its own, of which the kernel may keep one for ever. Those for which there is no
 * thread wait for their turn.
 *
 * <p>Whoever asks for a device that is being prepared, or was and has not been collected, gets that preparation: so a
 * kubelet that gave up waiting finds the result when it asks again.
 */
public final class Preparer implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** More would not be faster, and each thread and its program take memory. */
    private static final int AT_ONCE = 16;

    /** With those that take longer than a container's start waits, of which some may never end. */
    private static final int IN_ALL = 64;

    private final Consumer<PrepareEvent> told;
    private final HostDrivers hostDrivers;
    private final Steps steps;
    private final Recovery recovery;
    private final Exclusion exclusion;
    private final RecipeRun recipeRun;
    private final Turns preparing = new Turns(AT_ONCE, IN_ALL);

    /** Others, since no container's start is to wait for what another pod has left. */
    private final Turns releasing = new Turns(AT_ONCE, IN_ALL);

    /** The kernel holds a return up while a process uses the function, and no scrub of another device waits for that. */
    private final Turns returning = new Turns(AT_ONCE, IN_ALL);

    // below: guarded by this
    private final Map<String, Preparation> preparations = new HashMap<>();
    private final Map<String, Preparation> releases = new HashMap<>();
    private final Set<PciAddress> givingBack = new HashSet<>();

    /**
     * Prepares devices of that node.
     *
     * @param kubeletDir the directory for device plugins of the kubelet whose pods they are for
     * @param told of all that happens, on the threads where it does; it must not wait for a preparation
     */
    public Preparer(Sysfs sysfs, Path kubeletDir, Consumer<PrepareEvent> told) {
        this.told = told;
        RunningCommands commands = new RunningCommands(sysfs, told);
        this.exclusion = new Exclusion(sysfs, commands);
        ChangeNotes changeNotes = new ChangeNotes(sysfs);
        this.hostDrivers = new HostDrivers(sysfs, kubeletDir);
        this.steps = new Steps(sysfs, changeNotes, hostDrivers, exclusion, commands, told);
        this.recovery = new Recovery(sysfs, changeNotes, exclusion, steps, told);
        this.recipeRun = new RecipeRun(sysfs, exclusion, recovery, steps, new UsedDevices(sysfs), told);
    }

    /**
     * Puts back what processes that were killed had begun; to be called by the node's one daemon, as it starts and now and
     * then, since one that is run by hand may be killed at any time. What takes long goes on.
     */
    public void recover() throws IOException, InterruptedException {
        Turns.join(recovery.start(), PATIENCE);
    }

    /** Prepares for pods of the kubelet with that directory from now on. */
    public void use(Path kubeletDir) {
        hostDrivers.use(kubeletDir);
    }

    /** What must be so for a device to be prepared, or for a function to get its host driver back. */
    public interface Precondition {
        /**
         * Looks whether it is so.
         *
         * @throws IOException if it is not; the message goes on after the device: {@code is held by …}
         */
        void check() throws IOException;
    }

    /** What would be done to a device, without doing any of it. */
    public List<PlannedStep> plan(Device device, Recipe recipe) {
        return steps.plan(device, recipe);
    }

    /** Begins to prepare a device, or joins who did. */
    public Preparation prepare(Device device, Recipe recipe) {
        return prepare(device, recipe, () -> {});
    }

    /**
     * The same, if a precondition is met once nobody else can do anything to the device. Where its turn comes later than
     * anybody waits for it, it is not prepared.
     */
    public synchronized Preparation prepare(Device device, Recipe recipe, Precondition precondition) {
        Preparation known = preparations.get(device.id());
        if (known != null && known.recipe().equals(recipe) && !known.isStale()) {
            known.want();
            return known;
        }
        Preparation preparation = new Preparation(device, recipe, precondition);
        preparation.want();
        preparations.put(device.id(), preparation);
        preparing.add(preparation, "prepare " + device.id(), () -> run(preparation));
        return preparation;
    }

    /**
     * Begins to do what is to be done to a device that pods have used, or joins who did.
     *
     * @param precondition looked at once nobody else can do anything to it; if it is not met, nothing is told
     */
    public synchronized Preparation release(Device device, Recipe recipe, Precondition precondition) {
        Preparation known = releases.get(device.id());
        if (known != null && !known.hasEnded()) {
            return known;
        }
        Preparation release = new Preparation(device, recipe, precondition);
        releases.put(device.id(), release);
        releasing.add(release, "release " + device.id(), () -> {
            boolean ignored = release.takeTurn(true);
            recipeRun.release(release, () -> forgetResults(device));
            synchronized (this) {
                releases.remove(device.id(), release);
            }
        });
        return release;
    }

    /** Results that nobody has collected are of how the device was. */
    private synchronized void forgetResults(Device device) {
        preparations
                .values()
                .removeIf(one -> one.hasEnded() && one.device().id().equals(device.id()));
    }

    /** Has others go on, which may wait for the turn of one that takes too long. */
    public void passBy(Preparation late) {
        preparing.passBy(late);
        releasing.passBy(late);
    }

    /**
     * The functions to which a recipe gave another driver for pods of the kubelet with that directory; some may have their
     * own back already.
     */
    public List<PciAddress> rebound(Path kubeletDir) throws IOException {
        return hostDrivers.functions(kubeletDir);
    }

    /**
     * Begins to give a function the driver back that it had before a recipe's, if a precondition is met once nobody else can
     * do anything to it. Nothing comes of it while that is being done.
     */
    public synchronized void giveBackDriver(PciDevice device, Precondition precondition) {
        PciAddress address = device.function().address();
        if (givingBack.add(address)) {
            returning.add(address, "give back " + address, () -> {
                giveBackAlone(device, precondition);
                synchronized (this) {
                    givingBack.remove(address);
                }
            });
        }
    }

    /** Whether a function is being given its driver back, which the kernel may hold up for as long as any process uses it. */
    public synchronized boolean isGivingBackDriver(PciDevice device) {
        return givingBack.contains(device.function().address());
    }

    private void giveBackAlone(PciDevice device, Precondition precondition) {
        try (Exclusion.Locks locks = exclusion.acquire(device.function().address())) {
            checkAndForget(device, precondition);
            told.accept(new PrepareEvent.Begun(device));
            Optional<String> text;
            try {
                recovery.restore(device.function().address());
                text = steps.giveBackDriver(device);
            } catch (IOException e) {
                // once, whatever comes of it: the next container's recipe asks for the other one anyway
                steps.forgetHostDriver(device);
                text = Optional.of("cannot be given back the driver that it had: " + e.getMessage());
            }
            told.accept(new PrepareEvent.DriverGivenBack(device, text));
        } catch (IOException | InterruptedException e) {
            // it stays bound, which the next container's recipe asks for anyway
            return;
        }
    }

    /**
     * Results that nobody has collected are of how the function was. Whoever may collect one holds the device, which the
     * precondition sees: so none can join between the two.
     */
    private synchronized void checkAndForget(PciDevice device, Precondition precondition) throws IOException {
        precondition.check();
        preparations
                .values()
                .removeIf(one -> one.hasEnded()
                        && one.device() instanceof PciDevice pci
                        && pci.function().address().equals(device.function().address()));
    }

    /** Says that a result has been used: who asks for the device from now on has it prepared anew. */
    public synchronized void collect(Preparation preparation) {
        preparations.remove(preparation.device().id(), preparation);
    }

    /** Ends what can be ended; what the kernel has stays with it. */
    @Override
    public void close() {
        List<Thread> left = new ArrayList<>(preparing.close());
        left.addAll(releasing.close());
        left.addAll(returning.close());
        synchronized (this) {
            Stream.concat(preparations.values().stream(), releases.values().stream())
                    .filter(one -> !one.hasBegun())
                    .forEach(one -> one.end(
                            Optional.of(new PrepareException(one.device().id(), "edgeplug is stopping"))));
        }
        try {
            Turns.join(left, PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether nobody waits for it any more; then nobody joins it either. */
    private synchronized boolean drop(Preparation preparation) {
        if (preparation.takeTurn(false)) {
            return false;
        }
        // not there if somebody has asked for another recipe meanwhile
        boolean ignored = preparations.remove(preparation.device().id(), preparation);
        return true;
    }

    private void run(Preparation preparation) {
        if (drop(preparation)) {
            preparation.end(Optional.of(new PrepareException(
                    preparation.device().id(), "its turn came later than the container's start waits")));
        } else {
            recipeRun.prepare(preparation);
        }
    }
}
