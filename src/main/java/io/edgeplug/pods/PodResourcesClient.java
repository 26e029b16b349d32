package io.edgeplug.pods;

import io.edgeplug.linux.UnixRpc;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Asks the kubelet which pods hold devices, at most once a second, because it limits the answers to all clients of the
 * node. A reason for a missing answer is logged once. One thread at a time.
 */
public final class PodResourcesClient {

    private static final Logger LOG = Logger.getLogger(PodResourcesClient.class.getName());
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final UnixRpc rpc;
    private final Path root;
    private final Predicate<String> resources;
    private final Duration patience;
    private final Outage outage = new Outage(LOG);
    private long next = System.nanoTime();

    /**
     * A client that keeps nothing open between its questions.
     *
     * @param root the kubelet's root directory
     * @param resources the resources whose devices it is asked for
     */
    public PodResourcesClient(UnixRpc rpc, Path root, Predicate<String> resources) {
        this(rpc, root, resources, Duration.ofSeconds(10));
    }

    PodResourcesClient(UnixRpc rpc, Path root, Predicate<String> resources, Duration patience) {
        this.rpc = rpc;
        this.root = root;
        this.resources = resources;
        this.patience = patience;
    }

    /** Waits until it may ask again. */
    void awaitTurn() throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
    }

    /** Waits until it may ask again, and asks; empty if the kubelet does not answer. */
    public Optional<PodNames> ask() throws InterruptedException {
        awaitTurn();
        try {
            PodNames names = PodNames.read(rpc, root, resources, patience);
            outage.works();
            return Optional.of(names);
        } catch (InterruptedIOException e) {
            throw new InterruptedException(e.getMessage());
        } catch (IOException e) {
            outage.failed(Level.INFO, e.getMessage() + "; pods are known by their UIDs only");
            return Optional.empty();
        } finally {
            next = System.nanoTime() + PAUSE.toNanos();
        }
    }
}
