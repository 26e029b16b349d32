package io.edgeplug.dra;

import java.util.ArrayList;
import java.util.List;

/**
 * The fields of slices that are behind feature gates, of which the API server drops those that it does not know.
 *
 * @param taints whether it keeps those of devices
 * @param counters whether it keeps those by which devices exclude each other
 */
record SliceFields(boolean taints, boolean counters) {

    /** Until the contrary is seen. */
    static final SliceFields ALL = new SliceFields(true, true);

    private static final String TAINTS = "\"taints\"";

    /** Of slices that have them, and of devices that consume them. */
    private static final String COUNTERS = "Counters\"";

    /** Whether some of what is in a slice is of no use without counters. */
    static boolean hasCounters(String content) {
        return content.contains(COUNTERS);
    }

    /** What follows from it that these are kept and no others any more, for a person. */
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

    /** Those that it keeps, by what it has kept of the content of a slice. */
    SliceFields after(String sent, String kept) {
        return new SliceFields(
                taints && (!sent.contains(TAINTS) || kept.contains(TAINTS)),
                counters && (!hasCounters(sent) || hasCounters(kept)));
    }
}
