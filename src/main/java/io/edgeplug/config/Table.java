package io.edgeplug.config;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One TOML table while it is read: every key that is asked for is known, and {@link #rejectOthers} tells the rest.
 *
 * <p>A value of a wrong type is told and then absent.
 */
final class Table {

    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h)");
    private static final Map<String, ChronoUnit> UNITS =
            Map.of("ms", ChronoUnit.MILLIS, "s", ChronoUnit.SECONDS, "m", ChronoUnit.MINUTES, "h", ChronoUnit.HOURS);

    private final Mistakes mistakes;
    private final String where;
    private final Map<String, ?> values;
    private final Set<String> known = new LinkedHashSet<>();

    /** A table whose mistakes begin with {@code where}, to which a key is added as is: {@code file: class 1: match.}. */
    Table(Mistakes mistakes, String where, Map<String, ?> values) {
        this.mistakes = mistakes;
        this.where = where;
        this.values = values;
    }

    void mistake(String key, String what) {
        mistakes.add(where + key, what);
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

    /** Whether a key that may have other types too has a string. */
    boolean isString(String key) {
        return values.get(key) instanceof String;
    }

    /** Whether a key that may have other types too has a table. */
    boolean isTable(String key) {
        return values.get(key) instanceof Map;
    }

    /** Tells that a key's value is not of the form that it must have. */
    void mistakeOfType(String key, String form) {
        known.add(key);
        Object value = values.get(key);
        mistake(key, "must be " + form + (value == null ? "" : ", not " + typeOf(value)));
    }

    /** A table of strings; none if it is missing. */
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

    /** A whole number in a range, both ends of which are in it. */
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

    /** A duration in a range, both ends of which are in it: {@code "150ms"}, or a whole number of seconds. */
    Optional<Duration> duration(String key, Duration shortest, Duration longest) {
        known.add(key);
        Object value = values.get(key);
        Optional<Duration> duration = Optional.empty();
        if (value instanceof Long seconds) {
            duration = Optional.of(Duration.ofSeconds(seconds));
        } else if (value instanceof String text) {
            Matcher parts = DURATION.matcher(text);
            duration = parts.matches()
                    ? Optional.of(Duration.of(
                            Long.parseLong(parts.group(1)), Objects.requireNonNull(UNITS.get(parts.group(2)))))
                    : Optional.empty();
            if (duration.isEmpty()) {
                mistake(key, "\"" + text + "\" is not a duration, as \"150ms\", \"25s\", \"5m\" or \"1h\"");
            }
        } else if (value != null) {
            mistakeOfType(key, "a duration, as \"25s\" or a whole number of seconds");
        }
        if (duration.filter(one -> one.compareTo(shortest) < 0 || one.compareTo(longest) > 0)
                .isPresent()) {
            mistake(key, "must be " + text(shortest) + " to " + text(longest) + ", not " + (value instanceof String ? "\"" + value + "\"" : value));
            return Optional.empty();
        }
        return duration;
    }

    private static String text(Duration duration) {
        long seconds = duration.toSeconds();
        return seconds > 0 && seconds % 3600 == 0 ? "\"" + seconds / 3600 + "h\"" : "\"" + seconds + "s\"";
    }

    Optional<String> required(String key) {
        if (!has(key)) {
            known.add(key);
            mistake(key, "missing");
        }
        return string(key);
    }

    List<String> strings(String key) {
        List<String> texts = new ArrayList<>();
        for (Object element : array(key, "an array of strings, as [\"…\"]")) {
            if (element instanceof String text) {
                texts.add(text);
            } else {
                mistake(key, "must be an array of strings, but holds " + typeOf(element));
            }
        }
        return texts;
    }

    /** The tables under a key that may stand once, as {@code [key]}, or several times, as {@code [[key]]}. */
    List<Map<String, ?>> tables(String key) {
        known.add(key);
        Object value = values.get(key);
        List<Map<String, ?>> tables = new ArrayList<>();
        for (Object element : value instanceof List<?> list ? list : value == null ? List.of() : List.of(value)) {
            if (element instanceof Map<?, ?> map) {
                tables.add(stringKeys(map));
            } else {
                mistake(key, "must be a table, as [" + key + "], not " + typeOf(element));
            }
        }
        return tables;
    }

    /** The table under a key that may stand once. */
    Optional<Map<String, ?>> table(String key) {
        return value(key, Map.class, "a table, as [" + key + "]").map(Table::stringKeys);
    }

    /** Tells every key that nobody asked for. */
    void rejectOthers() {
        TreeSet<String> others = new TreeSet<>(values.keySet());
        others.removeAll(known);
        for (String key : others) {
            mistake(
                    key,
                    nearest(key)
                            .map(near -> "unknown key, did you mean " + near + "?")
                            .orElseGet(() -> "unknown key, there are " + String.join(", ", known)));
        }
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
        // toml4j leaves the quotes of a key in an inline table
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

    private Optional<String> nearest(String key) {
        return known.stream()
                .filter(candidate -> distance(key, candidate) <= Math.max(2, key.length() / 3))
                .min(Comparator.comparingInt(candidate -> distance(key, candidate)));
    }

    /** Levenshtein's distance: how many letters to insert, delete or change. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
