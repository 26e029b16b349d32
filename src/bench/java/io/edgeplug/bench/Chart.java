package io.edgeplug.bench;

import com.google.gson.Gson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The main figures of a run as an SVG on a logarithmic scale, beside those of other plugins, which {@code src/bench/peers.json}
 * has: what was not measured in this run has no row.
 */
final class Chart {

    private static final Path PEERS = Path.of("src/bench/peers.json");

    private static final int WIDTH = 880;
    private static final int LEFT = 250;
    private static final int RIGHT = 640;

    /** Where the numbers end: edgeplug's, the best of the others', the floor's. */
    private static final List<Integer> COLUMNS = List.of(720, 790, 860);

    private static final int ROW = 26;
    private static final int TOP = 66;

    /** The ends of the scale, as powers of ten. */
    private static final int LEAST = -1;

    private static final int MOST = 5;

    /** In the order of the picture. */
    private record Peers(String about, List<Row> rows) {}

    /**
     * @param unit ms or MB
     * @param figure the name of edgeplug's own
     * @param floor the name of that of a plugin with nothing in it
     * @param best the least of the other plugins
     */
    private record Row(
            String what,
            String unit,
            String figure,
            @Nullable String floor,
            @Nullable Double best) {}

    private final StringBuilder svg = new StringBuilder();

    private Chart() {}

    /** Draws what of the rows is among the figures. */
    static String of(Map<String, Figure> figures) throws IOException {
        Peers peers = new Gson().fromJson(Files.readString(PEERS), Peers.class);
        List<Row> rows = new ArrayList<>(peers.rows());
        rows.removeIf(row -> !figures.containsKey(row.figure()));
        Chart chart = new Chart();
        chart.draw(rows, figures);
        return chart.svg.toString();
    }

    private void draw(List<Row> rows, Map<String, Figure> figures) {
        int bottom = TOP + rows.size() * ROW;
        add("""
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="title">
                <title id="title">edgeplug beside other device plugins, on a logarithmic scale: less is better</title>
                <style>
                text { font: 12px system-ui, sans-serif; fill: #333 }
                .number { font-size: 11px }
                .scale { stroke: #ccc }
                .ours { fill: #0a6ebd } .theirs { fill: #d9730d } .floor { fill: none; stroke: #777; stroke-width: 1.5 }
                @media (prefers-color-scheme: dark) {
                text { fill: #ddd } .scale { stroke: #444 } .ours { fill: #58a6ff } .theirs { fill: #f0a050 }
                .floor { stroke: #aaa } }
                </style>
                """, WIDTH, bottom + 28);
        legend();
        for (int power = LEAST; power <= MOST; power++) {
            double x = x(Math.pow(10, power));
            add("""
                    <line class="scale" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>
                    <text class="number" x="%.1f" y="%d" text-anchor="middle">%s</text>
                    """, x, TOP - 8, x, bottom, x, bottom + 16, number(Math.pow(10, power)));
        }
        int y = TOP + ROW / 2;
        for (Row row : rows) {
            row(row, y, figures);
            y += ROW;
        }
        add("</svg>\n");
    }

    private void legend() {
        add("""
                <circle class="ours" cx="%d" cy="16" r="5"/><text x="%d" y="20">edgeplug</text>
                <rect class="theirs" x="%d" y="11" width="10" height="10"/><text x="%d" y="20">best of three other plugins</text>
                <circle class="floor" cx="%d" cy="16" r="5"/><text x="%d" y="20">plugin in Go with nothing in it</text>
                """, LEFT, LEFT + 12, LEFT + 90, LEFT + 106, LEFT + 290, LEFT + 302);
        int y = TOP - 20;
        add("""
                <circle class="ours" cx="%d" cy="%d" r="5"/>
                <rect class="theirs" x="%d" y="%d" width="10" height="10"/>
                <circle class="floor" cx="%d" cy="%d" r="5"/>
                """, COLUMNS.get(0) - 6, y, COLUMNS.get(1) - 11, y - 5, COLUMNS.get(2) - 6, y);
    }

    private void row(Row row, int y, Map<String, Figure> figures) {
        add("""
                <text x="%d" y="%d" text-anchor="end">%s, %s</text>
                """, LEFT - 14, y + 4, row.what(), row.unit());
        Figure floor = row.floor() == null ? null : figures.get(row.floor());
        if (floor != null) {
            add("""
                    <circle class="floor" cx="%.1f" cy="%d" r="5"/>
                    """, x(value(floor)), y);
            number(2, y, value(floor));
        }
        Double best = row.best();
        if (best != null) {
            add("""
                    <rect class="theirs" x="%.1f" y="%d" width="10" height="10"/>
                    """, x(best) - 5, y - 5);
            number(1, y, best);
        }
        double ours = value(figures.get(row.figure()));
        add("""
                <circle class="ours" cx="%.1f" cy="%d" r="5"/>
                """, x(ours), y);
        number(0, y, ours);
    }

    private void number(int column, int y, double value) {
        add("""
                <text class="number" x="%d" y="%d" text-anchor="end">%s</text>
                """, COLUMNS.get(column), y + 4, number(value));
    }

    /** In ms or MB, whichever it is of. */
    private static double value(Figure figure) {
        return switch (figure.unit()) {
            case "us", "kB" -> figure.median() / 1000;
            default -> figure.median();
        };
    }

    private static double x(double value) {
        double power = Math.min(MOST, Math.max(LEAST, Math.log10(value)));
        return LEFT + (power - LEAST) / (MOST - LEAST) * (RIGHT - LEFT);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value >= 10 ? "%,.0f" : value >= 1 ? "%.1f" : "%.2f", value)
                .replaceFirst("(?<=\\.[0-9])0$|\\.0$", "");
    }

    private void add(String text, Object... values) {
        svg.append(values.length == 0 ? text : String.format(Locale.ROOT, text, values));
    }
}
