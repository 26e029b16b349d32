package io.edgeplug.flow;

import java.time.Duration;

/** A time to come, by a clock that no one sets: a node without a battery starts in the past. */
public record Deadline(long nanoTime) {

    /** So much from now. */
    public static Deadline in(Duration duration) {
        return new Deadline(System.nanoTime() + duration.toNanos());
    }

    /** Whether it has come. */
    public boolean isOver() {
        return left().isNegative();
    }

    /** Negative once it is over. */
    public Duration left() {
        return Duration.ofNanos(nanoTime - System.nanoTime());
    }

    /** How long to wait until it is over, for a wait that may end a little early. */
    public Duration wakeUp() {
        return left().plusMillis(1);
    }
}
