package io.edgeplug.status;

import io.edgeplug.inventory.Monitor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
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
    private final Monitor monitor;
    private final LabelFile file;
    private final Clock clock;
    private final Thread thread;
    private Optional<String> told = Optional.empty();

    private LabelPublisher(NodeView view, Monitor monitor, Path directory, Clock clock) {
        this.view = view;
        this.monitor = monitor;
        this.file = new LabelFile(directory);
        this.clock = clock;
        // This is a platform thread, because a write to that directory may take any time.
        this.thread = Thread.ofPlatform().name("labels").daemon().unstarted(this::follow);
    }

    /** Starts. If the directory is missing, it is looked for again later. */
    public static LabelPublisher start(NodeView view, Monitor monitor, Path directory) {
        return start(view, monitor, directory, Clock.systemUTC());
    }

    static LabelPublisher start(NodeView view, Monitor monitor, Path directory, Clock clock) {
        LabelPublisher publisher = new LabelPublisher(view, monitor, directory, clock);
        publisher.thread.start();
        return publisher;
    }

    private void follow() {
        try {
            while (true) {
                // read first: what comes while the labels are written is news
                long generation = monitor.current().generation();
                publish();
                boolean isNews = monitor.awaitNewerThan(generation, LOOK).generation() > generation;
                if (isNews) {
                    var ignored = monitor.awaitNewerThan(Long.MAX_VALUE, BURST);
                }
            }
        } catch (InterruptedException e) {
            LOG.fine("no longer labelling the node");
        }
    }

    private void publish() {
        try {
            file.write(NodeLabels.of(view.read()), clock.instant());
            told = Optional.empty();
        } catch (IOException e) {
            Optional<String> problem = Optional.of("node labels: " + advice(String.valueOf(e.getMessage())));
            if (!problem.equals(told)) {
                LOG.warning(problem.orElseThrow());
                told = problem;
            }
        }
    }

    /** A directory that was made after the start is read-only in the sandbox of the service. */
    private static String advice(String problem) {
        return problem.contains("Read-only file system")
                ? problem + "; restart edgeplug: its sandbox opens the directory at its start"
                : problem;
    }

    /** Stops, but leaves the file to expire: a restart of the daemon must not remove the node's labels. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            boolean ignored = thread.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
