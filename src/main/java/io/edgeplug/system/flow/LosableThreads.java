package io.edgeplug.system.flow;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Threads for work that the kernel may block for ever. Each piece of work is about something, such as a function, and
 * has a thread of its own. Thread-safe, with three guarantees:
 * <ul>
 *   <li><b>Limits.</b> Only so many threads work at a time, in the order in which the work came. Work that was given up
 *       no longer counts, so the rest goes on. But with such work there is a limit too.
 *   <li><b>A deadline.</b> A caller never waits longer than it wants to. Its thread may be lost, and the caller goes on.
 *   <li><b>No second before the first is back.</b> While work about something has not ended, no other begins about the
 *       same. So what hangs costs one thread, however often somebody asks.
 * </ul>
 */
public final class LosableThreads {

    private final int atOnce;
    private final int inAll;

    // The fields below are guarded by this.
    private final Map<Object, Thread> waiting = new LinkedHashMap<>();
    private final Map<Object, Thread> running = new HashMap<>();
    private final Set<Object> givenUp = new HashSet<>();

    /** There is no result in time. The thread stays in the kernel. */
    public static final class OverdueException extends IOException {

        private static final long serialVersionUID = 1;

        private OverdueException(String message) {
            super(message);
        }
    }

    /** Work with a result. */
    public interface Work<T> {
        T run() throws IOException, InterruptedException;
    }

    /** At most {@code atOnce} at a time, and {@code inAll} with those that were given up. */
    public LosableThreads(int atOnce, int inAll) {
        this.atOnce = atOnce;
        this.inAll = inAll;
    }

    /** A thread for each thing that work is about. */
    public LosableThreads() {
        this(Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    /**
     * Runs work on a thread with that name when its turn comes.
     *
     * @return whether it does; not if other work about the same has not ended
     */
    public synchronized boolean start(Object about, String name, Runnable work) {
        if (isBusy(about)) {
            return false;
        }
        waiting.put(about, Thread.ofPlatform().name(name).daemon().unstarted(() -> {
            try {
                work.run();
            } finally {
                end(about);
            }
        }));
        goOn();
        return true;
    }

    /** Whether work about it has not ended yet. */
    public synchronized boolean isBusy(Object about) {
        return running.containsKey(about) || waiting.containsKey(about);
    }

    /** Lets the rest go on as if this work had ended. Does nothing if its turn has not come yet. */
    public synchronized void giveUp(Object about) {
        if (running.containsKey(about) && givenUp.add(about)) {
            goOn();
        }
    }

    /** The caller has the lock of this. */
    private void goOn() {
        while (!waiting.isEmpty() && running.size() < inAll && running.size() - givenUp.size() < atOnce) {
            Object next = waiting.keySet().iterator().next();
            Thread thread = Objects.requireNonNull(waiting.remove(next));
            running.put(next, thread);
            thread.start();
        }
    }

    /** A caller that has the result may begin the next work at once, so this comes before the result, and again after. */
    private synchronized void end(Object about) {
        if (running.remove(about, Thread.currentThread())) {
            givenUp.remove(about);
            goOn();
        }
    }

    /** Begins no more of the work so far, and asks running work to end. Returns the threads to wait for. */
    public synchronized List<Thread> close() {
        waiting.clear();
        running.values().forEach(Thread::interrupt);
        return new ArrayList<>(running.values());
    }

    /** Waits a short time until these have ended. */
    public static void join(List<Thread> threads, Duration patience) throws InterruptedException {
        Deadline end = Deadline.in(patience);
        for (Thread thread : threads) {
            boolean ignored = thread.join(end.left());
        }
    }

    /** Begins work with a result. If other work about the same has not ended, this never begins, and is overdue. */
    public <T> Call<T> call(Object about, String name, Work<T> work) {
        Call<T> call = new Call<>(about, work);
        if (!start(about, name, call.task)) {
            boolean ignored = call.task.cancel(false);
        }
        return call;
    }

    /** Work whose result somebody awaits. */
    public final class Call<T> {

        private final Object about;
        private final FutureTask<T> task;

        private Call(Object about, Work<T> work) {
            this.about = about;
            this.task = new FutureTask<>(() -> {
                try {
                    return work.run();
                } finally {
                    end(about);
                }
            });
        }

        /**
         * Waits for the result.
         *
         * @throws OverdueException if there is none in that time; work whose turn has not come yet never begins then
         * @throws IOException if the work throws it
         */
        public T await(Duration deadline) throws IOException, InterruptedException {
            return await(deadline, deadline, () -> {});
        }

        /**
         * The same.
         *
         * @param patience after which {@code stillWaiting} is called, again and again
         */
        public T await(Duration deadline, Duration patience, Runnable stillWaiting)
                throws IOException, InterruptedException {
            Deadline end = Deadline.in(deadline);
            while (true) {
                Duration left = end.left();
                Duration next = left.compareTo(patience) < 0 ? left : patience;
                try {
                    return task.get(next.toNanos(), TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    if (end.isOver()) {
                        boolean ignored = task.cancel(false);
                        giveUp(about);
                        throw new OverdueException(
                                "takes longer than " + deadline.toSeconds() + " s, and the kernel is still at it");
                    }
                    stillWaiting.run();
                } catch (CancellationException e) {
                    throw new OverdueException("not done, because the kernel is still at what was done before");
                } catch (InterruptedException e) {
                    boolean ignored = task.cancel(true);
                    throw e;
                } catch (ExecutionException e) {
                    throw thrown(Objects.requireNonNull(e.getCause()));
                }
            }
        }
    }

    private static IOException thrown(Throwable cause) throws InterruptedException {
        if (cause instanceof IOException problem) {
            return problem;
        }
        if (cause instanceof InterruptedException interrupted) {
            throw interrupted;
        }
        throw new IllegalStateException(cause);
    }
}
