package io.edgeplug.api.metrics;

import io.edgeplug.system.files.ForeignDirectory;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.systemd.Outage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Writes the metrics into a file for node_exporter's textfile collector, again and again, on a thread of its own. */
final class MetricsFile implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(MetricsFile.class.getName());

    /** Most Prometheus servers scrape every 15 to 60 s. */
    private static final Duration EVERY = Duration.ofSeconds(15);

    private final Scrape scrape;
    private final ForeignDirectory directory;
    private final String name;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;
    private final Outage outage = new Outage(LOG);

    /** Writes from now on. */
    MetricsFile(Scrape scrape, Path file) {
        this.scrape = scrape;
        this.directory =
                new ForeignDirectory(Optional.ofNullable(file.getParent()).orElse(Path.of("/")));
        this.name = String.valueOf(file.getFileName());
        this.thread = Front.METRICS.platform("metrics file").start(this::write);
    }

    private void write() {
        try {
            do {
                boolean ignored = Front.METRICS.attempt(this::writeOnce);
            } while (!closed.await(EVERY.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            LOG.fine("no longer writing metrics");
        } finally {
            // An interrupted thread cannot open a directory.
            boolean ignored = Thread.interrupted();
            delete();
        }
    }

    /** Without a running daemon, the metrics would be wrong. */
    private void delete() {
        try {
            directory.delete(name);
        } catch (IOException e) {
            LOG.warning("metrics: " + e.getMessage());
        }
    }

    private void writeOnce() throws InterruptedException {
        try {
            directory.replace(name, scrape::write);
            outage.works();
        } catch (IOException e) {
            outage.failed(Level.WARNING, "metrics: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            if (!thread.join(Duration.ofSeconds(1))) {
                thread.interrupt();
                boolean ignored = thread.join(Duration.ofSeconds(1));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
