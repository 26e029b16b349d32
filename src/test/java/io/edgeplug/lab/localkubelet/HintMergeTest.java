package io.edgeplug.lab.localkubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The topology manager's choice, on a machine of four NUMA nodes. */
class HintMergeTest {

    private static final SortedSet<Integer> NODES = new TreeSet<>(Set.of(0, 1, 2, 3));
    private static final long ALL = 0b1111;

    @Test
    void nothingAskedForMeansAnyNode() {
        assertThat(merge(TopologyPolicy.NONE, hint(0b10, false))).contains(TopologyHint.ANY);
        assertThat(new HintMerge(TopologyPolicy.RESTRICTED, NODES).merge(List.of()))
                .contains(ALL);
        assertThat(new HintMerge(TopologyPolicy.SINGLE_NUMA_NODE, NODES).merge(List.of()))
                .contains(TopologyHint.ANY);
    }

    @Test
    void narrowestPreferredNodesOfTheLowestNumbersAreTaken() {
        assertThat(merge(TopologyPolicy.RESTRICTED, hint(0b1100, true), hint(0b0100, true), hint(0b1000, true)))
                .contains(0b0100L);
    }

    @Test
    void preferredHintsOfDifferentNodesAreNotPreferredTogether() {
        List<List<TopologyHint>> hints = List.of(List.of(hint(0b0011, true)), List.of(hint(0b0010, true)));
        assertThat(new HintMerge(TopologyPolicy.RESTRICTED, NODES).merge(hints)).isEmpty();
        assertThat(new HintMerge(TopologyPolicy.BEST_EFFORT, NODES).merge(hints))
                .contains(0b0010L);
    }

    @Test
    void resourcesWithoutCommonNodesGetAll() {
        List<List<TopologyHint>> hints = List.of(List.of(hint(0b0001, true)), List.of(hint(0b0010, true)));
        assertThat(new HintMerge(TopologyPolicy.BEST_EFFORT, NODES).merge(hints))
                .contains(ALL);
        assertThat(new HintMerge(TopologyPolicy.SINGLE_NUMA_NODE, NODES).merge(hints))
                .isEmpty();
    }

    @Test
    void unpreferredNodesAreAsManyAsEachResourceNeeds() {
        // the second resource does with no fewer than two nodes, so one node of the first is too narrow
        List<List<TopologyHint>> hints = List.of(
                List.of(hint(0b0001, false), hint(0b0011, false), hint(0b1111, false)),
                List.of(hint(0b0011, false), hint(0b1111, false)));
        assertThat(new HintMerge(TopologyPolicy.BEST_EFFORT, NODES).merge(hints))
                .contains(0b0011L);
    }

    @Test
    void singleNumaNodeTakesNoHintOfTwoNodes() {
        assertThat(merge(TopologyPolicy.SINGLE_NUMA_NODE, hint(0b0011, true))).isEmpty();
        assertThat(merge(TopologyPolicy.RESTRICTED, hint(0b0011, true))).contains(0b0011L);
    }

    @Test
    void hintsArePreferredByWhatTheWholeResourceCouldDo() {
        FreeDevices free = free(Map.of("a", 0L, "b", 0L, "c", 1L), Set.of("a"));
        assertThat(TopologyHint.of(free, Set.of(), 2, new TreeSet<>(Set.of(0, 1))))
                .containsExactly(hint(0b11, false));
        assertThat(TopologyHint.of(free, Set.of("a"), 2, new TreeSet<>(Set.of(0, 1))))
                .containsExactly(hint(0b01, true), hint(0b11, false));
        assertThat(TopologyHint.of(free, Set.of(), 3, new TreeSet<>(Set.of(0, 1))))
                .containsExactly(new TopologyHint(TopologyHint.ANY, false));
    }

    private static FreeDevices free(Map<String, Long> nodes, Set<String> inUse) {
        TreeMap<String, ListedDevice> devices = new TreeMap<>();
        nodes.forEach((id, node) -> devices.put(id, new ListedDevice(id, true, List.of(node))));
        return new FreeDevices(devices, new TreeSet<>(nodes.keySet()), new TreeSet<>(inUse));
    }

    private static Optional<Long> merge(TopologyPolicy policy, TopologyHint... hints) {
        return new HintMerge(policy, NODES).merge(List.of(List.of(hints)));
    }

    private static TopologyHint hint(long mask, boolean preferred) {
        return new TopologyHint(mask, preferred);
    }
}
