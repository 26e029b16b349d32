package io.edgeplug.flow;

import java.time.Duration;
import java.util.Optional;

/**
 * The time of the next try after a failure: soon after the first, and after twice as long each time. A failure long
 * after the last one counts as a first one. For one thread.
 */
public final class Backoff {

    private final Duration first;
    private final Duration longest;
    private Duration next;
    private Optional<Deadline> due = Optional.empty();

    /** Waits that long after the first failure, and never longer than the second value. */
    public Backoff(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
        this.next = first;
    }

    /** Reports a failure. */
    public void failed() {
        if (due.filter(deadline -> deadline.left().plus(longest).isNegative()).isPresent()) {
            next = first;
        }
        due = Optional.of(Deadline.in(next));
        Duration twice = next.multipliedBy(2);
        next = twice.compareTo(longest) < 0 ? twice : longest;
    }

    /** Forgets all failures. */
    public void reset() {
        due = Optional.empty();
        next = first;
    }

    /** Whether it is time to try again. */
    public boolean isDue() {
        return due.map(Deadline::isOver).orElse(true);
    }

    /** The time of the next try; empty if that is now. */
    public Optional<Deadline> due() {
        return due.filter(deadline -> !deadline.isOver());
    }
}
