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
 * Threads for work that the kernel may keep for ever: a few at a time, in the order in which it came.
 *
 * <p>Work that has taken too long can be passed by: it does not count any more, so that the rest goes on. The threads that
 * are lost so are bounded too.
 */
final class Turns {

    private final int atOnce;
    private final int inAll;

    // below: guarded by this
    private final Deque<Turn> waiting = new ArrayDeque<>();
    private final Map<Object, Thread> running = new HashMap<>();
    private final Set<Object> passedBy = new HashSet<>();

    private record Turn(Object whose, String name, Runnable work) {}

    /** At most {@code atOnce} at a time, and {@code inAll} with those that were passed by. */
    Turns(int atOnce, int inAll) {
        this.atOnce = atOnce;
        this.inAll = inAll;
    }

    /** Has work done, on a thread of that name, when its turn comes. */
    synchronized void add(Object whose, String name, Runnable work) {
        waiting.add(new Turn(whose, name, work));
        goOn();
    }

    /** Has the rest go on as if this had ended; nothing if its turn has not come yet. */
    synchronized void passBy(Object whose) {
        if (running.containsKey(whose) && passedBy.add(whose)) {
            goOn();
        }
    }

    /** With the lock of this held. */
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

    /** Gives no turns any more, and asks those that have one to end: they are to be waited for. */
    synchronized List<Thread> close() {
        waiting.clear();
        running.values().forEach(Thread::interrupt);
        return new ArrayList<>(running.values());
    }

    /** Waits until these have ended, but not long. */
    static void join(List<Thread> threads, Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        for (Thread thread : threads) {
            boolean ignored = thread.join(Duration.ofNanos(end - System.nanoTime()));
        }
    }
}
