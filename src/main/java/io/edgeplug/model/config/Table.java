package io.edgeplug.model.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A TOML table while it is being read. Every key that is asked for is known, and {@link #rejectOthers} reports the
 * rest.
 *
 * <p>A value of the wrong type is reported as a mistake and then treated as missing.
 */
final class Table {

    private final Mistakes mistakes;
    private final Place place;
    private final Map<String, ?> values;
    private final @Nullable Table parent;
    private final List<Table> children = new ArrayList<>();
    private final Set<String> known = new LinkedHashSet<>();

    private Table(Mistakes mistakes, Place place, Map<String, ?> values, @Nullable Table parent) {
        this.mistakes = mistakes;
        this.place = place;
        this.values = values;
        this.parent = parent;
    }

    /** A file as a whole. */
    Table(Mistakes mistakes, String file, TomlLines lines, Map<String, ?> values) {
        this(mistakes, new Place(file, lines, "", ""), values, null);
    }

    /**
     * The place of a table.
     *
     * @param label the first words of its mistakes, such as {@code class 1: match.}
     * @param path of the table in the file, with numbers; empty for the file itself
     */
    private record Place(String file, TomlLines lines, String label, String path) {

        int line(String key) {
            return lines.line(path.isEmpty() ? key : path + "." + key);
        }

        Place of(String key, int number, String newLabel) {
            String table = (path.isEmpty() ? "" : path + ".") + key + "[" + number + "]";
            return new Place(file, lines, label + newLabel, table);
        }
    }

    void mistake(String key, String what) {
        mistakes.add(place.file(), place.line(key), place.label() + key + ": " + what);
    }

    /** The place for a person, for a mistake elsewhere. */
    String place() {
        return place.file() + ", line " + place.lines().line(place.path());
    }

    /** The name in its heading, such as {@code class.match}. */
    String name() {
        return place.path().replaceAll("\\[\\d+]", "");
    }

    Optional<Table> parent() {
        return Optional.ofNullable(parent);
    }

    List<Table> children() {
        return List.copyOf(children);
    }

    /** The keys that were asked for. */
    Set<String> known() {
        return Collections.unmodifiableSet(known);
    }

    Set<String> keys() {
        return Collections.unmodifiableSet(values.keySet());
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    Optional<String> string(String key) {
        return value(key, String.class, "a string in quotes").filter(text -> {
            if (text.isBlank()) {
                mistake(key, "must not be empty");
            }
            return !text.isBlank();
        });
    }

    /** Whether the value of a key with several types is of this one: String, List for an array, or Map for a table. */
    boolean has(String key, Class<?> type) {
        return type.isInstance(values.get(key));
    }

    /** Adds the mistake that a key's value does not have the required form. */
    void mistakeOfType(String key, String form) {
        known.add(key);
        Object value = values.get(key);
        mistake(key, "must be " + form + (value == null ? "" : ", not " + typeOf(value)));
    }

    /** The value as a table of strings; empty if it is missing. */
    SortedMap<String, String> texts(String key) {
        TreeMap<String, String> texts = new TreeMap<>();
        value(key, Map.class, "a table of strings, as { name = \"value\" }")
                .ifPresent(map -> stringKeys(map).forEach((name, element) -> {
                    if (element instanceof String text) {
                        texts.put(name, text);
                    } else {
                        mistake(key + "." + name, "must be a string in quotes, not " + typeOf(element));
                    }
                }));
        return texts;
    }

    Optional<Boolean> bool(String key) {
        return value(key, Boolean.class, "true or false");
    }

    /** A whole number in a range that includes both ends. */
    OptionalInt integer(String key, int from, int to) {
        return value(key, Long.class, "a whole number").flatMap(number -> inRange(key, number, from, to)).stream()
                .mapToInt(Integer::intValue)
                .findFirst();
    }

    /** Whole numbers in a range, in order. */
    List<Integer> integers(String key, int from, int to) {
        TreeSet<Integer> numbers = new TreeSet<>();
        for (Object element : array(key, "an array of whole numbers, as [" + from + "]")) {
            if (!(element instanceof Long number)) {
                mistake(key, "must be an array of whole numbers, but holds " + typeOf(element));
            } else if (!inRange(key, number, from, to).map(numbers::add).orElse(true)) {
                mistake(key, "has " + number + " twice");
            }
        }
        return List.copyOf(numbers);
    }

    private Optional<Integer> inRange(String key, long number, int from, int to) {
        if (number < from || number > to) {
            mistake(key, "must be " + from + " to " + to + ", not " + number);
            return Optional.empty();
        }
        return Optional.of((int) number);
    }

    private List<?> array(String key, String form) {
        Optional<List<?>> list = value(key, List.class, form).map(one -> one);
        if (list.filter(List::isEmpty).isPresent()) {
            mistake(key, "must not be an empty array");
        }
        return list.orElse(List.of());
    }

    /** A duration in a range that includes both ends: {@code "150ms"}, or a whole number of seconds. */
    Optional<Duration> duration(String key, Duration shortest, Duration longest) {
        known.add(key);
        Object value = values.get(key);
        Optional<Duration> duration = Optional.empty();
        if (value instanceof Long seconds) {
            duration = Optional.of(Duration.ofSeconds(seconds));
        } else if (value instanceof String text) {
            duration = DurationText.parse(text);
            if (duration.isEmpty()) {
                mistake(key, "\"" + text + "\" is not a duration, as \"150ms\", \"25s\", \"5m\" or \"1h\"");
            }
        } else if (value != null) {
            mistakeOfType(key, "a duration, as \"25s\" or a whole number of seconds");
        }
        if (duration.filter(one -> one.compareTo(shortest) < 0 || one.compareTo(longest) > 0)
                .isPresent()) {
            String found = value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
            String range = DurationText.of(shortest) + " to " + DurationText.of(longest);
            mistake(key, "must be " + range + ", not " + found);
            return Optional.empty();
        }
        return duration;
    }

    Optional<String> required(String key) {
        return requiring(key).string(key);
    }

    /** The same table, in which it is a mistake if the key is missing. */
    Table requiring(String key) {
        if (!has(key)) {
            known.add(key);
            mistake(key, "missing");
        }
        return this;
    }

    List<String> strings(String key) {
        List<String> texts = new ArrayList<>();
        for (Object element : array(key, "an array of strings, as [\"…\"]")) {
            if (element instanceof String text) {
                texts.add(text);
            } else {
                String quoted = element instanceof Long ? ": write it in quotes, \"" + element + "\"" : "";
                mistake(key, "must be an array of strings, but holds " + typeOf(element) + quoted);
            }
        }
        return texts;
    }

    /** The tables of a key that may stand once, as {@code [key]}, or several times, as {@code [[key]]}. */
    List<Table> tables(String key) {
        return tables(key, (number, map) -> key + ".");
    }

    /** The same, with a label for the mistakes of each, made of its number from 0 and its content. */
    List<Table> tables(String key, BiFunction<Integer, Map<String, ?>, String> label) {
        known.add(key);
        Object value = values.get(key);
        List<Table> tables = new ArrayList<>();
        for (Object element : value instanceof List<?> list ? list : value == null ? List.of() : List.of(value)) {
            if (element instanceof Map<?, ?> map) {
                Map<String, ?> keyed = stringKeys(map);
                Place of = place.of(key, tables.size(), label.apply(tables.size(), keyed));
                tables.add(new Table(mistakes, of, keyed, this));
            } else {
                mistake(key, "must be a table, as [" + key + "], not " + typeOf(element));
            }
        }
        children.addAll(tables);
        return tables;
    }

    /** The table of a key that may stand once. */
    Optional<Table> table(String key) {
        return value(key, Map.class, "a table, as [" + key + "]")
                .flatMap(map -> tables(key).stream().findFirst());
    }

    /** Adds a mistake for every key that nobody asked for, here and in the tables below. */
    void rejectOthers(KeyHints hints) {
        TreeSet<String> others = new TreeSet<>(values.keySet());
        others.removeAll(known);
        others.forEach(key -> mistake(key, hints.hint(key, this)));
        children.forEach(child -> child.rejectOthers(hints));
    }

    private <T> Optional<T> value(String key, Class<T> type, String form) {
        known.add(key);
        Object value = values.get(key);
        if (value == null) {
            return Optional.empty();
        }
        if (!type.isInstance(value)) {
            mistake(key, "must be " + form + ", not " + typeOf(value));
            return Optional.empty();
        }
        return Optional.of(type.cast(value));
    }

    private static Map<String, ?> stringKeys(Map<?, ?> map) {
        Map<String, Object> keyed = new TreeMap<>();
        // In an inline table, toml4j keeps the quotes of a key.
        map.forEach((key, value) -> keyed.put(String.valueOf(key).replaceFirst("^\"(.*)\"$", "$1"), value));
        return keyed;
    }

    private static String typeOf(Object value) {
        return switch (value) {
            case String text -> "a string";
            case Double number -> "a number with a fraction";
            case Number number -> "a number";
            case Boolean bool -> "a boolean";
            case List<?> list -> "an array";
            case Map<?, ?> map -> "a table";
            default -> "a date";
        };
    }
}
