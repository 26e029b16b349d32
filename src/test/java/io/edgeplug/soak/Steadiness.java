package io.edgeplug.soak;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;

/** How large the daemon was after each turn, to compare an early part with a late one. */
final class Steadiness {

    /** Before that the JVM still loads and compiles; and as much of the end is late. */
    private static final double EARLY = 0.3;

    private static final int FEWEST = 20;
    private static final long MORE_RESIDENT_KIB = 16 << 10;
    private static final int MORE_THREADS = 5;
    private static final int MORE_DESCRIPTORS = 8;

    private final List<List<Target.Size>> daemons = new ArrayList<>(List.of(new ArrayList<>()));

    /** From here on it is another daemon. */
    void begin() {
        daemons.add(new ArrayList<>());
    }

    void add(Target.Size size) {
        daemons.getLast().add(size);
    }

    /** What has grown, in the daemon that stood most turns. */
    List<String> growth() {
        List<String> growth = new ArrayList<>();
        if (longest().size() < FEWEST) {
            return growth;
        }
        compare("KiB resident", Target.Size::residentKiB, MORE_RESIDENT_KIB, growth);
        compare("threads", Target.Size::threads, MORE_THREADS, growth);
        compare("descriptors", Target.Size::descriptors, MORE_DESCRIPTORS, growth);
        return growth;
    }

    private void compare(String what, ToLongFunction<Target.Size> measure, long more, List<String> growth) {
        long early = early(measure);
        long late = late(measure);
        if (late > early + more) {
            growth.add("grew from " + early + " to " + late + " " + what);
        }
    }

    private List<Target.Size> longest() {
        return daemons.stream().max(Comparator.comparingInt(List::size)).orElseThrow();
    }

    private long early(ToLongFunction<Target.Size> measure) {
        List<Target.Size> all = longest();
        return median(all.subList((int) (all.size() * EARLY / 2), (int) (all.size() * EARLY) + 1), measure);
    }

    private long late(ToLongFunction<Target.Size> measure) {
        List<Target.Size> all = longest();
        return median(all.subList((int) (all.size() * (1 - EARLY / 2)), all.size()), measure);
    }

    private static long median(List<Target.Size> sizes, ToLongFunction<Target.Size> measure) {
        return sizes.stream()
                .mapToLong(measure)
                .sorted()
                .skip(sizes.size() / 2)
                .findFirst()
                .orElse(0);
    }

    @Override
    public String toString() {
        if (longest().isEmpty()) {
            return "no turn was stood";
        }
        return "of %d turns stood by one daemon, early and late: %,d and %,d KiB, %d and %d threads, %d and %d descriptors"
                .formatted(
                        longest().size(),
                        early(Target.Size::residentKiB),
                        late(Target.Size::residentKiB),
                        early(Target.Size::threads),
                        late(Target.Size::threads),
                        early(Target.Size::descriptors),
                        late(Target.Size::descriptors));
    }
}
