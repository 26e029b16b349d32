package io.edgeplug.bench;

import java.util.Arrays;

/** Durations of one thing that was done again and again. */
final class Samples {

    private long[] nanos = new long[64];
    private int count;

    void add(long duration) {
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * count);
        }
        nanos[count++] = duration;
    }

    /** In milliseconds. */
    Figure millis(String name) {
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return new Figure(
                name,
                "ms",
                count,
                millis(sorted, 0.5),
                millis(sorted, 0.99),
                millis(sorted, 0.999),
                millis(sorted, 1),
                "",
                Target.NONE);
    }

    /** The smallest that so great a part of all is not above. */
    private static double millis(long[] sorted, double part) {
        int index = Math.max(0, (int) Math.ceil(part * sorted.length) - 1);
        return sorted[index] / 1e6;
    }
}
