package io.edgeplug.bench;

/**
 * What one thing takes.
 *
 * @param unit of the statistics: {@code ms}, {@code us}, {@code B}
 * @param samples how often it was done
 * @param floor the name of the figure of what it cannot do without, measured in the same run; empty if there is none
 */
record Figure(
        String name,
        String unit,
        long samples,
        double median,
        double p99,
        double p999,
        double max,
        String floor,
        Target target) {

    /** One that was measured once, or that is always the same. */
    static Figure single(String name, String unit, double value) {
        return new Figure(name, unit, 1, value, value, value, value, "", Target.NONE);
    }

    Figure above(String other) {
        return new Figure(name, unit, samples, median, p99, p999, max, other, target);
    }

    Figure with(Target wanted) {
        return new Figure(name, unit, samples, median, p99, p999, max, floor, wanted);
    }
}
