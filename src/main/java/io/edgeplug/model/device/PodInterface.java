package io.edgeplug.model.device;

import java.util.Optional;

/**
 * The network interface of a device that a pod has or gets as its own.
 *
 * @param name in the pod
 * @param nodeName on the node; empty once the interface is in the pod
 */
public record PodInterface(String name, Optional<String> nodeName) {}
