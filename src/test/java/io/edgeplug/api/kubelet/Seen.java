package io.edgeplug.api.kubelet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
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

    /** Looks until something is so of which nobody tells: what the kernel and the JVM count. */
    public static void untilSo(String what, BooleanSupplier so) {
        long end = System.nanoTime() + TestDaemon.PATIENCE.toNanos();
        while (!so.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError(what + ": not so after " + TestDaemon.PATIENCE);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}
