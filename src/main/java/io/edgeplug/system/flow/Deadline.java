package io.edgeplug.system.flow;

import java.time.Duration;

/** A time in the future by the monotonic clock, because the clock of a node without a battery starts in the past. */
public record Deadline(long nanoTime) {

    /** The time after that duration. */
    public static Deadline in(Duration duration) {
        return new Deadline(System.nanoTime() + duration.toNanos());
    }

    /** Whether the time has come. */
    public boolean isOver() {
        return left().isNegative();
    }

    /** The earlier one of both. */
    public Deadline orEarlier(Deadline other) {
        return other.nanoTime - nanoTime < 0 ? other : this;
    }

    /** Negative once the time has come. */
    public Duration left() {
        return Duration.ofNanos(nanoTime - System.nanoTime());
    }

    /** Waits for it. */
    public void await() throws InterruptedException {
        Thread.sleep(left());
    }

    /** How long to wait for it, for a wait that may end a little early. */
    public Duration wakeUp() {
        return left().plusMillis(1);
    }
}
