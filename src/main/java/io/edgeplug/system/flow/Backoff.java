package io.edgeplug.system.flow;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The time of the next try after a failure: soon after the first, and after twice as long each time. A failure long
 * after the last one counts as a first one. For one thread.
 */
public final class Backoff {

    private final Duration first;
    private final Duration longest;
    private Duration next;
    private @Nullable Deadline due;
    private boolean isWaiting;

    /** Waits that long after the first failure, and never longer than the second value. */
    public Backoff(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
        this.next = first;
    }

    /** Reports a failure. */
    public void failed() {
        if (due != null && due.left().plus(longest).isNegative()) {
            next = first;
        }
        due = Deadline.in(next);
        isWaiting = true;
        next = doubled(next, longest);
    }

    /** Twice that pause, but never more than the longest. */
    public static Duration doubled(Duration pause, Duration longest) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(longest) < 0 ? twice : longest;
    }

    /**
     * Reports a success, so that the next try may come at once. If the next failure follows soon, it counts as one more
     * and not as a first one: a server that works for a moment only is no better than one that fails.
     */
    public void succeeded() {
        isWaiting = false;
    }

    /** Forgets all failures. */
    public void reset() {
        due = null;
        next = first;
    }

    /** Whether it is time to try again. */
    public boolean isDue() {
        return due().isEmpty();
    }

    /** The time of the next try; empty if that is now. */
    public Optional<Deadline> due() {
        return Optional.ofNullable(due).filter(deadline -> isWaiting && !deadline.isOver());
    }
}
