package io.edgeplug.lab.localkubelet;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the NUMA nodes for one container from the hints of all its resources. It follows topologymanager/policy.go and
 * the policies beside it.
 */
final class HintMerge {

    private final TopologyPolicy policy;
    private final long machine;

    HintMerge(TopologyPolicy policy, SortedSet<Integer> numaNodes) {
        this.policy = policy;
        this.machine = TopologyHint.mask(numaNodes);
    }

    /** The nodes to align on, as a mask; empty if the policy refuses the container. */
    Optional<Long> merge(List<List<TopologyHint>> hints) {
        return switch (policy) {
            case NONE -> Optional.of(TopologyHint.ANY);
            case BEST_EFFORT -> Optional.of(best(hints).mask());
            case RESTRICTED ->
                Optional.of(best(hints)).filter(TopologyHint::preferred).map(TopologyHint::mask);
            case SINGLE_NUMA_NODE ->
                Optional.of(best(onOneNode(hints)))
                        .filter(TopologyHint::preferred)
                        .map(hint -> hint.mask() == machine ? TopologyHint.ANY : hint.mask());
        };
    }

    private static List<List<TopologyHint>> onOneNode(List<List<TopologyHint>> hints) {
        return hints.stream()
                .map(resource -> resource.stream()
                        .filter(hint -> hint.preferred() && hint.count() <= 1)
                        .toList())
                .toList();
    }

    private TopologyHint best(List<List<TopologyHint>> hints) {
        int leastNodes = hints.stream()
                .mapToInt(resource -> resource.stream()
                        .mapToInt(TopologyHint::count)
                        .filter(count -> count > 0)
                        .min()
                        .orElse(0))
                .max()
                .orElse(0);
        TopologyHint best = best(hints, 0, List.of(), null, leastNodes);
        return best == null ? new TopologyHint(machine, false) : best;
    }

    /** Goes through all combinations of one hint for each resource. */
    private @Nullable TopologyHint best(
            List<List<TopologyHint>> hints,
            int resource,
            List<TopologyHint> taken,
            @Nullable TopologyHint soFar,
            int leastNodes) {
        if (resource == hints.size()) {
            return better(soFar, together(taken), leastNodes);
        }
        TopologyHint best = soFar;
        for (TopologyHint hint : hints.get(resource)) {
            List<TopologyHint> more =
                    Stream.concat(taken.stream(), Stream.of(hint)).toList();
            best = best(hints, resource + 1, more, best, leastNodes);
        }
        return best;
    }

    /** The nodes that all hints have. It is preferred only if all are preferred and equal. */
    private TopologyHint together(List<TopologyHint> hints) {
        long mask = machine;
        boolean preferred = true;
        Optional<Long> first = Optional.empty();
        for (TopologyHint hint : hints) {
            preferred &= hint.preferred();
            if (hint.mask() != TopologyHint.ANY) {
                first = first.or(() -> Optional.of(hint.mask()));
                preferred &= first.orElseThrow() == hint.mask();
                mask &= hint.mask();
            }
        }
        return new TopologyHint(mask, preferred);
    }

    private static @Nullable TopologyHint better(
            @Nullable TopologyHint current, TopologyHint candidate, int leastNodes) {
        boolean isBetter = candidate.count() > 0 && (current == null || isBetter(candidate, current, leastNodes));
        return isBetter ? candidate : current;
    }

    /**
     * A preferred hint is better than another. Among preferred hints, the narrower one is better. Among others, it is
     * the one that comes nearest to the least number of nodes that each resource alone needs, from below before from
     * above.
     */
    private static boolean isBetter(TopologyHint candidate, TopologyHint current, int leastNodes) {
        if (candidate.preferred() != current.preferred()) {
            return candidate.preferred();
        }
        if (candidate.preferred() || current.count() > leastNodes) {
            return isNarrower(candidate, current);
        }
        if (current.count() == leastNodes || candidate.count() == current.count()) {
            return candidate.count() == current.count() && isNarrower(candidate, current);
        }
        return candidate.count() <= leastNodes && candidate.count() > current.count();
    }

    /** Fewer nodes, or equally many with lower numbers. */
    private static boolean isNarrower(TopologyHint one, TopologyHint other) {
        return one.count() != other.count()
                ? one.count() < other.count()
                : Long.compareUnsigned(one.mask(), other.mask()) < 0;
    }
}
