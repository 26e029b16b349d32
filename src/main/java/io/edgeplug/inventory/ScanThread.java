package io.edgeplug.inventory;

import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.logging.Logger;

/**
 * The thread that looks at the node, which is replaced when a look does not return: the kernel keeps whoever reads an
 * attribute of a function that is being reset, until that is over or for ever.
 *
 * <p>{@link #run} hands work over and waits for it, so work may touch all that its caller may. Work whose look is stuck is
 * begun again on a new thread, where that look is refused. A lost thread that comes back touches nothing and ends. The
 * work as a whole is handed over, and not each look: that would take as long as a look.
 */
final class ScanThread implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(ScanThread.class.getName());

    /** A look is lost that is still the same after so many waits; a process that was stopped meanwhile has waited once. */
    private static final int WAITS = 4;

    private static final Duration WAIT = Duration.ofMillis(250);

    private final Sysfs sysfs;
    private final Runnable onLoss;
    private final Consumer<String> onReturn;

    /** The thread that work is handed to; of the one thread that does so. */
    private Worker worker;

    private final StuckLooks stuck = new StuckLooks();

    /**
     * Of that node.
     *
     * @param onLoss run whenever a thread was lost, on the thread that waits for the work
     * @param onReturn told a place that may be looked at again, on any thread
     */
    ScanThread(Sysfs sysfs, Runnable onLoss, Consumer<String> onReturn) {
        this.sysfs = sysfs.announcing(ScanThread::begin);
        this.onLoss = onLoss;
        this.onReturn = onReturn;
        this.worker = new Worker();
    }

    /** Reads something of the node and changes nothing. */
    interface Look<T> {
        T look() throws IOException;
    }

    /** What a thread is at: two looks at one place are two. */
    private static final class At {

        static final At NOTHING = new At("");
        static final At LOST = new At("");

        private final String place;

        At(String place) {
            this.place = place;
        }
    }

    /** Unwinds work that goes on without this thread. */
    private static final class Abandoned extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** The node, to be read by looks. */
    Sysfs sysfs() {
        return sysfs;
    }

    /** Waits until the work is done; one thread at a time. */
    <T> T run(Supplier<T> work) {
        while (true) {
            FutureTask<T> task = new FutureTask<>(work::get);
            worker.take(task);
            Optional<T> result = await(task);
            if (result.isPresent()) {
                return result.orElseThrow();
            }
            worker = new Worker();
            onLoss.run();
        }
    }

    /** What came of the work; empty if its thread is lost. */
    private <T> Optional<T> await(FutureTask<T> task) {
        boolean interrupted = false;
        try {
            At before = At.NOTHING;
            int waits = 0;
            while (true) {
                try {
                    return Optional.of(task.get(WAIT.toMillis(), TimeUnit.MILLISECONDS));
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (TimeoutException e) {
                    At now = Objects.requireNonNull(worker.at.get());
                    waits = now.equals(before) && !now.equals(At.NOTHING) ? waits + 1 : 1;
                    before = now;
                }
                if (waits > WAITS && worker.lose(before)) {
                    return Optional.empty();
                }
            }
        } catch (ExecutionException e) {
            throw thrown(Objects.requireNonNull(e.getCause()));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RuntimeException thrown(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException bug ? bug : new IllegalStateException(cause);
    }

    /**
     * Looks at a place, by work that runs.
     *
     * @param place what is lost if the look does not return: a function's address, or what else it is called
     * @throws IOException if the look does, or has not returned before; the message ends with the reason
     */
    <T> T look(String place, Look<T> look) throws IOException {
        if (!(Thread.currentThread() instanceof Worker current)) {
            throw new IllegalStateException("a look at " + place + " that nobody watches");
        }
        Optional<String> refusal = stuck.refusal(place);
        if (refusal.isPresent()) {
            throw new IOException(refusal.orElseThrow());
        }
        At at = new At(place);
        current.enter(at);
        try {
            return look.look();
        } finally {
            current.leave(at);
        }
    }

    /** Has all places looked at again whose threads are back; to be called now and then. */
    void takeTurns() {
        stuck.takeTurns();
    }

    /** What was at that place is gone, and what comes there is another one. */
    void forget(String place) {
        stuck.forget(place);
    }

    private static void begin(String path) {
        if (Thread.currentThread() instanceof Worker current) {
            current.path = path;
        }
    }

    /** Ends the thread; those that are lost end when they come back. */
    @Override
    public void close() {
        worker.interrupt();
    }

    /** One thread, until it is lost. */
    private final class Worker extends Thread {

        private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
        private final AtomicReference<At> at = new AtomicReference<>(At.NOTHING);

        /** What it reads, or read last. */
        private volatile String path = "";

        /** Where it was lost; empty as long as it is not. Guarded by this. */
        private String lostAt = "";

        Worker() {
            super("scan");
            setDaemon(true);
        }

        /** Starts with the first work. */
        void take(Runnable task) {
            work.add(task);
            if (getState() == State.NEW) {
                start();
            }
        }

        @Override
        public void run() {
            try {
                while (lostAt().isEmpty()) {
                    work.take().run();
                }
                if (stuck.remove(this, lostAt())) {
                    onReturn.accept(lostAt());
                }
            } catch (InterruptedException e) {
                LOG.fine("no longer looking at the node");
            }
        }

        /** Gives it up, unless its look has just ended. */
        synchronized boolean lose(At last) {
            if (!at.compareAndSet(last, At.LOST)) {
                return false;
            }
            lostAt = last.place;
            setName("lost at " + last.place);
            String read = path.isEmpty() ? "a look at it" : "read " + path.substring(path.lastIndexOf('/') + 1);
            Instant since = Instant.now().minus(WAIT.multipliedBy(WAITS)).truncatedTo(ChronoUnit.SECONDS);
            stuck.add(this, last.place, read + " has not returned since " + since);
            return true;
        }

        private synchronized String lostAt() {
            return lostAt;
        }

        void enter(At next) {
            path = "";
            at.set(next);
        }

        void leave(At last) {
            if (!at.compareAndSet(last, At.NOTHING)) {
                throw new Abandoned();
            }
        }
    }
}
