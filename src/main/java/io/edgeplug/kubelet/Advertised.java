package io.edgeplug.kubelet;

import io.edgeplug.flow.Difference;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the kubelet is told of one device, in whatever version of the API.
 *
 * @param numaNodes empty if it is not told of any
 */
record Advertised(String id, boolean healthy, List<Integer> numaNodes) {

    Advertised {
        numaNodes = List.copyOf(numaNodes);
    }

    // lists of thousands are compared, and a record's own is several times slower
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

    /** Whether a device that was healthy is gone or no longer so: the kubelet must know before it hands it out. */
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
