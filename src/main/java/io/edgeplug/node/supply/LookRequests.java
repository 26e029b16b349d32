package io.edgeplug.node.supply;

import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Latest;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Requests to the thread of a supply. They add up to one request until the thread takes it; thread-safe. */
final class LookRequests {

    private final AtomicReference<Request> pending = new AtomicReference<>(Request.NOTHING);
    private final Semaphore bell = new Semaphore(0);

    /** How many callers have waited for a full look, and the last of them that was answered. */
    private final AtomicLong callers = new AtomicLong();

    private final Latest<Long> answered = new Latest<>(0L, Long::longValue);

    enum Extent {
        /** Changed devices, and those with a problem. */
        CHANGES,
        /** These, and devices with a node or file that has changed. */
        UPKEEP,
        /** Everything, with the content of each file. */
        ALL
    }

    /**
     * What the thread should look at.
     *
     * @param nodes paths of device nodes that may have come or gone
     * @param caller the last caller that waits for it; 0 if there is none
     */
    record Request(Extent extent, Set<String> nodes, long caller) {

        private static final Request NOTHING = new Request(Extent.CHANGES, Set.of(), 0);
        private static final Request UPKEEP = new Request(Extent.UPKEEP, Set.of(), 0);

        private Request and(Request other) {
            Set<String> both = new HashSet<>(nodes);
            both.addAll(other.nodes);
            return new Request(
                    extent.compareTo(other.extent) > 0 ? extent : other.extent, both, Math.max(caller, other.caller));
        }
    }

    /** Wakes the thread to look at changes. */
    void wake() {
        bell.release();
    }

    void add(Extent extent, Set<String> nodes) {
        add(new Request(extent, nodes, 0));
    }

    private void add(Request request) {
        Request ignored = pending.accumulateAndGet(request, Request::and);
        wake();
    }

    /** Requests a full look, and waits, up to a limit, for the end of one that begins later. */
    void addAndAwait(Duration patience) throws InterruptedException {
        long caller = callers.incrementAndGet();
        add(new Request(Extent.ALL, Set.of(), caller));
        Long ignored = answered.awaitNewerThan(caller - 1, patience);
    }

    /**
     * Waits until the thread is woken, and returns everything that was requested meanwhile; with upkeep once it is due.
     */
    Request await(Deadline due) throws InterruptedException {
        boolean isWoken = bell.tryAcquire(due.left().toNanos(), TimeUnit.NANOSECONDS);
        int ignored = bell.drainPermits();
        Request request = Objects.requireNonNull(pending.getAndSet(Request.NOTHING));
        return isWoken ? request : request.and(Request.UPKEEP);
    }

    /** Reports that the request was done. */
    void answer(Request request) {
        Long ignored = answered.change(before -> Math.max(before, request.caller()));
    }
}
