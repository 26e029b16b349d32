package io.edgeplug.node.prepare;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Step;
import io.edgeplug.node.prepare.UseNotes.Use;
import io.edgeplug.node.scan.DeviceScan;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs a recipe on one device while no other process can change it: before a container, or after the last pod that used
 * it.
 */
record RecipeRun(
        Sysfs sysfs, Exclusion exclusion, Recovery recovery, Steps steps, UseNotes used, Consumer<PrepareEvent> told) {

    /** Continues a sentence about a device, with the reason. */
    static final String UNLOCKED = "cannot be locked against other processes: ";

    /** Work that runs while no other process can change a device. */
    private interface Work {
        void run() throws IOException, PrepareException, InterruptedException;
    }

    /** Prepares the device, and reports it. A device whose precondition is not met is left alone. */
    void prepare(Preparation preparation) {
        Device device = preparation.device();
        preparation.end(alone(
                preparation,
                false,
                reason -> new PrepareEvent.Ended(device, Optional.of(reason), Duration.ZERO),
                () -> {
                    check(preparation);
                    long begun = System.nanoTime();
                    told.accept(new PrepareEvent.Begun(device, PrepareEvent.Purpose.START));
                    PrepareException problem = problem(device, () -> {
                        Recipe recipe = preparation.recipe();
                        if (!staysInPod(device, recipe)) {
                            follow(preparation, recipe.steps(), recipe.changesFunction());
                        }
                        checkFit(device);
                    });
                    told.accept(new PrepareEvent.Ended(device, text(problem), since(begun)));
                    throwIfAny(problem);
                }));
    }

    private static void check(Preparation preparation) throws IOException {
        try {
            if (preparation.isReplaced()) {
                throw new IOException("was asked for with other steps meanwhile, so it is left alone");
            }
            preparation.precondition().check();
        } catch (IOException e) {
            preparation.refuse();
            throw e;
        }
    }

    /**
     * Runs the steps after the last use, returns the function to its host driver, and deletes the note of the use. Does
     * nothing if that was already done.
     *
     * @param forgetting forgets the results of its preparations, which nobody can join any more
     */
    void scrub(Preparation scrub, Runnable forgetting) {
        Device device = scrub.device();
        scrub.end(alone(
                scrub, true, reason -> new PrepareEvent.Scrubbed(device, Optional.of(reason), Duration.ZERO), () -> {
                    Optional<Use> use = used.find(device.id());
                    if (use.isEmpty()) {
                        return;
                    }
                    List<Step> steps = restoring(use.orElseThrow(), scrub.recipe());
                    check(scrub);
                    forgetting.run();
                    long begun = System.nanoTime();
                    told.accept(new PrepareEvent.Begun(device, PrepareEvent.Purpose.RELEASE));
                    PrepareException problem = problem(device, () -> {
                        used.release(device.id());
                        takeBackInterface(device, scrub.recipe());
                        follow(scrub, steps, device instanceof PciDevice);
                        if (device instanceof PciDevice pci) {
                            giveBackDriver(pci);
                        }
                        checkFit(device);
                        told.accept(new PrepareEvent.Restored(device));
                        used.forget(device.id());
                    });
                    if (problem == null || !(problem.getCause() instanceof InterruptedException)) {
                        told.accept(new PrepareEvent.Scrubbed(device, text(problem), since(begun)));
                    }
                    throwIfAny(problem);
                }));
    }

    private boolean staysInPod(Device device, Recipe recipe) throws PrepareException, InterruptedException {
        try {
            return steps.interfaces().staysInPod(device, recipe);
        } catch (IOException e) {
            throw new PrepareException(device.id(), String.valueOf(e.getMessage()), e);
        }
    }

    /** The steps after it may reset the function, which needs the interface here. */
    private void takeBackInterface(Device device, Recipe release) throws PrepareException, InterruptedException {
        try {
            steps.interfaces()
                    .takeBack(device, release.kept())
                    .ifPresent(text -> told.accept(new PrepareEvent.Output(device, text)));
        } catch (IOException e) {
            throw new PrepareException(device.id(), String.valueOf(e.getMessage()), e);
        }
    }

    private void giveBackDriver(PciDevice device) throws IOException {
        try {
            steps.giveBackDriver(device).ifPresent(text -> told.accept(new PrepareEvent.Output(device, text)));
        } catch (IOException e) {
            throw new IOException("cannot return to its host driver: " + e.getMessage(), e);
        }
    }

    /** Work that cannot begin is reported too, because nobody may wait for its result. */
    private @Nullable PrepareException alone(
            Preparation preparation, boolean whole, Function<String, PrepareEvent> notBegun, Work work) {
        Device device = preparation.device();
        try (Exclusion.Locks locks = exclusion.acquire(device, preparation.recipe(), whole)) {
            return problem(device, work);
        } catch (IOException e) {
            PrepareException problem = new PrepareException(device.id(), "it " + UNLOCKED + e.getMessage(), e);
            told.accept(notBegun.apply(problem.problem()));
            return problem;
        } catch (InterruptedException e) {
            return new PrepareException(device.id(), "edgeplug is stopping", e);
        }
    }

    private static @Nullable PrepareException problem(Device device, Work work) {
        try {
            work.run();
            return null;
        } catch (PrepareException e) {
            return e;
        } catch (IOException e) {
            return new PrepareException(device.id(), "it " + e.getMessage(), e);
        } catch (InterruptedException e) {
            return new PrepareException(device.id(), "edgeplug is stopping", e);
        }
    }

    private static void throwIfAny(@Nullable PrepareException problem) throws PrepareException {
        if (problem != null) {
            throw problem;
        }
    }

    private static Optional<String> text(@Nullable PrepareException problem) {
        return Optional.ofNullable(problem).map(PrepareException::problem);
    }

    /** The steps of the class, after those that undo the choice of a claim if the class does not say them any more. */
    private static List<Step> restoring(Use use, Recipe release) {
        return release.steps().contains(use.restored())
                ? release.steps()
                : release.after(use.restored()).steps();
    }

    private void follow(Preparation preparation, List<Step> steps, boolean restores)
            throws IOException, PrepareException, InterruptedException {
        if (restores && preparation.device() instanceof PciDevice pci) {
            recovery.restore(pci.function().address());
        }
        for (int i = 0; i < steps.size(); i++) {
            perform(preparation, steps.get(i), Steps.driverOf(steps, i + 1).orElse(null));
        }
    }

    /** By a clock that nobody sets. */
    private static Duration since(long begun) {
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private void perform(Preparation preparation, Step step, @Nullable String nextDriver)
            throws PrepareException, InterruptedException {
        long begun = System.nanoTime();
        Device device = preparation.device();
        preparation.begin(step);
        try {
            String note =
                    steps.perform(device, step, nextDriver, preparation.recipe().kept());
            if (step instanceof Step.Interface) {
                told.accept(new PrepareEvent.Output(device, note));
            }
            told.accept(new PrepareEvent.StepDone(device, step, note, since(begun)));
        } catch (IOException | TimeoutException e) {
            throw new PrepareException(device.id(), step.word() + ": " + e.getMessage(), e);
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** A device that did not survive its recipe is not handed over. */
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
