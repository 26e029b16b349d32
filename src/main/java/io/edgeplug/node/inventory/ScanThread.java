package io.edgeplug.node.inventory;

import io.edgeplug.system.files.FarPathException;
import io.edgeplug.system.files.Sysfs;
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
 * The thread that scans the node. It is replaced when a scan does not return: the kernel blocks a reader of a function
 * that is being reset, until that is over or for ever.
 *
 * <p>{@link #run} passes work to the thread and waits, so the work may use everything that its caller may use. If a
 * look of the work is stuck, the work begins again on a new thread, where that look is refused. A lost thread that
 * comes back touches nothing and ends. The work is passed on as a whole, because passing on each look would take as
 * long as the look.
 */
final class ScanThread implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(ScanThread.class.getName());

    /**
     * A look is lost if it still reads the same file after this many waits. If the process was stopped meanwhile, that
     * is only one wait.
     */
    private static final int WAITS = 4;

    private static final Duration WAIT = Duration.ofMillis(250);

    private final Sysfs sysfs;
    private final Runnable onLoss;
    private final Consumer<String> onReturn;

    /** The thread that gets the work. Only one thread passes work on. */
    private Worker worker;

    private final StuckLooks stuck = new StuckLooks();

    /**
     * The thread of that node.
     *
     * @param onLoss runs whenever a thread was lost, on the thread that waits for the work
     * @param onReturn gets a place that may be scanned again, on any thread
     */
    ScanThread(Sysfs sysfs, Runnable onLoss, Consumer<String> onReturn) {
        this.sysfs = sysfs.announcing(ScanThread::begin).onFar(ScanThread::enter);
        this.onLoss = onLoss;
        this.onReturn = onReturn;
        this.worker = new Worker();
    }

    /** Reads something of the node, and changes nothing. */
    interface Look<T> {
        T look() throws IOException;
    }

    /** What a thread is reading for which look. Reading one file twice is two objects. */
    private static final class At {

        static final At NOTHING = new At("", "");
        static final At LOST = new At("", "");

        private final String place;

        /** Empty until the look has read its first file. */
        private final String path;

        At(String place, String path) {
            this.place = place;
            this.path = path;
        }
    }

    /** Ends the work on a thread that was given up. */
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

    /** The result of the work; empty if its thread is lost. */
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
     * Looks at a place. For use by the work.
     *
     * @param place the address of a function, or another name of what is lost if the look does not return
     * @throws IOException if the look throws it, or has not returned before; the message ends with the reason
     */
    <T> T look(String place, Look<T> look) throws IOException {
        if (!(Thread.currentThread() instanceof Worker current)) {
            throw new IllegalStateException("a look at " + place + " that nobody watches");
        }
        Optional<String> refusal = stuck.refusal(place);
        if (refusal.isPresent()) {
            throw new IOException(refusal.orElseThrow());
        }
        current.place = place;
        current.at.set(new At(place, ""));
        try {
            return look.look();
        } finally {
            current.move(At.NOTHING);
        }
    }

    /** Requests scans of all places whose threads are back. Call it now and then. */
    void takeTurns() {
        stuck.takeTurns();
    }

    /** Forgets a place whose device is gone. The next device there is another one. */
    void forget(String place) {
        stuck.forget(place);
    }

    private static void begin(String path) {
        if (Thread.currentThread() instanceof Worker current) {
            At last = Objects.requireNonNull(current.at.get());
            if (!last.equals(At.NOTHING)) {
                // A walk may have come to a far file system. What it was for is at the same path or below.
                current.move(new At(path.startsWith(last.path) ? last.place : current.place, path));
            }
        }
    }

    /** A walk comes to a file system that may not answer. If it does not, that is lost, and not the place of the look. */
    private static void enter(String mount) {
        if (Thread.currentThread() instanceof Worker current) {
            At last = Objects.requireNonNull(current.at.get());
            current.refusal(mount).ifPresent(reason -> {
                throw new FarPathException(mount + ": " + reason);
            });
            current.move(new At(mount, last.path));
        }
    }

    /** Ends the thread. Lost threads end when they come back. */
    @Override
    public void close() {
        worker.interrupt();
    }

    /** One thread, until it is lost. */
    private final class Worker extends Thread {

        private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
        private final AtomicReference<At> at = new AtomicReference<>(At.NOTHING);

        /** That of the look. Only the thread uses it. */
        private String place = "";

        /** The place where it was lost; empty while it is not. Guarded by this. */
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

        /** Gives the thread up, unless its look has just ended. */
        synchronized boolean lose(At last) {
            if (!at.compareAndSet(last, At.LOST)) {
                return false;
            }
            lostAt = last.place;
            setName("lost at " + last.place);
            String name = last.path.substring(last.path.lastIndexOf('/') + 1);
            // The directory of all files is only a dot.
            String read = name.isEmpty() || name.equals(".") ? "a look at it" : "read " + name;
            Instant since = Instant.now().minus(WAIT.multipliedBy(WAITS)).truncatedTo(ChronoUnit.SECONDS);
            stuck.add(this, last.place, read + " has not returned since " + since);
            return true;
        }

        Optional<String> refusal(String mount) {
            return stuck.refusal(mount);
        }

        private synchronized String lostAt() {
            return lostAt;
        }

        /** Turns to something else. A thread that was given up ends its work here. */
        void move(At next) {
            At last = Objects.requireNonNull(at.get());
            if (last.equals(At.LOST) || !at.compareAndSet(last, next)) {
                throw new Abandoned();
            }
        }
    }
}
