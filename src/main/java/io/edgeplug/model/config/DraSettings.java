package io.edgeplug.model.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How devices of classes with {@code api = "dra"} are offered to the cluster.
 *
 * @param driver the name of the driver, by which claims choose it
 * @param nodeName the node's name; empty for that in the identity
 * @param kubeconfig the file with the API server and the identity to use there; empty for the kubelet's
 */
public record DraSettings(String driver, Optional<String> nodeName, Optional<Path> kubeconfig) {

    /** The default values. */
    public static final DraSettings DEFAULTS = new DraSettings("edgeplug.io", Optional.empty(), Optional.empty());
}
