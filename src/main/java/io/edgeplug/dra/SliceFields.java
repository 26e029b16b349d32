package io.edgeplug.dra;

import java.util.ArrayList;
import java.util.List;

/**
 * The fields of slices that are behind feature gates. An API server drops those that it does not know.
 *
 * @param taints whether it keeps the taints of devices
 * @param counters whether it keeps the counters, by which devices exclude each other
 */
record SliceFields(boolean taints, boolean counters) {

    /** Servers are taken to keep all of them until they drop one. */
    static final SliceFields ALL = new SliceFields(true, true);

    private static final String TAINTS = "\"taints\"";

    /** The end of the field's name, both in slices with counters and in devices that consume them. */
    private static final String COUNTERS = "Counters\"";

    /** Whether a slice with this content is of no use without counters. */
    static boolean hasCounters(String content) {
        return content.contains(COUNTERS);
    }

    /** The consequences for a person if the server keeps only these fields. */
    List<String> lost(SliceFields kept) {
        List<String> lost = new ArrayList<>();
        if (taints && !kept.taints) {
            lost.add(
                    "taints of devices (feature gate DRADeviceTaints), so devices that are unhealthy are left out, and evict"
                            + " has no effect");
        }
        if (counters && !kept.counters) {
            lost.add(
                    "counters of devices (feature gate DRAPartitionableDevices), so of several faces of a device only one is"
                            + " published");
        }
        return lost;
    }

    SliceFields withoutCounters() {
        return new SliceFields(taints, false);
    }

    /** The fields that the server keeps, judged by the content of a slice that it has kept. */
    SliceFields after(String sent, String kept) {
        return new SliceFields(
                taints && (!sent.contains(TAINTS) || kept.contains(TAINTS)),
                counters && (!hasCounters(sent) || hasCounters(kept)));
    }
}
