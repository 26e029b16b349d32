package io.edgeplug.cli;

import com.google.gson.GsonBuilder;
import io.edgeplug.inventory.Inventory.Item;
import io.edgeplug.linux.PlainText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Devices as text in columns, or as JSON with the same rows. */
final class ColumnTable {

    private static final String NOTHING = "-";

    private final List<Column> columns;
    private final List<Item> rows;
    private final ColumnSources sources;

    ColumnTable(List<Column> columns, List<Item> rows, ColumnSources sources) {
        this.columns = columns;
        this.rows = rows;
        this.sources = sources;
    }

    /** One object, whose {@code devices} has an object for each row. An absent value is null. */
    String json() {
        List<Map<String, Object>> objects = new ArrayList<>();
        for (Item row : rows) {
            Map<String, Object> object = new LinkedHashMap<>();
            columns.forEach(column ->
                    object.put(column.key(), column.value(row, sources).orElse(null)));
            objects.add(object);
        }
        return PlainText.ofJson(new GsonBuilder()
                .serializeNulls()
                .setPrettyPrinting()
                .disableHtmlEscaping()
                .create()
                .toJson(Map.of("devices", objects)));
    }

    /** A line for each row, with headings above if {@code headings}. */
    List<String> lines(boolean headings) {
        List<List<String>> cells = new ArrayList<>();
        if (headings) {
            cells.add(columns.stream().map(Column::name).toList());
        }
        for (Item row : rows) {
            cells.add(columns.stream()
                    .map(column -> cell(column.value(row, sources)))
                    .toList());
        }
        return padded(cells);
    }

    /** Rows with equally many cells, aligned in columns. */
    static List<String> padded(List<List<String>> cells) {
        int[] widths = new int[cells.stream().mapToInt(List::size).max().orElse(0)];
        cells.forEach(line -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        });
        return cells.stream().map(line -> padded(line, widths)).toList();
    }

    /** Control characters in a foreign name must not reach a terminal. */
    private static String cell(Optional<?> value) {
        return value.map(text -> PlainText.of(text.toString())).orElse(NOTHING);
    }

    private static String padded(List<String> line, int[] widths) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            text.append(line.get(i)).repeat(' ', widths[i] + 2 - line.get(i).length());
        }
        return text.toString().stripTrailing();
    }
}
