package io.edgeplug.api.metrics;

import java.io.IOException;
import java.io.Writer;
import java.util.Iterator;
import java.util.List;

/**
 * The text format of Prometheus, written line by line. So the metrics of thousands of devices never are in memory
 * together.
 *
 * <p>{@link #gauge}, {@link #counter} or {@link #histogram} begins a metric, and the series that follow belong to it. A
 * metric without series leaves no line.
 */
final class MetricText {

    static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final Writer out;
    private String name = "";
    private String head = "";

    MetricText(Writer out) {
        this.out = out;
    }

    void gauge(String of, String help) {
        begin(of, help, "gauge");
    }

    /** A counter, whose name gets {@code _total}. */
    void counter(String of, String help) {
        begin(of + "_total", help, "counter");
    }

    void histogram(String of, String help) {
        begin(of, help, "histogram");
    }

    private void begin(String of, String help, String type) {
        name = of;
        head = "# HELP " + of + " " + help + "\n# TYPE " + of + " " + type + "\n";
    }

    /**
     * Writes a series.
     *
     * @param labels as {@link #labels} makes them
     */
    void series(double value, String labels) throws IOException {
        line("", labels, Double.toString(value));
    }

    /** The same for a count, of which Prometheus keeps 53 bits. */
    void series(long value, String labels) throws IOException {
        series((double) value, labels);
    }

    /** Writes a series without labels. */
    void series(long value) throws IOException {
        series(value, "");
    }

    /**
     * Writes the series of a histogram.
     *
     * @param bounds the upper bounds of the buckets, without the last one, which has none
     * @param counts of each bucket, one more than the bounds
     */
    void histogram(String labels, List<Double> bounds, List<Long> counts, double sum) throws IOException {
        long all = 0;
        Iterator<Double> bound = bounds.iterator();
        for (long count : counts) {
            all += count;
            String most = bound.hasNext() ? Double.toString(bound.next()) : "+Inf";
            line("_bucket", labels + ",le=\"" + most + "\"", Long.toString(all));
        }
        line("_count", labels, Long.toString(all));
        line("_sum", labels, Double.toString(sum));
    }

    private void line(String suffix, String labels, String value) throws IOException {
        out.write(head);
        head = "";
        out.write(name);
        out.write(suffix);
        if (!labels.isEmpty()) {
            out.write('{');
            out.write(labels);
            out.write('}');
        }
        out.write(' ');
        out.write(value);
        out.write('\n');
    }

    /** The text of labels: names and values in turn. */
    static String labels(String... namesAndValues) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            text.append(i == 0 ? "" : ",").append(namesAndValues[i]).append("=\"");
            escape(namesAndValues[i + 1], text);
            text.append('"');
        }
        return text.toString();
    }

    private static void escape(String value, StringBuilder text) {
        for (int i = 0; i < value.length(); i++) {
            switch (value.charAt(i)) {
                case '\\' -> text.append("\\\\");
                case '"' -> text.append("\\\"");
                case '\n' -> text.append("\\n");
                default -> text.append(value.charAt(i));
            }
        }
    }
}
