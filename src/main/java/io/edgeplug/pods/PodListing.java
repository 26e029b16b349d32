package io.edgeplug.pods;

import io.edgeplug.linux.UnixRpc;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import java.util.logging.Logger;

/**
 * Asks the kubelet for its list of pods when requested, on a thread of its own, and keeps the last answer. Thread-safe.
 */
final class PodListing implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(PodListing.class.getName());

    /**
     * An answer of the kubelet.
     *
     * @param asked when it was asked, by {@link System#nanoTime}
     * @param names empty if there was no answer
     * @param kubelet the kubelet that answered; empty if another one came meanwhile
     */
    record Answer(long asked, Optional<PodNames> names, Optional<KubeletSocket> kubelet) {}

    private final Path root;
    private final PodResourcesClient client;
    private final Runnable answered;
    private final Semaphore requests = new Semaphore(0);
    private final Thread asking;

    private volatile Optional<Answer> last = Optional.empty();
    private volatile long count;

    /**
     * A listing that has not asked yet.
     *
     * @param root the kubelet's root directory
     * @param resources the resources whose devices it is asked for
     * @param answered called after each answer, even if there was none in time; it must return at once
     */
    PodListing(UnixRpc rpc, Path root, Predicate<String> resources, Runnable answered) {
        this.root = root;
        this.client = new PodResourcesClient(rpc, root, resources);
        this.answered = answered;
        this.asking = Thread.ofVirtual().name("pod resources").start(this::answerRequests);
    }

    /** Asks soon, and at most once a second. */
    void ask() {
        requests.release();
    }

    /** The last answer; empty if there is none yet. */
    Optional<Answer> last() {
        return last;
    }

    /** How often the kubelet has answered or failed to. */
    long answers() {
        return count;
    }

    private void answerRequests() {
        try {
            while (true) {
                requests.acquire();
                client.awaitTurn();
                int ignored = requests.drainPermits();
                long asked = System.nanoTime();
                Optional<KubeletSocket> before = KubeletSocket.find(root);
                Optional<PodNames> names = client.ask();
                Optional<KubeletSocket> after = KubeletSocket.find(root);
                last = Optional.of(new Answer(asked, names, before.filter(same -> after.equals(before))));
                long answers = count + 1;
                count = answers;
                answered.run();
            }
        } catch (InterruptedException e) {
            LOG.fine("the kubelet is no longer asked for its pods");
        }
    }

    @Override
    public void close() {
        asking.interrupt();
        try {
            boolean ignored = asking.join(Duration.ofSeconds(2));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
