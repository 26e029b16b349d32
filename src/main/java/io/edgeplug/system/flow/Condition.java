package io.edgeplug.system.flow;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A state of the node whose changes nobody reports, so it is polled. */
public interface Condition {

    Duration PAUSE = Duration.ofMillis(50);

    boolean isMet() throws IOException;

    /** Returns whether a condition was met before the deadline. */
    static boolean await(Condition condition, Duration deadline) throws IOException, InterruptedException {
        return await(condition, deadline, PAUSE);
    }

    /** The same, with that pause between two looks. */
    static boolean await(Condition condition, Duration deadline, Duration pause)
            throws IOException, InterruptedException {
        Deadline end = Deadline.in(deadline);
        while (!condition.isMet()) {
            if (end.isOver()) {
                return false;
            }
            LockSupport.parkNanos(pause.toNanos());
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        return true;
    }
}
