package io.edgeplug.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Each key, command, option, exit status and metric is documented on only one page, as a heading or as a row of a
 * table. Other tests compare each of these pages with the code.
 */
final class ReferencePagesTest {

    private static final Path KEYS = Path.of("docs/edgeplug.toml.md");
    private static final Path COMMANDS = Path.of("docs/commands.md");
    private static final Path METRICS = Path.of("docs/metrics.md");

    /** The word above the first column is the subject of a table. */
    private static final Map<String, Path> TABLES =
            Map.of("key", KEYS, "command", COMMANDS, "option", COMMANDS, "status", COMMANDS, "metric", METRICS);

    private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```$");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{2,} ((?:`[^`\\n]+`(?:, )?)+)");
    private static final Pattern TABLE =
            Pattern.compile("(?m)^\\| ([^|\\n]*) \\|.*\\n\\|[-:| ]+\\|\\n((?:\\|.*(?:\\n|\\z))*)");
    private static final Pattern FIRST_CELL = Pattern.compile("(?m)^\\|(.*?)(?<!\\\\)\\|");
    private static final Pattern NAME = Pattern.compile("`([^`\\n]+)`");

    @Test
    void eachNameIsDocumentedOnOnePage() throws IOException {
        Map<String, Set<Path>> places = new TreeMap<>();
        for (Path page : LinksTest.pages()) {
            names(Files.readString(page))
                    .forEach(name ->
                            places.computeIfAbsent(name, any -> new TreeSet<>()).add(page));
        }

        assertThat(places.values()).contains(Set.of(KEYS), Set.of(COMMANDS), Set.of(METRICS));
        assertThat(places.entrySet().stream().filter(name -> name.getValue().size() > 1))
                .isEmpty();
    }

    @Test
    void noOtherPageHasATableOfThem() throws IOException {
        List<String> elsewhere = new ArrayList<>();
        for (Path page : LinksTest.pages()) {
            tables(Files.readString(page))
                    .map(table -> table.group(1))
                    .filter(word -> !TABLES.getOrDefault(word, page).equals(page))
                    .forEach(word -> elsewhere.add(page + ": | " + word + " |"));
        }

        assertThat(elsewhere).isEmpty();
    }

    /** Options and metrics are recognized by their form, because they may be in a table under another word. */
    private static Stream<String> names(String page) {
        Stream<String> headings =
                HEADING.matcher(withoutBlocks(page)).results().flatMap(heading -> codes(heading.group(1)));
        Stream<String> rows = tables(page)
                .flatMap(table -> FIRST_CELL
                        .matcher(table.group(2))
                        .results()
                        .flatMap(cell -> codes(cell.group(1)))
                        .map(code -> code.split(" ", 2)[0])
                        .filter(name -> TABLES.containsKey(table.group(1))
                                || name.startsWith("-")
                                || name.startsWith("edgeplug_")));
        return Stream.concat(headings, rows);
    }

    private static Stream<MatchResult> tables(String page) {
        return TABLE.matcher(withoutBlocks(page)).results();
    }

    private static Stream<String> codes(String text) {
        return NAME.matcher(text).results().map(name -> name.group(1));
    }

    private static String withoutBlocks(String page) {
        return FENCED.matcher(page).replaceAll("");
    }
}
