package io.edgeplug;

import java.lang.management.ManagementFactory;
import java.time.Duration;

/** The processor time of the calling thread, which a busy machine does not make longer. */
public final class CpuTime {

    private final long begun = now();

    private static long now() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** Since this was made. */
    public Duration used() {
        return Duration.ofNanos(now() - begun);
    }
}
