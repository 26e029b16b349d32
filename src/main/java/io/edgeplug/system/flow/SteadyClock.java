package io.edgeplug.system.flow;

import java.time.Duration;
import java.time.Instant;

/** The node's clock as if nobody had set it since this process began. The times of files can be compared by it. */
public final class SteadyClock {

    // The time when it is loaded is what it counts from.
    @SuppressWarnings("TimeInStaticInitializer")
    private static final Instant BEGAN = Instant.now();

    private static final long NANOS = System.nanoTime();

    /** The kernel's time of a file differs by less from the clock. */
    private static final Duration TICK = Duration.ofMillis(100);

    private SteadyClock() {}

    public static Instant now() {
        return BEGAN.plusNanos(System.nanoTime() - NANOS);
    }

    /**
     * When a file was written whose time is this. A file of the future was written before somebody set the clock back.
     * Nobody knows how long before, so it counts as very old.
     */
    public static Instant of(Instant written) {
        return of(written, Instant.now(), now());
    }

    static Instant of(Instant written, Instant clock, Instant steady) {
        Duration age = Duration.between(written, clock);
        return age.plus(TICK).isNegative() ? Instant.EPOCH : steady.minus(age);
    }
}
