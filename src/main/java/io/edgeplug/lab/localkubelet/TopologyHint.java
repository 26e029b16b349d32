package io.edgeplug.lab.localkubelet;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Collectors;

/**
 * NUMA nodes that could give a container its devices. It follows devicemanager/topology_hints.go.
 *
 * @param mask a bit for each node; 0 means any, which is nil in Go
 * @param preferred whether fewer nodes could never be enough
 */
record TopologyHint(long mask, boolean preferred) {

    static final long ANY = 0;

    private static final TopologyHint NO_PREFERENCE = new TopologyHint(ANY, true);
    private static final TopologyHint IMPOSSIBLE = new TopologyHint(ANY, false);

    int count() {
        return Long.bitCount(mask);
    }

    static long mask(SortedSet<Integer> nodes) {
        return nodes.stream().mapToLong(node -> 1L << node).reduce(0, (one, other) -> one | other);
    }

    /** The hints of a resource of which the container holds nothing yet. */
    static List<TopologyHint> of(FreeDevices free, Set<String> reusable, int count, SortedSet<Integer> nodes) {
        if (!free.hasTopology()) {
            return List.of(NO_PREFERENCE);
        }
        SortedSet<String> available = free.available();
        long reusableOnly =
                reusable.stream().filter(id -> !available.contains(id)).count();
        if (available.size() + reusableOnly < count) {
            return List.of(IMPOSSIBLE);
        }
        return generate(free, available, reusable, count, nodes);
    }

    /** The hints of a resource of which the container already holds devices. */
    static List<TopologyHint> again(FreeDevices free, Set<String> held, int count, SortedSet<Integer> nodes) {
        if (!free.hasTopology()) {
            return List.of(NO_PREFERENCE);
        }
        return held.size() == count ? generate(free, held, Set.of(), count, nodes) : List.of(IMPOSSIBLE);
    }

    private static List<TopologyHint> generate(
            FreeDevices free, Set<String> available, Set<String> reusable, int count, SortedSet<Integer> nodes) {
        int fewest = nodes.size();
        List<Long> masks = new ArrayList<>();
        for (long mask : subsets(mask(nodes))) {
            if (matching(free, free.all().keySet(), mask) >= count) {
                fewest = Math.min(fewest, Long.bitCount(mask));
            }
            Set<String> placed = reusable.stream().filter(free::hasTopology).collect(Collectors.toSet());
            boolean allReusable = matching(free, placed, mask) == placed.size();
            if (allReusable && placed.size() + matching(free, available, mask) >= count) {
                masks.add(mask);
            }
        }
        int best = fewest;
        List<TopologyHint> hints = masks.stream()
                .map(mask -> new TopologyHint(mask, Long.bitCount(mask) == best))
                .toList();
        return hints.isEmpty() ? List.of(IMPOSSIBLE) : hints;
    }

    private static long matching(FreeDevices free, Set<String> ids, long mask) {
        return ids.stream().filter(id -> (free.mask(id) & mask) != 0).count();
    }

    /** All subsets that are not empty, the small ones first. */
    private static List<Long> subsets(long mask) {
        List<Long> subsets = new ArrayList<>();
        for (long subset = mask; subset != 0; subset = (subset - 1) & mask) {
            subsets.add(subset);
        }
        subsets.sort((one, other) -> {
            int byCount = Integer.compare(Long.bitCount(one), Long.bitCount(other));
            return byCount != 0 ? byCount : Long.compareUnsigned(one, other);
        });
        return subsets;
    }
}
