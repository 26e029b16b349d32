package io.edgeplug.dra;

import java.util.ArrayList;
import java.util.List;

/**
 * The fields of slices that are behind feature gates. An API server drops those that it does not know.
 *
 * @param taints whether it keeps the taints of devices
 * @param counters whether it keeps the counters, by which devices exclude each other
 * @param capacity whether it keeps that several claims may consume the capacity of a device
 */
record SliceFields(boolean taints, boolean counters, boolean capacity) {

    /** Servers are taken to keep all of them until they drop one. */
    static final SliceFields ALL = new SliceFields(true, true, true);

    private static final String TAINTS = "\"taints\"";

    /** The end of the field's name, both in slices with counters and in devices that consume them. */
    private static final String COUNTERS = "Counters\"";

    private static final String CAPACITY = "\"" + ShareCapacity.SEVERAL + "\"";

    /**
     * The fields to use after a server has refused a slice with this content. They are the same if it has none of the
     * fields that a server may refuse.
     */
    SliceFields afterRefusal(String content) {
        return new SliceFields(
                taints,
                counters && !content.contains(COUNTERS),
                // A slice never has both.
                capacity && !content.contains(CAPACITY));
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
        if (capacity && !kept.capacity) {
            lost.add(
                    "capacities that several claims consume (feature gate DRAConsumableCapacity), so each share is a device"
                            + " of its own");
        }
        return lost;
    }

    /** The fields that the server keeps, judged by the content of a slice that it has kept. */
    SliceFields after(String sent, String kept) {
        return new SliceFields(
                taints && isKept(TAINTS, sent, kept),
                counters && isKept(COUNTERS, sent, kept),
                capacity && isKept(CAPACITY, sent, kept));
    }

    private static boolean isKept(String field, String sent, String kept) {
        return !sent.contains(field) || kept.contains(field);
    }
}
