package io.edgeplug.system.flow;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The heap for what is read or written for others at the same time. Each input and output has a limit of its own, but a
 * small heap does not hold several of the largest ones. Whoever comes too late waits, and is then refused.
 *
 * <p>A share is an upper bound of what something becomes in memory, and not its size in bytes: an empty JSON object of
 * two bytes takes a hundred. A thread has one share at a time, so that no two threads wait for each other.
 */
public final class MemoryBudget {

    /** That of this process, because it has one heap. The rest of the heap is for devices and their holders. */
    public static final MemoryBudget OF_PROCESS = new MemoryBudget(8 << 20);

    private final int size;
    private final Semaphore free;

    /** A budget of that many bytes. */
    public MemoryBudget(int size) {
        this.size = size;
        this.free = new Semaphore(size, true);
    }

    /** Memory that is in use until this is closed. */
    public interface Share extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Takes a share, and waits for it.
     *
     * @param bytes more than the budget has count as all of it
     * @throws IOException if others need the memory for longer
     */
    public Share take(int bytes, Duration patience) throws IOException, InterruptedException {
        int taken = Math.min(bytes, size);
        if (!free.tryAcquire(taken, patience.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new IOException("others need the memory for that at the moment");
        }
        return () -> free.release(taken);
    }
}
