package io.edgeplug.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.LinkedHashMap;
import java.util.Map;

/** One metric with its series, while they are collected. Each set of labels is there once. */
final class Family {

    private final String name;
    private final String help;
    private final String[] labels;
    private final Map<Labels, Double> series = new LinkedHashMap<>();

    /**
     * A metric without series.
     *
     * @param name without {@code _total}, which the name of a counter gets
     */
    Family(String name, String help, String... labels) {
        this.name = name;
        this.help = help;
        this.labels = labels;
    }

    /** Adds a series with these values of its labels. */
    void add(double value, String... values) {
        series.putIfAbsent(Labels.of(labels, values), value);
    }

    /** The same for a count, of which Prometheus keeps 53 bits. */
    void add(long value, String... values) {
        add((double) value, values);
    }

    MetricSnapshot gauge() {
        return new GaugeSnapshot(
                new MetricMetadata(name, help),
                series.entrySet().stream()
                        .map(one -> new GaugeDataPointSnapshot(one.getValue(), one.getKey(), null))
                        .toList());
    }

    MetricSnapshot counter() {
        return new CounterSnapshot(
                new MetricMetadata(name, help),
                series.entrySet().stream()
                        .map(one -> new CounterDataPointSnapshot(one.getValue(), one.getKey(), null, 0L))
                        .toList());
    }
}
