package io.edgeplug.api.metrics;

import io.edgeplug.api.status.NodeView;
import io.edgeplug.system.files.Sysfs;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The metrics of a node, served and written while this is open. */
public final class Metrics implements AutoCloseable {

    private final @Nullable MetricsServer server;
    private final @Nullable MetricsFile file;

    /**
     * Begins. A failure, such as an address that is not there yet, is logged and tried again.
     *
     * @param isThisNode whether {@code sysfs} belongs to the node that this runs on
     * @param listen where to serve them over HTTP; null for nowhere
     * @param textfile the file to write them to; null for none
     */
    public Metrics(
            NodeView view,
            Sysfs sysfs,
            boolean isThisNode,
            @Nullable InetSocketAddress listen,
            @Nullable Path textfile) {
        Scrape scrape = new Scrape(view, sysfs, isThisNode);
        this.server = listen == null ? null : new MetricsServer(listen, scrape);
        this.file = textfile == null ? null : new MetricsFile(scrape, textfile);
    }

    /** Waits for the address that serves them; empty if there is none in time. */
    public Optional<InetSocketAddress> awaitAddress(Duration patience) throws InterruptedException {
        return server != null && server.awaitListening(patience) ? address() : Optional.empty();
    }

    /** The address that serves them; empty if there is none yet. */
    public Optional<InetSocketAddress> address() {
        return server == null ? Optional.empty() : server.address();
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
        if (file != null) {
            file.close();
        }
    }
}
