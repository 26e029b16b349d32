package io.edgeplug.model.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that are no configuration, or no text: told in a sentence, without harm. */
final class ConfigTextTest {

    @TempDir
    private Path directory = Path.of("");

    private ConfigDirectory config = new ConfigDirectory(directory);

    @BeforeEach
    void setUp() throws IOException {
        config = new ConfigDirectory(directory);
        Files.createDirectory(directory.resolve("class.d"));
    }

    @Test
    void missingFileIsTold() {
        config.assertMistakes("edgeplug.toml: no such file");
    }

    @Test
    void directoryInPlaceOfTheFileIsTold() throws Exception {
        Files.createDirectory(config.main());

        config.assertMistakes("edgeplug.toml: is a directory, not a file");
    }

    @Test
    void emptyConfigurationIsTold() throws Exception {
        config.write("edgeplug.toml", "");

        config.assertMistakes("edgeplug.toml: defines no [[class]], and class.d beside it does not either");
    }

    @Test
    void textThatIsNotUtf8IsTold() throws Exception {
        Files.write(config.main(), new byte[] {'a', '=', '"', (byte) 0xe4, '"'});

        config.assertMistakes("edgeplug.toml: is not UTF-8 text");
    }

    @Test
    void tenMegabytesOfGarbageAreNotRead() throws Exception {
        Files.write(config.main(), "garbage\0".repeat(10 << 17).getBytes(StandardCharsets.UTF_8));

        config.assertMistakes(
                "edgeplug.toml: is larger than the 64 KiB that a configuration file may have; split it into files in class.d");
    }

    @Test
    void fileOfOpenBracketsEndsInAMistake() throws Exception {
        config.write("edgeplug.toml", "x = " + "[".repeat(65_000));

        config.assertMistakes("edgeplug.toml: line 1: x: is nested too deeply");
    }

    @Test
    void deepInlineTablesAndHeadersEndInAMistake() throws Exception {
        config.write("edgeplug.toml", "x = " + "{b=".repeat(5_000));
        config.write("class.d/a.toml", "[" + "a.".repeat(20_000) + "a]");

        config.assertMistakes(
                "edgeplug.toml: line 1: x: is nested too deeply",
                "class.d/a.toml: line 1: a table's name has too many dots");
    }

    @Test
    void fileInPlaceOfTheClassDirectoryIsTold() throws Exception {
        config.write("edgeplug.toml", ConfigDirectory.GOOD.formatted("x"));
        Files.delete(config.directory().resolve("class.d"));
        config.write("class.d", "");

        config.assertMistakes("class.d: is a file, not a directory");
    }

    @Test
    void controlCharactersDoNotReachTheTerminal() throws Exception {
        config.write("edgeplug.toml", "log_level = \"\\u001b[31m\\n\"");

        config.assertMistakes("edgeplug.toml: line 1: log_level: \"?[31m?\" is none of debug, error, info, warning");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "x = | line 1: x: has no value",
                "x = # nothing | line 1: x: has no value",
                "x = [\"a\" \"b\"] | line 1: x: needs a comma between its values",
                "x = [,\"a\"] | line 1: x: has a comma with nothing before it",
                "x = 007 | line 1: x: has a leading zero",
                "x = \"\\U0001F600\" | line 1: x: write the character itself, \\U is not understood",
                "x = { y = } | line 1: x: has a key without a value",
                "x = { y = [\"a\"] junk } | line 1: x: needs a comma between its keys",
                "kubelet_dir = \"/a\\u0000b\" | line 1: kubelet_dir: is not a path: Nul character not allowed",
                "x = 99999999999999999999 | line 1: x: has a number that is too large",
                "kubelet_dir = \"relative\" | line 1: kubelet_dir: must be an absolute path",
                "x | line 1: key is not followed by an equals sign",
                "x = \"open | line 1: unterminated value",
                "root:$6$salt$hunter2:19000:0:99999:7::: | line 1: key is not followed by an equals sign",
                "password=hunter2 | line 1: password: write its value in quotes",
                "hunter2/hunter2 | line 1: key is not followed by an equals sign",
                "vendors = [0x8086] | line 1: vendors: write its value in quotes",
                "kind = vf | line 1: kind: write its value in quotes",
                "kubelet_dir = /run/kubelet | line 1: kubelet_dir: write its value in quotes",
                "match.drivers = [\"iavf\"] | line 1: match.drivers: dotted keys are not understood: write match = { drivers = … }",
                "x = inf | line 1: x: write its value in quotes",
                "a.b = 1 | line 1: a.b: dotted keys are not understood: write a = { b = … }",
                "[class | line 1: invalid key",
                "class = 1 | line 1: class: must be a table, as [class], not a number",
            })
    void brokenTomlIsToldWithItsLine(String text, String mistake) throws Exception {
        config.write("edgeplug.toml", text);

        config.assertMistakes("edgeplug.toml: " + mistake);
    }
}
