package io.edgeplug.localkubelet;

/**
 * How a kubelet aligns the devices of one container on NUMA nodes; its {@code topologyManagerPolicy}, with the scope
 * {@code container} (pkg/kubelet/cm/topologymanager).
 */
public enum TopologyPolicy {
    /** Not at all. */
    NONE,
    /** Where it can; no pod is refused for it. */
    BEST_EFFORT,
    /** On as few nodes as the node's devices ever would allow, or not at all. */
    RESTRICTED,
    /** On one node, or not at all. */
    SINGLE_NUMA_NODE
}
