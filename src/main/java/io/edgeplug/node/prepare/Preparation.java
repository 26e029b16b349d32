package io.edgeplug.node.prepare;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Step;
import io.edgeplug.system.flow.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The run of a recipe on one device, which goes on whether anybody waits for it or not. */
public final class Preparation {

    private static final Logger LOG = Logger.getLogger(Preparation.class.getName());

    /** A kubelet that asks again does so within its back-off of five minutes. Later, the device may have changed. */
    private static final Duration KEPT = Duration.ofMinutes(10);

    private final Device device;
    private final Recipe recipe;
    private final CountDownLatch ended = new CountDownLatch(1);

    // The fields below are guarded by this.
    private Preparer.Precondition precondition;
    private Set<String> users = Set.of();
    private Deadline wantedUntil = Deadline.in(Duration.ZERO);

    /** Only {@link #become} changes it. */
    private State state = new State.Waiting();

    private sealed interface State {
        /** Its turn has not come. */
        record Waiting() implements State {}

        /** Its turn has come, and another process may still have the device. */
        record Begun() implements State {}

        /** A step runs. */
        record Running(Step step, Instant since) implements State {}

        /** Somebody asked for the device with other steps before it ran one, so it runs none. */
        record Replaced() implements State {}

        /** Its precondition is not met, so it runs no step. */
        record Refused() implements State {}

        /**
         * It has ended.
         *
         * @param isRefused whether the device was left alone; this says nothing about the next caller
         * @param stale when the result is too old to say anything about the device
         */
        record Ended(Optional<PrepareException> failure, boolean isRefused, Deadline stale) implements State {}
    }

    Preparation(Device device, Recipe recipe, Preparer.Precondition precondition) {
        this.precondition = precondition;
        this.device = device;
        this.recipe = recipe;
    }

    private synchronized void become(State next) {
        LOG.fine(() -> device.id() + ": " + state.getClass().getSimpleName() + " -> "
                + next.getClass().getSimpleName());
        state = next;
        if (next instanceof State.Ended) {
            ended.countDown();
        }
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
            if (state instanceof State.Ended end && end.failure().isPresent()) {
                throw end.failure().orElseThrow();
            }
        }
        return true;
    }

    /** Its progress, for a person: {@code reset has not returned since 2026-11-21T15:44:49Z}. */
    public synchronized String progress() {
        return state instanceof State.Running now
                ? now.step().word()
                        + (isInKernel() ? " has not returned since " : " has been running since ")
                        + now.since()
                : "it waits for the preparation of another device, or for another process";
    }

    /** Whether the step is in the kernel, where it may hang for ever. */
    public synchronized boolean isInKernel() {
        return state instanceof State.Running now
                && switch (now.step()) {
                    case Step.Reset reset -> true;
                    case Step.Driver driver -> true;
                    case Step.Program program -> program.tool().isEmpty();
                    case Step.Vf vf -> false;
                    case Step.Command command -> false;
                    case Step.Interface moved -> false;
                };
    }

    /**
     * A caller waits for it from now on, as long as a container's start does. The precondition of the last caller
     * decides, because an earlier caller may have lost the device to it.
     */
    synchronized void want(Set<String> starting, Preparer.Precondition newest) {
        users = Set.copyOf(starting);
        precondition = newest;
        wantedUntil = Deadline.in(recipe.timeout());
    }

    /**
     * Begins, and returns whether it did. A preparation for a container does not begin if nobody waits for it any more.
     */
    synchronized boolean takeTurn(boolean anyway) {
        boolean begins = anyway || !wantedUntil.isOver();
        if (begins && state instanceof State.Waiting) {
            become(new State.Begun());
        }
        return begins;
    }

    synchronized boolean hasBegun() {
        return !(state instanceof State.Waiting);
    }

    void begin(Step step) {
        become(new State.Running(step, Instant.now().truncatedTo(ChronoUnit.SECONDS)));
    }

    synchronized void end(@Nullable PrepareException failure) {
        become(new State.Ended(Optional.ofNullable(failure), state instanceof State.Refused, Deadline.in(KEPT)));
    }

    void refuse() {
        become(new State.Refused());
    }

    /** Notes that somebody asked for the device with other steps. This run does nothing then, unless it has begun. */
    synchronized void replace() {
        if (state instanceof State.Waiting || state instanceof State.Begun) {
            become(new State.Replaced());
        }
    }

    synchronized boolean isReplaced() {
        return state instanceof State.Replaced;
    }

    public boolean hasEnded() {
        return ended.getCount() == 0;
    }

    /** Whether its result says nothing about the device for these users: it is too old, or was for others. */
    synchronized boolean isStale(Set<String> starting) {
        return state instanceof State.Ended end
                && (end.isRefused() || end.stale().isOver() || !users.equals(starting));
    }
}
