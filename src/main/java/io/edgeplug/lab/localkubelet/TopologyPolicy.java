package io.edgeplug.lab.localkubelet;

/**
 * How a kubelet aligns the devices of one container on NUMA nodes: its {@code topologyManagerPolicy} with the scope
 * {@code container} (pkg/kubelet/cm/topologymanager).
 */
public enum TopologyPolicy {
    /** Not at all. */
    NONE,
    /** If possible; no pod is refused for it. */
    BEST_EFFORT,
    /** On the fewest nodes that the node's devices could ever need, or refused. */
    RESTRICTED,
    /** On one node, or refused. */
    SINGLE_NUMA_NODE
}
