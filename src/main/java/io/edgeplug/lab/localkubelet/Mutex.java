package io.edgeplug.lab.localkubelet;

import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The mutex of the kubelet's memory, which also lets callers wait for a change. */
final class Mutex {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean closed;

    /** A change that may fail. */
    interface Change<E extends Exception> {
        void make() throws E;
    }

    <E extends Exception> void locked(Change<E> change) throws E {
        lock.lock();
        try {
            change.make();
        } finally {
            lock.unlock();
        }
    }

    <T> T locked(Supplier<T> reading) {
        lock.lock();
        try {
            return reading.get();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes all waiting callers; only under the lock. */
    void changed() {
        changed.signalAll();
    }

    /** Ends all waiting. */
    void close() {
        locked(() -> {
            closed = true;
            changed();
        });
    }

    /** Waits until a view is as wanted, and looks after each change. */
    <T> T await(Supplier<T> view, Predicate<? super T> wanted, Duration timeout, Function<T, String> text)
            throws InterruptedException, TimeoutException {
        lock.lockInterruptibly();
        try {
            long left = timeout.toNanos();
            while (true) {
                T seen = view.get();
                if (wanted.test(seen)) {
                    return seen;
                }
                if (closed) {
                    throw new IllegalStateException("the local kubelet is closed; last seen: " + text.apply(seen));
                }
                if (left <= 0) {
                    throw new TimeoutException(
                            "not as awaited after " + timeout.toMillis() + " ms; last seen: " + text.apply(seen));
                }
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
