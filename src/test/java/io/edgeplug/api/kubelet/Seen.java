package io.edgeplug.api.kubelet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** What a test was told, in order, by any thread; and waits for it, with a deadline. */
public final class Seen<T> {

    private final List<T> all = new ArrayList<>();

    synchronized void add(T one) {
        all.add(one);
        notifyAll();
    }

    synchronized List<T> all() {
        return List.copyOf(all);
    }

    synchronized int count() {
        return all.size();
    }

    synchronized T last() {
        return all.getLast();
    }

    /** Waits until all that was told is as wanted, and returns it. */
    synchronized List<T> await(Predicate<? super List<T>> wanted) throws InterruptedException {
        long end = System.nanoTime() + TestDaemon.PATIENCE.toNanos();
        while (!wanted.test(List.copyOf(all))) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError("not as awaited after " + TestDaemon.PATIENCE + ", seen: " + all);
            }
            wait(left);
        }
        return List.copyOf(all);
    }

    synchronized List<T> awaitCount(int count) throws InterruptedException {
        return await(seen -> seen.size() >= count);
    }

    /** Has a simulated kernel stand still until the test lets it go on; a test that has failed does not keep it for ever. */
    public static void awaitGoingOn(CountDownLatch latch) throws IOException {
        try {
            if (!latch.await(TestDaemon.PATIENCE.multipliedBy(2).toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException("has waited for too long");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Looks at something, and may fail with an exception, which ends the test. */
    public interface Look<E extends Exception> {
        boolean isSo() throws E;
    }

    /** Looks until something is so of which nobody tells: what the kernel and the JVM count. */
    public static <E extends Exception> void untilSo(String what, Look<E> so) throws E {
        long end = System.nanoTime() + TestDaemon.PATIENCE.toNanos();
        while (!so.isSo()) {
            if (System.nanoTime() > end) {
                throw new AssertionError(what + ": not so after " + TestDaemon.PATIENCE);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}
