package io.edgeplug.flow;

import java.util.concurrent.atomic.LongAdder;

/** How often something was done and how often it failed, since the process began; any thread counts and reads. */
public final class Outcomes {

    private final LongAdder done = new LongAdder();
    private final LongAdder failed = new LongAdder();

    /** How often it was done, and how often it failed, at one time. */
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
