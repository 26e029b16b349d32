package io.edgeplug.system.flow;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/**
 * The newest value of something, for threads that want it now or wait for a newer one; thread-safe.
 *
 * <p>There is no queue. So a slow reader only misses values that newer ones have replaced, and no reader can take a
 * change away from another.
 *
 * @param <T> an immutable value with a number, which grows if waiting threads should see it
 */
public final class Latest<T> {

    /** As long as it takes. */
    public static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private final Lock lock = new ReentrantLock();
    private final Condition published = lock.newCondition();
    private final ToLongFunction<T> number;

    /** Written with the lock held. */
    private volatile T newest;

    /** The first value, which wakes nobody. */
    public Latest(T first, ToLongFunction<T> number) {
        this.newest = first;
        this.number = number;
    }

    /** The newest value. */
    public T get() {
        return newest;
    }

    /** Waits for a value with a higher number, and returns at once if there is one. */
    public T awaitNewerThan(long than) throws InterruptedException {
        return awaitNewerThan(than, FOREVER);
    }

    /** Waits for a value with a higher number, or for {@code timeout}, and returns the newest. */
    public T awaitNewerThan(long than, Duration timeout) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = timeout.toNanos();
            while (number.applyAsLong(newest) <= than && left > 0) {
                left = published.awaitNanos(left);
            }
            return newest;
        } finally {
            lock.unlock();
        }
    }

    /** Does the same, and lets {@code burst} pass after news, because changes come together and are then one. */
    public T awaitNewerThan(long than, Duration timeout, Duration burst) throws InterruptedException {
        boolean isNews = number.applyAsLong(awaitNewerThan(than, timeout)) > than;
        Deadline.in(isNews ? burst : Duration.ZERO).await();
        return newest;
    }

    /** Work that follows the newest value. */
    @FunctionalInterface
    public interface Turn<T> {
        /** Does the work for this value, and returns how long to wait for a newer one before the next turn. */
        Duration take(T newest) throws InterruptedException;
    }

    /**
     * Runs an action for the value of now and for each newer one, on a virtual thread of that front, until the result is
     * closed. A bug ends the action for that value alone.
     */
    public Follower follow(Front front, String name, Duration burst, Consumer<T> action) {
        return follow(front.virtual(name), burst, newest -> {
            boolean ignored = front.attempt(() -> action.accept(newest));
            return FOREVER;
        });
    }

    /** Takes turns on such a thread, the first one now, until the result is closed. News that come together are one. */
    public Follower follow(Thread.Builder thread, Duration burst, Turn<T> turn) {
        return new Follower(thread.start(() -> {
            try {
                T value = newest;
                while (true) {
                    Duration pause = turn.take(value);
                    value = awaitNewerThan(number.applyAsLong(value), pause, burst);
                }
            } catch (InterruptedException e) {
                // The follower was closed.
            }
        }));
    }

    /** Replaces the newest value by one that is made from it, in one step. The function must return at once. */
    public T change(UnaryOperator<T> change) {
        lock.lock();
        try {
            return publish(change.apply(newest));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Replaces a value if it is still the newest.
     *
     * @return whether it was; if not, nothing has changed
     */
    @SuppressWarnings("ReferenceEquality") // whether anything was published since, be it the same again
    public boolean replace(T before, T value) {
        lock.lock();
        try {
            if (newest != before) {
                return false;
            }
            T ignored = publish(value);
            return true;
        } finally {
            lock.unlock();
        }
    }

    private T publish(T value) {
        boolean isNews = number.applyAsLong(value) > number.applyAsLong(newest);
        newest = value;
        if (isNews) {
            published.signalAll();
        }
        return value;
    }
}
