package io.edgeplug.config;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What the daemon tells others than the kubelet; nothing unless it is said.
 *
 * @param metricsListen where metrics are served over HTTP
 * @param metricsTextfile the file that they are written to
 * @param nfdLabels whether the node is labelled through node-feature-discovery
 */
public record Reports(Optional<InetSocketAddress> metricsListen, Optional<Path> metricsTextfile, boolean nfdLabels) {

    /** What holds where nothing is said. */
    public static final Reports NONE = new Reports(Optional.empty(), Optional.empty(), false);

    /** Whether there are metrics. */
    public boolean hasMetrics() {
        return metricsListen.isPresent() || metricsTextfile.isPresent();
    }
}
