package io.edgeplug.metrics;

import io.edgeplug.linux.Sysfs;
import io.edgeplug.status.NodeView;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;

/** The metrics of a node, served and written while this is open. */
public final class Metrics implements AutoCloseable {

    private final Optional<MetricsServer> server;
    private final Optional<MetricsFile> file;

    private Metrics(Optional<MetricsServer> server, Optional<MetricsFile> file) {
        this.server = server;
        this.file = file;
    }

    /**
     * Begins. A failure, such as an address that is not there yet, is logged and tried again.
     *
     * @param isThisNode whether {@code sysfs} belongs to the node that this runs on
     * @param listen where to serve them over HTTP
     * @param textfile the file to write them to
     */
    public static Metrics start(
            NodeView view,
            Sysfs sysfs,
            boolean isThisNode,
            Optional<InetSocketAddress> listen,
            Optional<Path> textfile) {
        Scrape scrape = new Scrape(view, sysfs, isThisNode);
        return new Metrics(
                listen.map(address -> MetricsServer.start(address, scrape)),
                textfile.map(path -> MetricsFile.start(scrape, path)));
    }

    /** The address that serves them; empty if there is none yet. */
    public Optional<InetSocketAddress> address() {
        return server.flatMap(MetricsServer::address);
    }

    @Override
    public void close() {
        server.ifPresent(MetricsServer::close);
        file.ifPresent(MetricsFile::close);
    }
}
