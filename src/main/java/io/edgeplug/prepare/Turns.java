package io.edgeplug.prepare;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Threads for work that the kernel may block for ever: a few at a time, in the order in which the work came.
 *
 * <p>Work that takes too long can be passed by. It no longer counts, so that the rest goes on. The number of threads
 * that are lost in this way is limited too.
 */
final class Turns {

    private final int atOnce;
    private final int inAll;

    // The fields below are guarded by this.
    private final Deque<Turn> waiting = new ArrayDeque<>();
    private final Map<Object, Thread> running = new HashMap<>();
    private final Set<Object> passedBy = new HashSet<>();

    private record Turn(Object whose, String name, Runnable work) {}

    /** Turns for at most {@code atOnce} at a time, and {@code inAll} with those that were passed by. */
    Turns(int atOnce, int inAll) {
        this.atOnce = atOnce;
        this.inAll = inAll;
    }

    /** Runs the work on a thread with that name when its turn comes. */
    synchronized void add(Object whose, String name, Runnable work) {
        waiting.add(new Turn(whose, name, work));
        goOn();
    }

    /** Lets the rest go on as if this had ended. Does nothing if its turn has not come yet. */
    synchronized void passBy(Object whose) {
        if (running.containsKey(whose) && passedBy.add(whose)) {
            goOn();
        }
    }

    /** The caller has the lock of this. */
    private void goOn() {
        while (!waiting.isEmpty() && running.size() < inAll && running.size() - passedBy.size() < atOnce) {
            Turn next = waiting.remove();
            Thread thread = Thread.ofPlatform().name(next.name()).daemon().unstarted(() -> {
                next.work().run();
                end(next.whose());
            });
            running.put(next.whose(), thread);
            thread.start();
        }
    }

    private synchronized void end(Object whose) {
        running.remove(whose);
        passedBy.remove(whose);
        goOn();
    }

    /** Gives no more turns, and asks running work to end. Returns the threads to wait for. */
    synchronized List<Thread> close() {
        waiting.clear();
        running.values().forEach(Thread::interrupt);
        return new ArrayList<>(running.values());
    }

    /** Waits a short time until these have ended. */
    static void join(List<Thread> threads, Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        for (Thread thread : threads) {
            boolean ignored = thread.join(Duration.ofNanos(end - System.nanoTime()));
        }
    }
}
