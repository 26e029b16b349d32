package io.edgeplug.api.status;

import io.edgeplug.proto.status.Node;
import io.edgeplug.system.flow.Follower;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Latest;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps the newest status as a message for all who watch. While somebody watches, a thread of its own makes a message
 * of each change, once for all. Otherwise it only notes since when devices are unhealthy.
 */
final class StatusBoard implements AutoCloseable {

    /** Of many changes at once, only the last is sent, because a person sees no difference. */
    private static final Duration BURST = Duration.ofMillis(20);

    /** Each watcher costs a waiting thread, and a message that waits to be read. */
    static final int MAX_WATCHERS = 100;

    private final NodeView view;
    private final DaemonHistory history;
    private final Clock clock;
    private final Latest<Long> changes = new Latest<>(0L, Long::longValue);
    private final Runnable listener = this::wake;
    private final ProblemTimes problems = new ProblemTimes();
    private final Latest<Posted> newest = new Latest<>(new Posted(0, Node.getDefaultInstance()), Posted::number);
    private final AtomicInteger watchers = new AtomicInteger();
    private final Follower follower;

    /** A message with its number, which grows with each different one. */
    record Posted(long number, Node node) {}

    /** Begins to note unhealthy devices. */
    StatusBoard(NodeView view, DaemonHistory history, Clock clock) {
        this.view = view;
        this.history = history;
        this.clock = clock;
        history.log().addListener(listener);
        this.follower = changes.follow(Front.STATUS, "status", BURST, change -> keepCurrent());
    }

    /** Makes it look again soon. Any thread may call it and does not wait. */
    void wake() {
        Long ignored = changes.change(count -> count + 1);
    }

    /** The present status. May look at files, so never call it on a shared thread. */
    synchronized Node look() {
        NodeStatus status = view.read();
        problems.note(status, clock.instant());
        Node node = StatusMessage.of(status, problems, history);
        if (!newest.get().node().equals(node)) {
            Posted ignored = newest.change(older -> new Posted(older.number() + 1, node));
        }
        return node;
    }

    /** Waits for a message other than the one with that number; for watchers. */
    Posted awaitNewerThan(long number) throws InterruptedException {
        return newest.awaitNewerThan(number);
    }

    /** The newest message. */
    Posted newest() {
        return newest.get();
    }

    /**
     * Has messages made until {@link #unwatch}, unless there are too many watchers.
     *
     * @return whether they are made
     */
    boolean watch() {
        if (watchers.incrementAndGet() > MAX_WATCHERS) {
            watchers.decrementAndGet();
            return false;
        }
        return true;
    }

    void unwatch() {
        watchers.decrementAndGet();
    }

    private void keepCurrent() {
        if (watchers.get() > 0) {
            Node unusedNode = look();
        } else {
            noteProblems();
        }
    }

    private synchronized void noteProblems() {
        problems.note(view.read(), clock.instant());
    }

    @Override
    public void close() {
        history.log().removeListener(listener);
        follower.close();
    }
}
