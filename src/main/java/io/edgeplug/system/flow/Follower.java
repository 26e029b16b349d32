package io.edgeplug.system.flow;

/** Work that follows a {@link Latest} on a thread of its own, while this is open. */
public final class Follower implements AutoCloseable {

    private final Thread thread;

    Follower(Thread thread) {
        this.thread = thread;
    }

    /** Interrupts the work, and waits a limited time for its end. */
    @Override
    public void close() {
        Threads.end(thread);
    }
}
