package io.edgeplug.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.model.device.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds docs/edgeplug.toml.md against what the reader of the configuration does with each of its statements. */
final class ReferenceTest {

    private static final Map<String, String> TYPES = Map.of(
            "String", "a string in quotes",
            "Boolean", "true or false",
            "Array of strings", "an array of strings",
            "Integer", "a whole number",
            "Array of integers", "an array of whole numbers",
            "Table of strings", "a table of strings",
            "Table of tables", "a table",
            "Duration", "a duration");

    private static final String NO_KEY = "zzzzzzzzzzzzzzzzzzzzzzzz";

    @TempDir
    private Path directory = Path.of("");

    static List<ReferenceKey> keys() throws IOException {
        return ReferenceKey.all();
    }

    @Test
    void everyKeyOfTheReaderIsDocumentedOnceAndEveryDocumentedKeyIsRead() throws Exception {
        Map<String, List<String>> documented = keys().stream()
                .collect(Collectors.groupingBy(
                        ReferenceKey::table, Collectors.mapping(ReferenceKey::name, Collectors.toList())));

        for (Map.Entry<String, List<String>> table : documented.entrySet()) {
            String inTable = table.getKey().isEmpty() ? "" : table.getKey() + ".";
            List<String> known = known(table.getKey()).stream()
                    .filter(key -> !documented.containsKey(inTable + key))
                    .toList();
            assertThat(table.getValue()).as(table.getKey()).containsExactlyInAnyOrderElementsOf(known);
        }
    }

    @ParameterizedTest
    @MethodSource("keys")
    void examplesAreReadForTheKindsThatTheKeyIsFor(ReferenceKey key) throws Exception {
        assertThat(key.examples())
                .allSatisfy(example -> assertThat(example).containsPattern("(?m)^" + key.name() + " = "));
        // A kind reads one of the examples at most: another one is there for other kinds.
        List<Kind> read = key.examples().stream()
                .flatMap(example -> Stream.of(Kind.values())
                        .filter(kind -> mistakes(key.file(kind, example)).isEmpty()))
                .toList();
        assertThat(read).containsExactlyInAnyOrderElementsOf(key.kinds());
    }

    @ParameterizedTest
    @MethodSource("keys")
    void valueOfAnotherTypeIsRefusedWithTheDocumentedOne(ReferenceKey key) throws Exception {
        assertThat(TYPES).containsKey(key.type());
        Kind kind = key.kinds().getFirst();
        assertThat(mistakes(key.file(kind, key.name() + " = 1979-05-27T07:32:00Z"))
                        .orElse(""))
                .contains(key.name() + ": must be " + TYPES.get(key.type()));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void keyThatIsLeftOutIsAMistakeOrWhatItDefaultsTo(ReferenceKey key) throws Exception {
        Kind kind = key.kinds().getFirst();
        Optional<String> mistakes = mistakes(key.file(kind, ""));
        if (key.isRequired()) {
            assertThat(mistakes.orElse("")).contains(key.name() + ": missing");
        } else {
            assertThat(mistakes).isEmpty();
        }
        if (key.defaultsTo().isPresent()) {
            Config left = read(key.file(kind, ""));
            Config said =
                    read(key.file(kind, key.name() + " = " + key.defaultsTo().orElseThrow()));
            assertThat(said).isEqualTo(left);
        }
    }

    @Test
    void longerExamplesAreConfigurations() throws Exception {
        List<String> examples = ReferenceKey.longExamples();

        assertThat(examples).isNotEmpty().allMatch(example -> mistakes(example).isEmpty());
    }

    /** The keys of a table, which the reader tells where it meets one that it does not know. */
    private List<String> known(String table) {
        String mistakes =
                mistakes(ReferenceKey.fileWith(table, NO_KEY + " = 1")).orElse("");
        return Pattern.compile(NO_KEY + ": unknown key, there are (.*)")
                .matcher(mistakes)
                .results()
                .flatMap(told -> Stream.of(told.group(1).split(", ", -1)))
                .toList();
    }

    private Optional<String> mistakes(String text) {
        ConfigException mistakes = catchThrowableOfType(ConfigException.class, () -> read(text));
        return Optional.ofNullable(mistakes).map(Throwable::getMessage);
    }

    private Config read(String text) throws IOException, ConfigException {
        return ConfigFiles.read(Files.writeString(directory.resolve("edgeplug.toml"), text));
    }
}
