package io.edgeplug.flow;

import java.time.Duration;

/** Ends threads that follow something. */
public final class Threads {

    /** A thread that does not end is in a call that cannot be interrupted, and ends with the process. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private Threads() {}

    /** Interrupts a thread, which may not have been started, and waits a limited time for its end. */
    public static void end(Thread thread) {
        thread.interrupt();
        try {
            boolean ignored = thread.getState() == Thread.State.NEW || thread.join(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
