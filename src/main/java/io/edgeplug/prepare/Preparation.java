package io.edgeplug.prepare;

import io.edgeplug.device.Device;
import io.edgeplug.device.PrepareException;
import io.edgeplug.rules.Recipe;
import io.edgeplug.rules.Step;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The run of a recipe on one device, which goes on whether anybody waits for it or not. */
public final class Preparation {

    /** A kubelet that asks again does so within its back-off of five minutes. Later, the device may have changed. */
    private static final Duration KEPT = Duration.ofMinutes(10);

    private final Device device;
    private final Recipe recipe;
    private final CountDownLatch ended = new CountDownLatch(1);

    // The fields below are guarded by this.
    private Preparer.Precondition precondition;
    private Optional<Running> running = Optional.empty();
    private Optional<PrepareException> failure = Optional.empty();
    private long endedAt;
    private long wantedUntil = System.nanoTime();
    private boolean hasBegun;
    private boolean isRefused;
    private boolean isReplaced;

    /** The step that runs now. */
    private record Running(Step step, Instant since) {}

    Preparation(Device device, Recipe recipe, Preparer.Precondition precondition) {
        this.precondition = precondition;
        this.device = device;
        this.recipe = recipe;
    }

    /** The device as it was when this began. */
    public Device device() {
        return device;
    }

    Recipe recipe() {
        return recipe;
    }

    synchronized Preparer.Precondition precondition() {
        return precondition;
    }

    /**
     * Waits for the end, up to a timeout.
     *
     * @return whether it has ended
     * @throws PrepareException if the device could not be prepared
     */
    public boolean await(Duration timeout) throws PrepareException, InterruptedException {
        if (!ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        synchronized (this) {
            if (failure.isPresent()) {
                throw failure.orElseThrow();
            }
        }
        return true;
    }

    /** Its progress, for a person: {@code reset has not returned since 2026-11-21T15:44:49Z}. */
    public synchronized String progress() {
        return running.map(now -> now.step().word()
                        + (isInKernel() ? " has not returned since " : " has been running since ")
                        + now.since())
                .orElse("it waits for the preparation of another device, or for another process");
    }

    /** Whether the step is in the kernel, where it may hang for ever. */
    public synchronized boolean isInKernel() {
        return running.filter(now -> switch (now.step()) {
                    case Step.Reset reset -> true;
                    case Step.Driver driver -> true;
                    case Step.Program program -> program.tool().isEmpty();
                    case Step.Vf vf -> false;
                    case Step.Command command -> false;
                })
                .isPresent();
    }

    /**
     * A caller waits for it from now on, as long as a container's start does. The precondition of the last caller
     * decides, because an earlier caller may have lost the device to it.
     */
    synchronized void want(Preparer.Precondition newest) {
        precondition = newest;
        wantedUntil = System.nanoTime() + recipe.timeout().toNanos();
    }

    /**
     * Begins, and returns whether it did. A preparation for a container does not begin if nobody waits for it any more.
     */
    synchronized boolean takeTurn(boolean anyway) {
        hasBegun = anyway || wantedUntil - System.nanoTime() > 0;
        return hasBegun;
    }

    synchronized boolean hasBegun() {
        return hasBegun;
    }

    synchronized void begin(Step step) {
        running = Optional.of(new Running(step, Instant.now().truncatedTo(ChronoUnit.SECONDS)));
    }

    synchronized void end(Optional<PrepareException> problem) {
        running = Optional.empty();
        failure = problem;
        endedAt = System.nanoTime();
        ended.countDown();
    }

    /** Its precondition is not met. This says nothing about the next caller. */
    synchronized void refuse() {
        isRefused = true;
    }

    /** Whether the device was left alone, because the precondition was not met. */
    public synchronized boolean isRefused() {
        return isRefused;
    }

    /** Notes that somebody asked for the device with other steps. This run does nothing then, unless it has begun. */
    synchronized void replace() {
        isReplaced = true;
    }

    synchronized boolean isReplaced() {
        return isReplaced;
    }

    /** Whether it has ended. */
    public boolean hasEnded() {
        return ended.getCount() == 0;
    }

    /** Whether its result is too old to say anything about the device. */
    synchronized boolean isStale() {
        return hasEnded() && (isRefused || System.nanoTime() - endedAt > KEPT.toNanos());
    }
}
