package io.edgeplug.node.pods;

import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Threads;
import io.edgeplug.system.rpc.UnixRpc;
import io.edgeplug.system.systemd.Outage;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Asks the kubelet which pods hold devices when requested, on a thread of its own, and keeps the last answer. It asks at
 * most once a second, because the kubelet limits the answers to all clients of the node. Thread-safe.
 */
final class PodListing implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(PodListing.class.getName());

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /**
     * An answer of the kubelet.
     *
     * @param asked when it was asked, by {@link System#nanoTime}
     * @param names empty if there was no answer
     * @param kubelet the kubelet that answered; empty if another one came meanwhile
     */
    record Answer(long asked, Optional<PodNames> names, Optional<KubeletSocket> kubelet) {}

    private final Path root;
    private final UnixRpc rpc;
    private final Predicate<String> resources;
    private final Duration patience;
    private final Runnable answered;
    private final Outage outage = new Outage(LOG);
    private final Semaphore requests = new Semaphore(0);
    private final Thread asking;

    private volatile @Nullable Answer last;
    private volatile long count;

    /**
     * A listing that has not asked yet.
     *
     * @param root the kubelet's root directory
     * @param resources the resources whose devices it is asked for
     * @param patience how long it may take to answer
     * @param answered called after each answer, even if there was none in time; it must return at once
     */
    PodListing(UnixRpc rpc, Path root, Predicate<String> resources, Duration patience, Runnable answered) {
        this.rpc = rpc;
        this.root = root;
        this.resources = resources;
        this.patience = patience;
        this.answered = answered;
        this.asking = Thread.ofVirtual().name("pod resources").start(this::answerRequests);
    }

    /** Asks soon, and at most once a second. */
    void ask() {
        requests.release();
    }

    /** The last answer; empty if there is none yet. */
    Optional<Answer> last() {
        return Optional.ofNullable(last);
    }

    /** How often the kubelet has answered or failed to. */
    long answers() {
        return count;
    }

    private void answerRequests() {
        try {
            Deadline next = Deadline.in(Duration.ZERO);
            while (true) {
                requests.acquire();
                next.await();
                int ignored = requests.drainPermits();
                long asked = System.nanoTime();
                Optional<KubeletSocket> before = KubeletSocket.find(root.resolve(PodNames.SOCKET));
                Optional<PodNames> names = fetch();
                Optional<KubeletSocket> after = KubeletSocket.find(root.resolve(PodNames.SOCKET));
                last = new Answer(asked, names, before.filter(same -> after.equals(before)));
                next = Deadline.in(PAUSE);
                long answers = count + 1;
                count = answers;
                answered.run();
            }
        } catch (InterruptedException e) {
            LOG.fine("the kubelet is no longer asked for its pods");
        }
    }

    /** Asks now; empty if the kubelet does not answer. Each reason for that is logged once. */
    Optional<PodNames> fetch() throws InterruptedException {
        try {
            PodNames names = PodNames.read(rpc, root, resources, patience);
            outage.works();
            return Optional.of(names);
        } catch (InterruptedIOException e) {
            throw new InterruptedException(e.getMessage());
        } catch (IOException e) {
            outage.failed(Level.INFO, e.getMessage() + "; pods are known by their UIDs only");
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        Threads.end(asking);
    }
}
