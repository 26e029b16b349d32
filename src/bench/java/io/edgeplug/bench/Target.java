package io.edgeplug.bench;

import java.util.Locale;
import java.util.Map;

/**
 * What a figure should be at most on an idle machine.
 *
 * @param timesFloor whether the limit is a multiple of the same statistic of the figure's floor
 */
record Target(Statistic statistic, double limit, boolean timesFloor) {

    static final Target NONE = new Target(Statistic.MEDIAN, Double.POSITIVE_INFINITY, false);

    enum Statistic {
        MEDIAN,
        P99
    }

    static Target median(double limit) {
        return new Target(Statistic.MEDIAN, limit, false);
    }

    static Target p99(double limit) {
        return new Target(Statistic.P99, limit, false);
    }

    /** The median, as a multiple of that of its floor. */
    static Target timesFloor(double factor) {
        return new Target(Statistic.MEDIAN, factor, true);
    }

    /** The 99th percentile, as a multiple of that of its floor. */
    static Target p99TimesFloor(double factor) {
        return new Target(Statistic.P99, factor, true);
    }

    /** For the table: the target and whether it is reached, or nothing. */
    String verdict(Figure figure, Map<String, Figure> all) {
        if (limit == Double.POSITIVE_INFINITY) {
            return "";
        }
        Figure floor = all.get(figure.floor());
        double most = timesFloor ? floor == null ? Double.NaN : limit * of(floor) : limit;
        String what = statistic == Statistic.P99 ? "p99" : "median";
        String text = timesFloor
                ? String.format(Locale.ROOT, "%s <= %.1f x floor", what, limit)
                : String.format(Locale.ROOT, "%s <= %.0f", what, limit);
        return text + (of(figure) <= most ? ": yes" : ": NO");
    }

    private double of(Figure figure) {
        return statistic == Statistic.P99 ? figure.p99() : figure.median();
    }
}
