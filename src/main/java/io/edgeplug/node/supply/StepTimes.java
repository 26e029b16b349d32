package io.edgeplug.node.supply;

import io.edgeplug.model.device.ResourceName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The durations of preparation steps, as a histogram for each resource and step; thread-safe. */
public final class StepTimes {

    /** The upper bounds of the histogram in seconds. A reset takes 0.1 s, an FPGA image up to a minute. */
    public static final List<Double> BOUNDS = List.of(0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0);

    private final Map<Key, long[]> counts = new ConcurrentHashMap<>();

    /**
     * The durations of one step in all successful preparations of a resource's devices.
     *
     * @param step the key in the configuration, such as {@code reset}
     * @param counts of durations between each of the {@link #BOUNDS} and the one before; the last counts those above all
     * @param sum of all durations, in seconds
     */
    public record StepTime(ResourceName resource, String step, List<Long> counts, double sum) {

        public StepTime {
            counts = List.copyOf(counts);
        }
    }

    StepTimes() {}

    private record Key(ResourceName resource, String step) {}

    void add(ResourceName resource, String step, Duration took) {
        double seconds = took.toNanos() / 1e9;
        int bucket = 0;
        while (bucket < BOUNDS.size() && seconds > BOUNDS.get(bucket)) {
            bucket++;
        }
        int at = bucket;
        counts.compute(new Key(resource, step), (key, before) -> {
            // It must be a copy, because other threads read the old one.
            long[] after = before == null ? new long[BOUNDS.size() + 2] : before.clone();
            after[at]++;
            after[after.length - 1] += took.toNanos();
            return after;
        });
    }

    List<StepTime> times() {
        List<StepTime> times = new ArrayList<>();
        counts.forEach((key, all) -> {
            List<Long> buckets = new ArrayList<>();
            for (int i = 0; i <= BOUNDS.size(); i++) {
                buckets.add(all[i]);
            }
            times.add(new StepTime(key.resource(), key.step(), buckets, all[all.length - 1] / 1e9));
        });
        return times;
    }
}
