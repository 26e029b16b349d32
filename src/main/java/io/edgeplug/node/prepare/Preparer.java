package io.edgeplug.node.prepare;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.LosableThreads;
import io.edgeplug.system.programs.Supervisor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Prepares devices, each on a thread of its own that the kernel may block for ever. Devices without a free thread wait
 * for their turn.
 *
 * <p>A caller that asks for a device with a preparation that runs, or whose result nobody has collected, gets that
 * preparation. So a kubelet that gave up waiting finds the result when it asks again.
 */
public final class Preparer implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** More at a time would not be faster, and each thread and its program take memory. */
    private static final int AT_ONCE = 16;

    /** The limit with those that take longer than a container's start waits. Some of these may never end. */
    private static final int IN_ALL = 64;

    private final Consumer<PrepareEvent> told;
    private final HostDrivers hostDrivers;
    private final Steps steps;
    private final Recovery recovery;
    private final Exclusion exclusion;
    private final RecipeRun recipeRun;
    private final LosableThreads preparing = new LosableThreads(AT_ONCE, IN_ALL);

    /** Scrubs have turns of their own, because no container's start may wait for another pod's traces. */
    private final LosableThreads scrubbing = new LosableThreads(AT_ONCE, IN_ALL);

    /** The kernel holds a return up while a process uses the function, and no scrub of another device waits for that. */
    private final LosableThreads returning = new LosableThreads(AT_ONCE, IN_ALL);

    // The fields below are guarded by this.
    private final Map<String, Preparation> preparations = new HashMap<>();
    private final Map<String, Preparation> scrubs = new HashMap<>();

    /** By function, why it cannot be locked to return it. Each reason is reported once, however often it is tried. */
    private final Map<PciAddress, String> unlocked = new HashMap<>();

    /**
     * Prepares devices of that node.
     *
     * @param kubeletDir the directory for device plugins of the kubelet whose pods they are for
     * @param told gets all events, on the threads where they happen; it must not wait for a preparation
     */
    public Preparer(Sysfs sysfs, Path kubeletDir, Consumer<PrepareEvent> told) {
        this.told = told;
        RunningCommands commands = new RunningCommands(sysfs, told);
        this.exclusion = new Exclusion(sysfs, commands);
        ChangeNotes changeNotes = new ChangeNotes(sysfs);
        this.hostDrivers = new HostDrivers(sysfs, kubeletDir, told);
        Programs programs = new Programs(sysfs, exclusion, commands, Supervisor.of(sysfs), told);
        FpgaSteps fpgas = new FpgaSteps(sysfs, changeNotes, programs, Bitstream.roomForAll());
        this.steps = new Steps(sysfs, changeNotes, hostDrivers, programs, fpgas, new Interfaces(sysfs));
        this.recovery = new Recovery(sysfs, changeNotes, exclusion, steps, told);
        this.recipeRun = new RecipeRun(sysfs, exclusion, recovery, steps, new UseNotes(sysfs), told);
    }

    /**
     * Restores what killed processes have left half changed. The node's one daemon calls it at its start and now and
     * then, because a command that is run by hand may be killed at any time. Slow work goes on in the background.
     */
    public void recover() throws IOException, InterruptedException {
        LosableThreads.join(recovery.start(), PATIENCE);
    }

    /** Prepares for pods of the kubelet with that directory from now on. */
    public void use(Path kubeletDir) {
        hostDrivers.use(kubeletDir);
    }

    /** A condition for preparing a device or returning a function to its host driver. */
    public interface Precondition {
        /**
         * Checks the condition.
         *
         * @throws IOException if it is not met; the message continues a sentence about the device: {@code is held by …}
         */
        void check() throws IOException;
    }

    /** The network interfaces that pods get. */
    public Interfaces interfaces() {
        return steps.interfaces();
    }

    /** The effects that a recipe would have on a device, without running it. */
    public List<PlannedStep> plan(Device device, Recipe recipe) {
        return steps.plan(device, recipe);
    }

    /** Begins to prepare a device, or joins a preparation that runs. */
    public Preparation prepare(Device device, Recipe recipe) {
        return prepare(device, recipe, Set.of(), () -> {});
    }

    /**
     * The same with a precondition, which is checked once no other process can change the device. If it is not met,
     * there is no event. If its turn comes when nobody waits for it any more, the device is not prepared.
     *
     * @param users the UIDs of the pods or claims that start; a result that nobody has collected is of no use to others,
     *     because its own users may have started without asking
     */
    public synchronized Preparation prepare(
            Device device, Recipe recipe, Set<String> users, Precondition precondition) {
        Preparation known = preparations.get(device.id());
        if (known != null && known.recipe().equals(recipe) && !known.isStale(users)) {
            known.want(users, precondition);
            return known;
        }
        if (known != null) {
            // Both may wait for one lock, which does not go to the first who asked.
            known.replace();
        }
        Preparation preparation = new Preparation(device, recipe, precondition);
        preparation.want(users, precondition);
        preparations.put(device.id(), preparation);
        boolean ignored = preparing.start(preparation, "prepare " + device.id(), () -> run(preparation));
        return preparation;
    }

    /**
     * Begins to scrub a device that pods have used, or joins a scrub that runs.
     *
     * @param precondition checked once no other process can change the device; if it is not met, there is no event
     */
    public synchronized Preparation scrub(Device device, Recipe recipe, Precondition precondition) {
        Preparation known = scrubs.get(device.id());
        if (known != null && !known.hasEnded()) {
            return known;
        }
        Preparation scrub = new Preparation(device, recipe, precondition);
        scrubs.put(device.id(), scrub);
        boolean ignored = scrubbing.start(scrub, "scrub " + device.id(), () -> {
            boolean unusedTurn = scrub.takeTurn(true);
            recipeRun.scrub(scrub, () -> forgetResults(one -> one.id().equals(device.id())));
            synchronized (this) {
                scrubs.remove(device.id(), scrub);
            }
        });
        return scrub;
    }

    /** Results that nobody has collected are about an earlier state of these devices. */
    private synchronized void forgetResults(Predicate<Device> which) {
        preparations.values().removeIf(one -> one.hasEnded() && which.test(one.device()));
    }

    /** Lets others go on that may wait behind one that takes too long. */
    public void passBy(Preparation late) {
        preparing.giveUp(late);
        scrubbing.giveUp(late);
    }

    /**
     * The functions that a recipe has bound to another driver for pods of the kubelet with that directory. Some may
     * already be back on their host driver.
     */
    public List<PciAddress> rebound(Path kubeletDir) throws IOException {
        return hostDrivers.functions(kubeletDir);
    }

    /**
     * Begins to return a function to its host driver, if a precondition is met once no other process can change the
     * function. If it is not met, there is no event. Does nothing if that is already under way.
     */
    public void giveBackDriver(PciDevice device, Precondition precondition) {
        PciAddress address = device.function().address();
        boolean ignored = returning.start(address, "give back " + address, () -> giveBackAlone(device, precondition));
    }

    /**
     * Whether a function is returning to its host driver. The kernel may block this while any process uses the
     * function.
     */
    public boolean isGivingBackDriver(PciDevice device) {
        return returning.isBusy(device.function().address());
    }

    private void giveBackAlone(PciDevice device, Precondition precondition) {
        PciAddress address = device.function().address();
        try (Exclusion.Locks locks = exclusion.acquire(address)) {
            isNews(address, null);
            if (isMet(device, precondition)) {
                told.accept(new PrepareEvent.Begun(device, PrepareEvent.Purpose.RETURN));
                told.accept(new PrepareEvent.DriverGivenBack(device, giveBack(device)));
            }
        } catch (IOException e) {
            // It stays bound, and this is tried again.
            String text = "cannot return to its host driver: it " + RecipeRun.UNLOCKED + e.getMessage();
            told.accept(new PrepareEvent.DriverGivenBack(
                    device, isNews(address, text) ? Optional.of(text) : Optional.empty()));
        } catch (InterruptedException e) {
            // It stays bound, because the next container's recipe needs that driver anyway.
            return;
        }
    }

    private Optional<String> giveBack(PciDevice device) {
        try {
            recovery.restore(device.function().address());
            return steps.giveBackDriver(device);
        } catch (IOException e) {
            // This is tried once: the next container's recipe binds the other driver anyway.
            return Optional.of("cannot return to its host driver: " + e.getMessage() + steps.forgetHostDriver(device));
        }
    }

    private synchronized boolean isNews(PciAddress address, @Nullable String problem) {
        String before = problem == null ? unlocked.remove(address) : unlocked.put(address, problem);
        return !Objects.equals(before, problem);
    }

    /**
     * Forgets the results of the function if the precondition is met. A caller that may collect one holds the device, and
     * the precondition sees that. So none can join between the two.
     */
    private synchronized boolean isMet(PciDevice device, Precondition precondition) {
        try {
            precondition.check();
        } catch (IOException e) {
            // It stays bound, because a container needs that driver.
            return false;
        }
        forgetResults(one -> one instanceof PciDevice pci
                && pci.function().address().equals(device.function().address()));
        return true;
    }

    /** Reports that a result has been used. The next caller has the device prepared again. */
    public synchronized void collect(Preparation preparation) {
        preparations.remove(preparation.device().id(), preparation);
    }

    /** Ends all preparations that can be ended. Those in the kernel are left to it. */
    @Override
    public void close() {
        List<Thread> left = new ArrayList<>(preparing.close());
        left.addAll(scrubbing.close());
        left.addAll(returning.close());
        synchronized (this) {
            Stream.concat(preparations.values().stream(), scrubs.values().stream())
                    .filter(one -> !one.hasBegun())
                    .forEach(one -> one.end(new PrepareException(one.device().id(), "edgeplug is stopping")));
        }
        try {
            LosableThreads.join(left, PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether nobody waits for it any more; then nobody can join it either. */
    private synchronized boolean drop(Preparation preparation) {
        if (preparation.takeTurn(false)) {
            return false;
        }
        // It is missing if somebody has asked for another recipe meanwhile.
        boolean ignored = preparations.remove(preparation.device().id(), preparation);
        return true;
    }

    private void run(Preparation preparation) {
        if (drop(preparation)) {
            preparation.end(new PrepareException(
                    preparation.device().id(), "its turn came later than the container's start waits"));
        } else {
            recipeRun.prepare(preparation);
        }
    }
}
