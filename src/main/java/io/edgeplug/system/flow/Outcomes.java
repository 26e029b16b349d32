package io.edgeplug.system.flow;

import java.util.concurrent.atomic.LongAdder;

/** Counts successes and failures since the process began; any thread counts and reads. */
public final class Outcomes {

    private final LongAdder done = new LongAdder();
    private final LongAdder failed = new LongAdder();

    /** The numbers of successes and failures at one time. */
    public record Counts(long done, long failed) {}

    public void countDone() {
        done.increment();
    }

    public void countFailed() {
        failed.increment();
    }

    public Counts counts() {
        return new Counts(done.sum(), failed.sum());
    }
}
