package io.edgeplug.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How devices of classes with {@code api = "dra"} are offered to the cluster.
 *
 * @param driver the name of the driver, by which claims know who prepares them
 * @param nodeName the node's name; empty if it is that of the identity
 * @param kubeconfig where the API server is and as whom to speak with it; empty if it is the kubelet's
 */
public record DraSettings(String driver, Optional<String> nodeName, Optional<Path> kubeconfig) {

    /** What holds where nothing is said. */
    public static final DraSettings DEFAULTS = new DraSettings("edgeplug.io", Optional.empty(), Optional.empty());
}
