package io.edgeplug.api.metrics;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A counter of the kernel with its series, while they are read. */
final class Family {

    private final String name;
    private final String help;
    private final List<String> counters = new ArrayList<>();
    private final List<String> labels = new ArrayList<>();
    private double[] values = new double[16];

    /**
     * A counter without series.
     *
     * @param name without {@code _total}, which the name of a counter gets
     */
    Family(String name, String help) {
        this.name = name;
        this.help = help;
    }

    /** The name of the metric. */
    String name() {
        return name + "_total";
    }

    /**
     * Adds a series.
     *
     * @param of as {@link MetricText#labels} makes them
     */
    void add(double value, String of) {
        add(value, "", of);
    }

    /**
     * Adds a series, which takes some 30 bytes: a thousand ports have some fifty each, and nothing joins the texts of
     * their labels before they are written.
     *
     * @param counter the labels before the others, with a comma; the same object for all series of a counter
     * @param of the others, the same object for all series of a port
     */
    void add(double value, String counter, String of) {
        if (labels.size() == values.length) {
            values = Arrays.copyOf(values, 2 * values.length);
        }
        values[labels.size()] = value;
        counters.add(counter);
        labels.add(of);
    }

    void write(MetricText text) throws IOException {
        text.counter(name, help);
        for (int i = 0; i < labels.size(); i++) {
            text.series(values[i], counters.get(i) + labels.get(i));
        }
    }
}
