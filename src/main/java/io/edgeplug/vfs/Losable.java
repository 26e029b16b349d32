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

/** Runs what the kernel may never return from, on a thread that can be lost. */
final class Losable {

    /** Between two looks at a file that tells nobody when it changes. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    /** What is run. */
    interface Action<T> {
        T run() throws IOException, InterruptedException;
    }

    /** What is waited for. */
    interface Condition {
        boolean isMet() throws IOException;
    }

    /** An action that the kernel has not returned from; its thread stays there. */
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
     * @throws IOException as the action does
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

    /** Looks until a condition is met; whether it was before the deadline. */
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
