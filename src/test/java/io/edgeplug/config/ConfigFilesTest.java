package io.edgeplug.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.Kind;
import io.edgeplug.device.SelectorWord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConfigFilesTest {

    private static final String GOOD = """
            [[class]]
            resource = "example.com/%s"
            kind = "vf"
            [class.match]
            vendors = ["8086"]
            """;

    @TempDir
    private Path directory = Path.of("");

    private Path main = Path.of("");

    @BeforeEach
    void setUp() throws IOException {
        main = directory.resolve("edgeplug.toml");
        Files.createDirectory(directory.resolve("class.d"));
    }

    @Test
    void classesComeInTheOrderOfFilesAndNames() throws Exception {
        write("edgeplug.toml", "kubelet_dir = \"/run/kubelet\"\nlog_level = \"debug\"\n" + GOOD.formatted("first"));
        write("class.d/20-b.toml", GOOD.formatted("third"));
        write("class.d/10-a.toml", GOOD.formatted("second"));
        write("class.d/ignored.txt", "no toml");

        Config config = ConfigFiles.read(main);

        assertThat(config.kubeletDir()).isEqualTo(Path.of("/run/kubelet"));
        assertThat(config.logLevel()).isEqualTo(Level.FINE);
        assertThat(config.classes())
                .extracting(one -> one.resource().name())
                .containsExactly("first", "second", "third");
    }

    @Test
    void pathClassMayNameItsVariable() throws Exception {
        write("edgeplug.toml", """
                [[class]]
                resource = "example.com/gopher"
                kind = "path"
                env = "Gopher"
                [class.match]
                paths = ["/etc/gophers/*"]
                """);

        DeviceClass gopher = ConfigFiles.read(main).classes().getFirst();

        assertThat(gopher.kind()).isEqualTo(Kind.PATH);
        assertThat(gopher.container().env()).containsOnlyKeys("Gopher");
        assertThat(gopher.selectors().getFirst().values(SelectorWord.PATHS)).containsExactly("/etc/gophers/*");
    }

    @Test
    void byteOrderMarkAndCarriageReturnsAreTaken() throws Exception {
        write("edgeplug.toml", "\uFEFF" + GOOD.formatted("x").replace("\n", "\r\n"));

        assertThat(ConfigFiles.read(main).classes()).hasSize(1);
    }

    @Test
    void everyMistakeOfEveryFileIsToldAtOnce() throws Exception {
        write("edgeplug.toml", """
                kubelet_dri = "/x"
                log_level = "loud"
                [[class]]
                resource = "example.com/a"
                kind = "vf"
                [class.match]
                vendor = ["8086"]
                devices = ["zz"]
                paths = ["/dev/x"]
                """);
        write("class.d/a.toml", """
                [[class]]
                resource = "example.com/b"
                kind = 7
                [class.match]
                vendors = "8086"
                drivers = []
                [[class]]
                resource = "nodomain"
                kind = "gpu"
                envv = "X"
                """);
        write("class.d/b.toml", "x =\n");

        assertMistakes(
                "edgeplug.toml: log_level: \"loud\" is none of debug, error, info, warning",
                "edgeplug.toml: class 1 (example.com/a): match.devices: \"zz\" is not four hexadecimal digits, as 8086",
                "edgeplug.toml: class 1 (example.com/a): match.paths: does not apply to kind vf",
                "edgeplug.toml: class 1 (example.com/a): match.vendor: unknown key, did you mean vendors?",
                "edgeplug.toml: kubelet_dri: unknown key, did you mean kubelet_dir?",
                "class.d/a.toml: class 1 (example.com/b): kind: must be a string in quotes, not a number",
                "class.d/a.toml: class 1 (example.com/b): match.vendors: must be an array of strings, as [\"…\"], not a string",
                "class.d/a.toml: class 1 (example.com/b): match.drivers: must not be an empty array",
                "class.d/a.toml: class 2 (nodomain): resource: \"nodomain\" needs a domain before its name, as in example.com/nodomain",
                "class.d/a.toml: class 2 (nodomain): kind: \"gpu\" is none of vf, sf, nic, fpga, hca, pci, path",
                "class.d/a.toml: class 2 (nodomain): match: missing: say in [class.match] which devices the class takes",
                "class.d/a.toml: class 2 (nodomain): envv: unknown key, did you mean env?",
                "class.d/b.toml: line 1: x: has no value");
    }

    @Test
    void twoClassesWithOneResourceNameAreToldWithBothPlaces() throws Exception {
        write("edgeplug.toml", GOOD.formatted("x"));
        write("class.d/a.toml", GOOD.formatted("x"));

        assertMistakes("class.d/a.toml: class 1 (example.com/x): resource: \"example.com/x\" is that of " + main
                + ": class 1 too");
    }

    @Test
    void vdpaAndRdmaExcludeEachOther() throws Exception {
        write("edgeplug.toml", """
                [[class]]
                resource = "example.com/x"
                kind = "vf"
                match = { vdpa_type = ["vhost"], is_rdma = true }
                """);

        assertMistakes(
                "edgeplug.toml: class 1 (example.com/x): match.vdpa_type: takes no device that is_rdma does: a vDPA"
                        + " device is used instead of RDMA");
    }

    @Test
    void resourceWhoseCdiNameWouldEndItsReadersIsRefused() throws Exception {
        write("edgeplug.toml", GOOD.formatted("x").replace("[class.match]", "hand_over = \"cdi\"\n[class.match]"));

        assertMistakes(
                "edgeplug.toml: class 1 (example.com/x): hand_over: \"cdi\" needs a resource whose domain and name"
                        + " begin with a letter and have two characters or more");
    }

    @Test
    void missingFileIsTold() {
        assertMistakes("edgeplug.toml: no such file");
    }

    @Test
    void directoryInPlaceOfTheFileIsTold() throws Exception {
        Files.createDirectory(main);

        assertMistakes("edgeplug.toml: is a directory, not a file");
    }

    @Test
    void emptyConfigurationIsTold() throws Exception {
        write("edgeplug.toml", "");

        assertMistakes("edgeplug.toml: defines no [[class]], and class.d beside it does not either");
    }

    @Test
    void textThatIsNotUtf8IsTold() throws Exception {
        Files.write(main, new byte[] {'a', '=', '"', (byte) 0xe4, '"'});

        assertMistakes("edgeplug.toml: is not UTF-8 text");
    }

    @Test
    void tenMegabytesOfGarbageAreNotRead() throws Exception {
        Files.write(main, "garbage\0".repeat(10 << 17).getBytes(StandardCharsets.UTF_8));

        assertMistakes("edgeplug.toml: is larger than the 1 MiB that a configuration file may have");
    }

    @Test
    void megabyteOfOpenBracketsEndsInAMistake() throws Exception {
        write("edgeplug.toml", "x = " + "[".repeat(1_000_000));

        assertMistakes("edgeplug.toml: line 1: x: is nested too deeply");
    }

    @Test
    void deepInlineTablesAndHeadersEndInAMistake() throws Exception {
        write("edgeplug.toml", "x = " + "{b=".repeat(5_000));
        write("class.d/a.toml", "[" + "a.".repeat(20_000) + "a]");

        assertMistakes(
                "edgeplug.toml: line 1: x: is nested too deeply",
                "class.d/a.toml: line 1: a table's name has too many dots");
    }

    @Test
    void variableOfTwoClassesIsToldAlsoIfOneHasOtherMistakes() throws Exception {
        write("edgeplug.toml", GOOD.formatted("x").replace("vf", "vg") + GOOD.formatted("x"));

        assertMistakes(
                "edgeplug.toml: class 1 (example.com/x): kind: \"vg\" is none of vf, sf, nic, fpga, hca, pci, path",
                "edgeplug.toml: class 2 (example.com/x): resource: \"example.com/x\" is that of " + main
                        + ": class 1 too");
    }

    @Test
    void fileInPlaceOfTheClassDirectoryIsTold() throws Exception {
        write("edgeplug.toml", GOOD.formatted("x"));
        Files.delete(directory.resolve("class.d"));
        write("class.d", "");

        assertMistakes("class.d: is a file, not a directory");
    }

    @Test
    void controlCharactersDoNotReachTheTerminal() throws Exception {
        write("edgeplug.toml", "log_level = \"\\u001b[31m\\n\"");

        assertMistakes("edgeplug.toml: log_level: \"?[31m?\" is none of debug, error, info, warning");
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
                "kubelet_dir = \"/a\\u0000b\" | kubelet_dir: is not a path: Nul character not allowed",
                "x = 99999999999999999999 | has a number that is too large: For input string: \"99999999999999999999\"",
                "kubelet_dir = \"relative\" | kubelet_dir: must be an absolute path",
                "x | line 1: key is not followed by an equals sign: x",
                "x = \"open | line 1: unterminated value: x = \"open",
                "x = inf | line 1: invalid value: x = inf",
                "a.b = 1 | line 1: invalid key: a.b",
                "[class | line 1: invalid key: [class",
                "class = 1 | class: must be a table, as [class], not a number",
            })
    void brokenTomlIsToldWithItsLine(String text, String mistake) throws Exception {
        write("edgeplug.toml", text);

        assertMistakes("edgeplug.toml: " + mistake);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "shares = 0 | shares: must be 1 to 1000, not 0",
                "shares = 9223372036854775807 | shares: must be 1 to 1000, not 9223372036854775807",
                "shares = 1.5 | shares: must be a whole number, not a number with a fraction",
                "shares = \"2\" | shares: must be a whole number, not a string",
                "fail_requests_greater_than_one = true | fail_requests_greater_than_one: is about shares, of which the class says nothing",
                "numa_nodes = [] | numa_nodes: must not be an empty array",
                "numa_nodes = [64] | numa_nodes: must be 0 to 63, not 64",
                "numa_nodes = [-1] | numa_nodes: must be 0 to 63, not -1",
                "numa_nodes = [1, 1] | numa_nodes: has 1 twice",
                "numa_nodes = [\"0\"] | numa_nodes: must be an array of whole numbers, but holds a string",
            })
    void wrongNumberIsTold(String line, String mistake) throws Exception {
        write("edgeplug.toml", GOOD.formatted("x").replace("[class.match]", line + "\n[class.match]"));

        assertMistakes("edgeplug.toml: class 1 (example.com/x): " + mistake);
    }

    @Test
    void mistakesInGroupsAreTold() throws Exception {
        write("edgeplug.toml", """
                [[class]]
                resource = "example.com/a"
                kind = "path"
                [[class.groups]]
                paths = ["/dev/video0", "/dev/snd/*"]
                [[class.groups]]
                path = ["/dev/video0"]
                [[class.groups]]
                paths = ["dev/video0"]
                """);
        write("class.d/a.toml", GOOD.formatted("b") + "[class.groups]\npaths = [\"/dev/x\"]\n");

        assertMistakes(
                "edgeplug.toml: class 1 (example.com/a): groups.paths: \"/dev/snd/*\" needs the wildcards of "
                        + "\"/dev/video0\", which stand for what they match there, or none",
                "edgeplug.toml: class 1 (example.com/a): groups.paths: missing",
                "edgeplug.toml: class 1 (example.com/a): groups.path: unknown key, did you mean paths?",
                "edgeplug.toml: class 1 (example.com/a): groups.paths: \"dev/video0\" is not an absolute path, as /dev/gophers/*",
                "class.d/a.toml: class 1 (example.com/b): groups: does not apply to kind vf");
    }

    @Test
    void numaNodesOfAClassThatTellsOfNoneAreAMistake() throws Exception {
        write(
                "edgeplug.toml",
                GOOD.formatted("x")
                        .replace("[class.match]", "numa_nodes = [0]\nexclude_topology = true\n[class.match]"));

        assertMistakes("edgeplug.toml: class 1 (example.com/x): numa_nodes: contradicts exclude_topology, "
                + "by which the kubelet is told of none");
    }

    @Test
    void managementEngineOfWhatIsNoFpgaIsAMistake() throws Exception {
        write("edgeplug.toml", GOOD.formatted("x").replace("[class.match]", "fpga_management = true\n[class.match]"));

        assertMistakes("edgeplug.toml: class 1 (example.com/x): fpga_management: does not apply to kind vf");
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(directory.resolve(name), text);
    }

    private void assertMistakes(String... mistakes) {
        assertThatThrownBy(() -> ConfigFiles.read(main))
                .isInstanceOf(ConfigException.class)
                .extracting(e -> String.valueOf(e.getMessage())
                        .lines()
                        .map(line -> line.replaceFirst("^" + directory + "/", ""))
                        .toList())
                .isEqualTo(List.of(mistakes));
    }
}
