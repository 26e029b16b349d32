package io.edgeplug.prepare;

import io.edgeplug.device.Device;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PrepareException;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.rules.Recipe;
import io.edgeplug.rules.Step;
import io.edgeplug.scan.DeviceScan;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

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

    private final Sysfs sysfs;
    private final Consumer<PrepareEvent> told;
    private final HostDrivers hostDrivers;
    private final Steps steps;
    private final Recovery recovery;
    private final Exclusion exclusion;
    private final Turns preparing = new Turns(AT_ONCE, IN_ALL);

    /** Others, since the kernel takes no driver away as long as a process uses it. */
    private final Turns releasing = new Turns(AT_ONCE, AT_ONCE);

    // below: guarded by this
    private final Map<String, Preparation> preparations = new HashMap<>();
    private final Set<PciAddress> givingBack = new HashSet<>();

    /**
     * Prepares devices of that node.
     *
     * @param kubeletDir the directory for device plugins of the kubelet whose pods they are for
     * @param told of all that happens, on the threads where it does; it must not wait for a preparation
     */
    public Preparer(Sysfs sysfs, Path kubeletDir, Consumer<PrepareEvent> told) {
        this.sysfs = sysfs;
        this.told = told;
        RunningCommands commands = new RunningCommands(sysfs, told);
        this.exclusion = new Exclusion(sysfs, commands);
        ChangeNotes changeNotes = new ChangeNotes(sysfs);
        this.hostDrivers = new HostDrivers(sysfs, kubeletDir);
        this.steps = new Steps(sysfs, changeNotes, hostDrivers, exclusion, commands, told);
        this.recovery = new Recovery(sysfs, changeNotes, exclusion, steps, told);
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

    /** Has others go on, which may wait for the turn of one that takes too long. */
    public void passBy(Preparation late) {
        preparing.passBy(late);
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
            releasing.add(address, "give back " + address, () -> {
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
        synchronized (this) {
            preparations.values().stream()
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
        return !preparation.takeTurn()
                && preparations.remove(preparation.device().id(), preparation);
    }

    private void run(Preparation preparation) {
        if (drop(preparation)) {
            preparation.end(Optional.of(new PrepareException(
                    preparation.device().id(), "its turn came later than the container's start waits")));
            return;
        }
        Optional<PrepareException> problem = Optional.empty();
        try (Exclusion.Locks locks = exclusion.acquire(preparation.device(), preparation.recipe())) {
            problem = prepareAlone(preparation);
        } catch (IOException e) {
            problem = Optional.of(new PrepareException(
                    preparation.device().id(), "it cannot be locked against other processes: " + e.getMessage(), e));
        } catch (InterruptedException e) {
            problem = Optional.of(new PrepareException(preparation.device().id(), "edgeplug is stopping", e));
        }
        preparation.end(problem);
    }

    /** Tells of its begin and its end while nobody else can begin with the device. */
    private Optional<PrepareException> prepareAlone(Preparation preparation) {
        Device device = preparation.device();
        Instant begun = Instant.now();
        Optional<PrepareException> problem = Optional.empty();
        told.accept(new PrepareEvent.Begun(device));
        try {
            follow(preparation);
        } catch (PrepareException e) {
            problem = Optional.of(e);
        } catch (IOException e) {
            problem = Optional.of(new PrepareException(device.id(), "it " + e.getMessage(), e));
        } catch (InterruptedException e) {
            problem = Optional.of(new PrepareException(device.id(), "edgeplug is stopping", e));
        }
        Duration took = Duration.between(begun, Instant.now());
        told.accept(new PrepareEvent.Ended(device, problem.map(PrepareException::problem), took));
        return problem;
    }

    private void follow(Preparation preparation) throws IOException, PrepareException, InterruptedException {
        preparation.precondition().check();
        if (preparation.device() instanceof PciDevice pci && Exclusion.changesFunction(preparation.recipe())) {
            recovery.restore(pci.function().address());
        }
        for (Step step : preparation.recipe().steps()) {
            perform(preparation, step);
        }
        checkFit(preparation.device());
    }

    private void perform(Preparation preparation, Step step) throws PrepareException, InterruptedException {
        Instant begun = Instant.now();
        Device device = preparation.device();
        preparation.begin(step);
        try {
            String note = steps.perform(device, step);
            told.accept(new PrepareEvent.StepDone(device, step, note, Duration.between(begun, Instant.now())));
        } catch (IOException | TimeoutException e) {
            throw new PrepareException(device.id(), step.word() + ": " + e.getMessage(), e);
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** A device that did not survive its preparation is not handed over. */
    private void checkFit(Device device) throws PrepareException {
        if (device instanceof PciDevice pci) {
            PciAddress address = pci.function().address();
            Device after = new DeviceScan(sysfs)
                    .function(address).stream()
                            .filter(one -> one.id().equals(device.id()))
                            .findFirst()
                            .orElseThrow(() -> new PrepareException(device.id(), "it is gone afterwards"));
            Optional<String> problem = after.health().problem();
            if (problem.isPresent()) {
                throw new PrepareException(device.id(), "it " + problem.orElseThrow() + " afterwards");
            }
        }
    }
}
