package io.edgeplug.vfs;

import io.edgeplug.flow.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** Runs calls that may hang in the kernel, on a thread that may be lost. */
final class Losable {

    /** The pause between two looks at a file whose changes nobody reports. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    /** The work to run. */
    interface Action<T> {
        T run() throws IOException, InterruptedException;
    }

    /** The condition to wait for. */
    interface Condition {
        boolean isMet() throws IOException;
    }

    /** The kernel has not returned from an action. Its thread stays there. */
    static final class OverdueException extends IOException {

        private static final long serialVersionUID = 1;

        private OverdueException(Duration deadline) {
            super("takes longer than " + deadline.toSeconds() + " s, and the kernel is still at it");
        }
    }

    private Losable() {}

    /**
     * Runs an action.
     *
     * @param patience after which {@code waiting} is called, again and again
     * @throws OverdueException if the deadline passes
     * @throws IOException if the action throws it
     */
    static <T> T run(String name, Action<T> action, Duration deadline, Duration patience, Runnable waiting)
            throws IOException, InterruptedException {
        FutureTask<T> task = new FutureTask<>(action::run);
        Thread thread = Thread.ofPlatform().name(name).daemon().start(task);
        Deadline end = Deadline.in(deadline);
        while (true) {
            Duration left = end.left();
            if (left.isNegative()) {
                throw new OverdueException(deadline);
            }
            try {
                Duration next = left.compareTo(patience) < 0 ? left : patience;
                return task.get(next.toMillis() + 1, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                waiting.run();
            } catch (InterruptedException e) {
                thread.interrupt();
                throw e;
            } catch (ExecutionException e) {
                throw cause(e);
            }
        }
    }

    /** Polls a condition. Returns whether it was met before the deadline. */
    static boolean await(Condition condition, Duration deadline) throws IOException, InterruptedException {
        Deadline end = Deadline.in(deadline);
        while (!condition.isMet()) {
            if (end.isOver()) {
                return false;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        return true;
    }

    private static IOException cause(ExecutionException e) throws InterruptedException {
        Throwable cause = Objects.requireNonNull(e.getCause());
        if (cause instanceof IOException problem) {
            return problem;
        }
        if (cause instanceof InterruptedException interrupted) {
            throw interrupted;
        }
        throw new IllegalStateException(cause);
    }
}
