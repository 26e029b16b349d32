package io.edgeplug.model.config;

import io.edgeplug.model.rules.SelectorWord;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Hints for a key that a table does not have: where it belongs, its name in edgeplug, or the most similar key.
 *
 * @param ofDaemon the keys that stand before all tables
 * @param before the place of those keys, for a person
 */
record KeyHints(Set<String> ofDaemon, String before) {

    /** The names of keys in other device plugins. */
    private static final Map<String, String> NAMES_ELSEWHERE =
            Map.of("count", "shares", "selectors", "match", "resourceName", "resource", "name", "resource");

    private static final String CLASS = "class";
    private static final String MATCH = "class.match";

    String hint(String key, Table table) {
        Optional<String> ours = Optional.ofNullable(NAMES_ELSEWHERE.get(key));
        if (ours.isPresent()) {
            return "here it is called " + ours.orElseThrow()
                    + (table.name().equals(CLASS) ? "" : ", and is a key of [[class]]");
        }
        if (ofDaemon.contains(key)) {
            return "belongs " + before + ": what follows a table's heading is part of that table";
        }
        return above(key, table)
                .or(() -> beside(key, table))
                .or(() -> nearest(key, table.known()).map(near -> "unknown key, did you mean " + near + "?"))
                .orElseGet(() -> "unknown key, there are " + String.join(", ", table.known()));
    }

    /** In TOML, keys of a table cannot follow the tables inside it. */
    private static Optional<String> above(String key, Table table) {
        return Stream.iterate(table.parent(), Optional::isPresent, one -> one.flatMap(Table::parent))
                .flatMap(Optional::stream)
                .filter(one -> one.known().contains(key) && !one.name().isEmpty())
                .findFirst()
                .map(owner -> "is a key of " + heading(owner) + ": write it above " + heading(table));
    }

    private static Optional<String> beside(String key, Table table) {
        List<Table> near = Stream.concat(
                        table.children().stream(), table.parent().stream().flatMap(one -> one.children().stream()))
                .toList();
        boolean isSelector = table.name().equals(CLASS)
                && Stream.of(SelectorWord.values()).anyMatch(word -> word.word().equals(key));
        String owners = Stream.concat(
                        isSelector ? Stream.of("[" + MATCH + "]") : Stream.of(),
                        near.stream()
                                .filter(one -> !one.name().equals(table.name())
                                        && one.known().contains(key))
                                .map(KeyHints::heading))
                .distinct()
                .collect(Collectors.joining(" or "));
        return owners.isEmpty() ? Optional.empty() : Optional.of("belongs under " + owners);
    }

    private static String heading(Table table) {
        return table.name().equals(CLASS) ? "[[class]]" : "[" + table.name() + "]";
    }

    private static Optional<String> nearest(String key, Set<String> known) {
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
