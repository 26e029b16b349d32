package io.edgeplug.cli.devices;

import io.edgeplug.cli.options.Lines;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.system.kernel.PlainText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Devices as text in columns, or as JSON with the same rows. */
public record ColumnTable(List<Column> columns, List<Item> rows, Column.Sources sources) {

    private static final String NOTHING = "-";

    private static final Pattern NOTHING_AT_THE_END = Pattern.compile("( +-)+$");

    /** The column is cut to that width, and no further, to leave room for so much of the last column. */
    private record Cut(Column column, int shortest, int lastRoom) {}

    /**
     * First the ends of long IDs go. Rows that are folded for one word such as {@code healthy} cannot be read, so then
     * resources are cut too.
     */
    private static final List<Cut> CUTS =
            List.of(new Cut(Column.DEVICE, 16, 16), new Cut(Column.DEVICE, 12, 7), new Cut(Column.RESOURCE, 14, 7));

    /** One object, whose {@code devices} has an object for each row. An absent value is null. */
    public String json() {
        List<Map<String, Object>> objects = new ArrayList<>();
        for (Item row : rows) {
            Map<String, Object> object = new LinkedHashMap<>();
            columns.forEach(column ->
                    object.put(column.key(), column.value(row, sources).orElse(null)));
            objects.add(object);
        }
        return Lines.json(Map.of("devices", objects));
    }

    /**
     * A line for each row, with headings above if {@code headings}.
     *
     * @param most characters in a line, to which long IDs and resources are cut; {@link Integer#MAX_VALUE} if they stay
     *     whole
     */
    public List<String> lines(boolean headings, int most) {
        List<List<String>> cells = new ArrayList<>();
        if (headings) {
            cells.add(columns.stream().map(Column::name).toList());
        }
        for (Item row : rows) {
            cells.add(columns.stream()
                    .map(column ->
                            column.value(row, sources).map(ColumnTable::cell).orElse(NOTHING))
                    .toList());
        }
        List<List<String>> fitting = cells;
        for (Cut cut : CUTS) {
            fitting = cut(fitting, cut, most);
        }
        return padded(fitting).stream().map(line -> folding(line, most)).toList();
    }

    /** A line that is folded needs no further line to say that there is nothing. */
    private static String folding(String line, int most) {
        return line.length() > most ? NOTHING_AT_THE_END.matcher(line).replaceFirst("") : line;
    }

    /** Cuts a column as far as the others need the room. The last column is folded. */
    private List<List<String>> cut(List<List<String>> cells, Cut cut, int most) {
        int column = columns.indexOf(cut.column());
        int[] widths = widths(cells);
        int last = widths.length - 1;
        if (column < 0 || column >= last) {
            return cells;
        }
        int others = Math.min(widths[last], cut.lastRoom());
        for (int i = 0; i < last; i++) {
            others += i == column ? 2 : widths[i] + 2;
        }
        int room = Math.max(cut.shortest(), most - others);
        int end = end(cells.stream().map(line -> line.get(column)).distinct().toList(), room);
        return cells.stream()
                .map(line -> {
                    List<String> shorter = new ArrayList<>(line);
                    shorter.set(column, cut(line.get(column), room, end));
                    return shorter;
                })
                .<List<String>>map(List::copyOf)
                .toList();
    }

    /** How much of their ends stays: half, or more if some would look the same otherwise. */
    private static int end(List<String> texts, int room) {
        int half = (room - 1) / 2;
        return IntStream.range(half, room)
                .filter(end -> texts.stream()
                                .map(text -> cut(text, room, end))
                                .distinct()
                                .count()
                        == texts.size())
                .findFirst()
                .orElse(half);
    }

    /** Both ends of an ID tell it from others. */
    private static String cut(String text, int room, int end) {
        return text.length() <= room
                ? text
                : text.substring(0, room - 1 - end) + "…" + text.substring(text.length() - end);
    }

    private static int[] widths(List<List<String>> cells) {
        int[] widths = new int[cells.stream().mapToInt(List::size).max().orElse(0)];
        cells.forEach(line -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        });
        return widths;
    }

    /** Rows with equally many cells, aligned in columns. */
    public static List<String> padded(List<List<String>> cells) {
        int[] widths = widths(cells);
        return cells.stream().map(line -> padded(line, widths)).toList();
    }

    /** Control characters in a foreign name must not reach a terminal. */
    private static String cell(Object value) {
        return PlainText.of(value.toString());
    }

    private static String padded(List<String> line, int[] widths) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            text.append(line.get(i)).repeat(' ', widths[i] + 2 - line.get(i).length());
        }
        return text.toString().stripTrailing();
    }
}
