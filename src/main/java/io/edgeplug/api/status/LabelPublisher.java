package io.edgeplug.api.status;

import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.system.flow.Follower;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.kernel.KernelReason;
import io.edgeplug.system.systemd.Outage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Keeps the node's labels in node-feature-discovery's directory current, on a thread of its own, while this is open.
 */
public final class LabelPublisher implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(LabelPublisher.class.getName());

    /** The default directory of node-feature-discovery. */
    public static final Path DIRECTORY = Path.of("/etc/kubernetes/node-feature-discovery/features.d");

    /** How often to check whether the file must be renewed or its directory has appeared. */
    private static final Duration LOOK = Duration.ofSeconds(60);

    /** Devices come together, and each change of the file makes work for the API server. */
    private static final Duration BURST = Duration.ofSeconds(1);

    private final NodeView view;
    private final LabelFile file;
    private final Clock clock;
    private final Follower follower;
    private final Outage outage = new Outage(LOG);

    /** Starts. If the directory is missing, it is looked for again later. */
    public LabelPublisher(NodeView view, Monitor monitor, Path directory, Clock clock) {
        this.view = view;
        this.file = new LabelFile(directory);
        this.clock = clock;
        // This is a platform thread, because a write to that directory may take any time.
        this.follower = monitor.inventories().follow(Front.LABELS.platform("labels"), BURST, newest -> {
            boolean unusedOutcome = Front.LABELS.attempt(this::publish);
            return LOOK;
        });
    }

    private void publish() {
        try {
            file.write(NodeLabels.of(view.read()), clock.instant());
            outage.works();
        } catch (IOException e) {
            outage.failed(Level.WARNING, "node labels: " + advice(e));
        }
    }

    /** A directory that was made after the start is read-only in the sandbox of the service. */
    private static String advice(IOException problem) {
        return KernelReason.of(problem) == KernelReason.READ_ONLY
                ? problem.getMessage() + "; restart edgeplug: its sandbox opens the directory at its start"
                : String.valueOf(problem.getMessage());
    }

    /** Stops, but leaves the file to expire: a restart of the daemon must not remove the node's labels. */
    @Override
    public void close() {
        follower.close();
    }

    /** Removes the file after the close, because the node should have no labels any more. */
    public void remove() {
        try {
            file.remove();
        } catch (IOException e) {
            LOG.warning("node labels: " + e.getMessage());
        }
    }
}
