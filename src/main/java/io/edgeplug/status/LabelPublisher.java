package io.edgeplug.status;

import io.edgeplug.inventory.Monitor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.logging.Logger;

/** Keeps the labels of the node current in node-feature-discovery's directory, on a thread of its own, while this is open. */
public final class LabelPublisher implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(LabelPublisher.class.getName());

    /** Where node-feature-discovery looks by default. */
    public static final Path DIRECTORY = Path.of("/etc/kubernetes/node-feature-discovery/features.d");

    /** How often it is looked whether the file must be renewed, or its directory has come. */
    private static final Duration LOOK = Duration.ofSeconds(60);

    /** Devices come together, and each other file makes work for the API server. */
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
        // platform: where the directory is, a write may take as long as it likes
        this.thread = Thread.ofPlatform().name("labels").daemon().unstarted(this::follow);
    }

    /** Starts; a directory that is missing is looked for again. */
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

    /** A directory that came after the start is in the sandbox of the service, which may only be read. */
    private static String advice(String problem) {
        return problem.contains("Read-only file system")
                ? problem + "; restart edgeplug: its sandbox opens the directory at its start"
                : problem;
    }

    /** Stops, and leaves the file to expire: a daemon that is started again must not take the labels off the node. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            boolean ignored = thread.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Removes the file, once this is closed: the node is not to be labelled any more. */
    public void remove() {
        try {
            file.remove();
        } catch (IOException e) {
            LOG.warning("node labels: " + e.getMessage());
        }
    }
}
