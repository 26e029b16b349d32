package io.edgeplug.model.rules;

import java.util.List;

/**
 * Which devices of a resource go to one container, and near which NUMA nodes.
 *
 * @param preference how a container's devices are spread over PFs
 * @param excludeTopology whether the kubelet is not told the NUMA nodes, so that it places pods without regard to them
 * @param numaNodes the NUMA nodes of all devices; none if those of the kernel count
 */
public record Placement(Preference preference, boolean excludeTopology, List<Integer> numaNodes) {

    /** That of a class without such keys. */
    public static final Placement USUAL = new Placement(Preference.PACK, false, List.of());

    public Placement {
        numaNodes = List.copyOf(numaNodes);
    }
}
