package io.edgeplug.api.kubelet;

import io.edgeplug.system.flow.Difference;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One device in the list for the kubelet, independent of the version of the API.
 *
 * @param numaNodes empty if the kubelet is told none
 */
record Advertised(String id, boolean healthy, List<Integer> numaNodes) {

    Advertised {
        numaNodes = List.copyOf(numaNodes);
    }

    // Lists of thousands are compared, and the method that records generate is several times slower.
    @Override
    public boolean equals(Object other) {
        return other instanceof Advertised that
                && healthy == that.healthy
                && id.equals(that.id)
                && numaNodes.equals(that.numaNodes);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    /**
     * Whether a healthy device has become unhealthy or is gone. The kubelet must know this before it gives the device
     * to a pod.
     */
    static boolean isWorse(Difference<Advertised> change) {
        Set<String> healthy = new HashSet<>();
        for (Advertised one : change.added()) {
            if (one.healthy()) {
                healthy.add(one.id());
            }
        }
        return change.removed().stream().anyMatch(one -> one.healthy() && !healthy.contains(one.id()));
    }
}
