package io.edgeplug.model.config;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Reports of the daemon other than to the kubelet; there are none by default.
 *
 * @param metricsListen where metrics are served over HTTP
 * @param metricsTextfile the file that metrics are written to
 * @param nfdLabels whether the node gets labels through node-feature-discovery
 */
public record Reports(Optional<InetSocketAddress> metricsListen, Optional<Path> metricsTextfile, boolean nfdLabels) {

    /** The default values. */
    public static final Reports NONE = new Reports(Optional.empty(), Optional.empty(), false);

    /** Whether there are metrics. */
    public boolean hasMetrics() {
        return metricsListen.isPresent() || metricsTextfile.isPresent();
    }
}
