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
 * Has the newest status as a message, for all who want to see it. While somebody watches, a thread of its own works each
 * change out, once for all of them; otherwise it only notes since when devices are unhealthy.
 */
final class StatusBoard implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(StatusBoard.class.getName());

    /** Of many changes that come together, the last one is told; a person sees no difference. */
    private static final Duration BURST = Duration.ofMillis(20);

    /** Each costs a thread that waits, and one message that waits to be read. */
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

    /** A message, and its number, which is higher for each that differs. */
    record Posted(long number, Node node) {}

    private StatusBoard(NodeView view, String version, Clock clock) {
        this.view = view;
        this.clock = clock;
        this.message = new StatusMessage(version, clock.instant());
        this.thread = Thread.ofVirtual().name("status").unstarted(this::keepCurrent);
    }

    /** Begins to note what is unhealthy. */
    static StatusBoard start(NodeView view, String version, Clock clock) {
        StatusBoard board = new StatusBoard(view, version, clock);
        board.wake();
        board.thread.start();
        return board;
    }

    /** Has it look again soon; from any thread, which does not wait. */
    void wake() {
        if (woken.availablePermits() == 0) {
            woken.release();
        }
    }

    /** How things are now. Reads the kubelet's notes, so never on a shared thread. */
    synchronized Node look() {
        NodeStatus status = view.read();
        problems.note(status, clock.instant());
        Node node = message.of(status, problems, log.lines());
        if (!newest.get().node().equals(node)) {
            Posted ignored = newest.change(older -> new Posted(older.number() + 1, node));
        }
        return node;
    }

    /** Waits for a message that differs from the one with that number; for those who watch. */
    Posted awaitNewerThan(long number) throws InterruptedException {
        return newest.awaitNewerThan(number);
    }

    /** The newest message that was worked out. */
    Posted newest() {
        return newest.get();
    }

    /**
     * Has changes worked out until {@link #unwatch}, unless too many watch already.
     *
     * @return whether they are
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
