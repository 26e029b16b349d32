package io.edgeplug.kubelet;

import java.time.Duration;

/** A time to come, by a clock that no one sets: a node without a battery starts in the past. */
record Deadline(long nanoTime) {

    /** So much from now. */
    static Deadline in(Duration duration) {
        return new Deadline(System.nanoTime() + duration.toNanos());
    }

    boolean isOver() {
        return left().isNegative();
    }

    /** Negative once it is over. */
    Duration left() {
        return Duration.ofNanos(nanoTime - System.nanoTime());
    }

    /** How long to wait until it is over, for a wait that may end a little early. */
    Duration wakeUp() {
        return left().plusMillis(1);
    }
}
