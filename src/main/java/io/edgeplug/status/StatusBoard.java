package io.edgeplug.status;

import io.edgeplug.flow.Latest;
import io.edgeplug.linux.RecentLog;
import io.edgeplug.proto.status.Node;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;

/**
 * Keeps the newest status as a message for all who watch. While somebody watches, a thread of its own makes a message
 * of each change, once for all. Otherwise it only notes since when devices are unhealthy.
 */
final class StatusBoard implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(StatusBoard.class.getName());

    /** Of many changes at once, only the last is sent, because a person sees no difference. */
    private static final Duration BURST = Duration.ofMillis(20);

    /** Each watcher costs a waiting thread, and a message that waits to be read. */
    static final int MAX_WATCHERS = 100;

    private final NodeView view;
    private final StatusMessage message;
    private final Clock clock;
    private final Semaphore woken = new Semaphore(0);
    private final RecentLog log = RecentLog.open(this::wake);
    private final ProblemTimes problems = new ProblemTimes();
    private final Latest<Posted> newest = new Latest<>(new Posted(0, Node.getDefaultInstance()), Posted::number);
    private final AtomicInteger watchers = new AtomicInteger();
    private final Thread thread;

    /** A message with its number, which grows with each different one. */
    record Posted(long number, Node node) {}

    private StatusBoard(NodeView view, String version, Clock clock) {
        this.view = view;
        this.clock = clock;
        this.message = new StatusMessage(version, clock.instant());
        this.thread = Thread.ofVirtual().name("status").unstarted(this::keepCurrent);
    }

    /** Begins to note unhealthy devices. */
    static StatusBoard start(NodeView view, String version, Clock clock) {
        StatusBoard board = new StatusBoard(view, version, clock);
        board.wake();
        board.thread.start();
        return board;
    }

    /** Makes it look again soon. Any thread may call it and does not wait. */
    void wake() {
        if (woken.availablePermits() == 0) {
            woken.release();
        }
    }

    /** The present status. Reads the kubelet's notes, so never call it on a shared thread. */
    synchronized Node look() {
        NodeStatus status = view.read();
        problems.note(status, clock.instant());
        Node node = message.of(status, problems, log.lines());
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
        try {
            while (true) {
                woken.acquire();
                boolean ignored = woken.tryAcquire(Integer.MAX_VALUE, BURST.toMillis(), TimeUnit.MILLISECONDS);
                woken.drainPermits();
                if (watchers.get() > 0) {
                    Node unusedNode = look();
                } else {
                    noteProblems();
                }
            }
        } catch (InterruptedException e) {
            LOG.finest("no longer keeping the status");
        }
    }

    private synchronized void noteProblems() {
        problems.note(view.readWithoutHolders(), clock.instant());
    }

    @Override
    public void close() {
        log.close();
        thread.interrupt();
        try {
            boolean ignored = thread.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
