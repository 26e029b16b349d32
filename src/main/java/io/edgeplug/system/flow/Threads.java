package io.edgeplug.system.flow;

import java.time.Duration;

/** Beginnings and ends of threads. */
public final class Threads {

    /** A thread that does not end is in a call that cannot be interrupted, and ends with the process. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private Threads() {}

    /**
     * Has a platform thread do work that waits for the disk, and waits for its end. A virtual thread that did it itself
     * would block its carrier. If the caller is interrupted, the work goes on without it.
     */
    public static void onDisk(String name, Runnable work) {
        try {
            Thread.ofPlatform().name(name).daemon().start(work).join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Interrupts a thread, which may not have been started, and waits a second for its end. */
    public static void end(Thread thread) {
        end(thread, PATIENCE);
    }

    /** The same for a thread that closes what it has opened, for which a busy node may need longer. */
    public static void end(Thread thread, Duration patience) {
        thread.interrupt();
        try {
            boolean ignored = thread.getState() == Thread.State.NEW || thread.join(patience);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
