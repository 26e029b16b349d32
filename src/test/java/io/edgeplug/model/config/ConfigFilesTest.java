package io.edgeplug.model.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.SelectorWord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a configuration says, and mistakes in what it says. */
final class ConfigFilesTest {

    @TempDir
    private Path directory = Path.of("");

    private ConfigDirectory config = new ConfigDirectory(directory);

    @BeforeEach
    void setUp() throws IOException {
        config = new ConfigDirectory(directory);
        Files.createDirectory(directory.resolve("class.d"));
    }

    @Test
    void classesComeInTheOrderOfFilesAndNames() throws Exception {
        config.write(
                "edgeplug.toml",
                "kubelet_dir = \"/run/kubelet\"\nlog_level = \"debug\"\n" + ConfigDirectory.GOOD.formatted("first"));
        config.write("class.d/20-b.toml", ConfigDirectory.GOOD.formatted("third"));
        config.write("class.d/10-a.toml", ConfigDirectory.GOOD.formatted("second"));
        config.write("class.d/ignored.txt", "no toml");

        Config read = ConfigFiles.read(config.main());

        assertThat(read.kubeletDir()).isEqualTo(Path.of("/run/kubelet"));
        assertThat(read.logLevel()).isEqualTo(Level.FINE);
        assertThat(read.classes()).extracting(one -> one.resource().name()).containsExactly("first", "second", "third");
    }

    @Test
    void pathClassMayNameItsVariable() throws Exception {
        config.write("edgeplug.toml", """
                [[class]]
                resource = "example.com/gopher"
                kind = "path"
                env = "Gopher"
                [class.match]
                paths = ["/etc/gophers/*"]
                """);

        DeviceClass gopher = ConfigFiles.read(config.main()).classes().getFirst();

        assertThat(gopher.kind()).isEqualTo(Kind.PATH);
        assertThat(gopher.container().env()).containsOnlyKeys("Gopher");
        assertThat(gopher.selectors().getFirst().values(SelectorWord.PATHS)).containsExactly("/etc/gophers/*");
    }

    @Test
    void byteOrderMarkAndCarriageReturnsAreTaken() throws Exception {
        config.write(
                "edgeplug.toml", "\uFEFF" + ConfigDirectory.GOOD.formatted("x").replace("\n", "\r\n"));

        assertThat(ConfigFiles.read(config.main()).classes()).hasSize(1);
    }

    @Test
    void everyMistakeOfEveryFileIsToldAtOnce() throws Exception {
        config.write("edgeplug.toml", """
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
        config.write("class.d/a.toml", """
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
        config.write("class.d/b.toml", "x =\n");

        config.assertMistakes(
                "edgeplug.toml: line 1: kubelet_dri: unknown key, did you mean kubelet_dir?",
                "edgeplug.toml: line 2: log_level: \"loud\" is none of debug, error, info, warning",
                "edgeplug.toml: line 7: class 1 (example.com/a): match.vendor: unknown key, did you mean vendors?",
                "edgeplug.toml: line 8: class 1 (example.com/a): match.devices: \"zz\" is not four hexadecimal digits, as 8086",
                "edgeplug.toml: line 9: class 1 (example.com/a): match.paths: does not apply to kind vf",
                "class.d/a.toml: line 3: class 1 (example.com/b): kind: must be a string in quotes, not a number",
                "class.d/a.toml: line 5: class 1 (example.com/b): match.vendors: must be an array of strings, as [\"…\"], not a string",
                "class.d/a.toml: line 6: class 1 (example.com/b): match.drivers: must not be an empty array",
                "class.d/a.toml: line 7: class 2 (nodomain): match: missing: say in [class.match] which devices the class takes",
                "class.d/a.toml: line 8: class 2 (nodomain): resource: \"nodomain\" needs a domain before its name, as in example.com/nodomain",
                "class.d/a.toml: line 9: class 2 (nodomain): kind: \"gpu\" is none of vf, sf, nic, fpga, hca, pci, path, usb",
                "class.d/a.toml: line 10: class 2 (nodomain): envv: unknown key, did you mean env?",
                "class.d/b.toml: line 1: x: has no value");
    }

    @Test
    void keyInAWrongPlaceIsToldWhereItBelongs() throws Exception {
        config.write("edgeplug.toml", """
                [[class]]
                resource = "example.com/a"
                kind = "path"
                count = 4
                paths = ["/dev/x"]
                [class.match]
                paths = ["/dev/x"]
                env = "X"
                command = ["/bin/true"]
                [class.health]
                command = ["/bin/true"]
                nodes = "absent"
                log_level = "debug"
                """);
        config.write("class.d/a.toml", "settle = 1\n" + ConfigDirectory.GOOD.formatted("b"));

        config.assertMistakes(
                "edgeplug.toml: line 4: class 1 (example.com/a): count: here it is called shares",
                "edgeplug.toml: line 5: class 1 (example.com/a): paths: belongs under [class.match]",
                "edgeplug.toml: line 8: class 1 (example.com/a): match.env: is a key of [[class]]: write it above [class.match]",
                "edgeplug.toml: line 9: class 1 (example.com/a): match.command: belongs under [class.health]",
                "edgeplug.toml: line 12: class 1 (example.com/a): health.nodes: must be \"present\", not \"absent\"",
                "edgeplug.toml: line 12: class 1 (example.com/a): health.nodes: does not apply to kind path",
                "edgeplug.toml: line 13: class 1 (example.com/a): health.log_level: belongs before the first [[class]]: "
                        + "what follows a table's heading is part of that table",
                "class.d/a.toml: line 1: settle: belongs in " + config.main() + " before the first [[class]]: "
                        + "what follows a table's heading is part of that table");
    }

    @Test
    void mistakeHasTheLineOfItsKeyInWhicheverOfManyTables() throws Exception {
        config.write("edgeplug.toml", """
                # two classes

                [[class]]
                resource = "example.com/a"
                kind = "vf"
                match = { vendors = ["8086"], drivers = [7] }
                [[class]] # the second
                resource = "example.com/b"
                kind = "vf"
                [[class.match]]
                vendors = ["8086"]
                [[class.match]]
                vendors = [
                  "8086",
                  "x",
                ]
                [class.prepare.vf]
                vlan = 5000
                """);

        config.assertMistakes(
                "edgeplug.toml: line 6: class 1 (example.com/a): match.drivers: must be an array of strings, "
                        + "but holds a number: write it in quotes, \"7\"",
                "edgeplug.toml: line 13: class 2 (example.com/b): match.vendors: \"x\" is not four hexadecimal digits, as 8086",
                "edgeplug.toml: line 18: class 2 (example.com/b): prepare.vf.vlan: must be 0 to 4094, not 5000");
    }

    @Test
    void twoClassesWithOneResourceNameAreToldWithBothPlaces() throws Exception {
        config.write("edgeplug.toml", ConfigDirectory.GOOD.formatted("x"));
        config.write("class.d/a.toml", ConfigDirectory.GOOD.formatted("x"));

        config.assertMistakes("class.d/a.toml: line 2: class 1 (example.com/x): resource: \"example.com/x\" is that of "
                + "the class in " + config.main() + ", line 1 too");
    }

    @Test
    void vdpaAndRdmaExcludeEachOther() throws Exception {
        config.write("edgeplug.toml", """
                [[class]]
                resource = "example.com/x"
                kind = "vf"
                match = { vdpa_type = ["vhost"], is_rdma = true }
                """);

        config.assertMistakes(
                "edgeplug.toml: line 4: class 1 (example.com/x): match.vdpa_type: takes no device that is_rdma does: a vDPA"
                        + " device is used instead of RDMA");
    }

    @Test
    void resourceWhoseCdiNameWouldEndItsReadersIsRefused() throws Exception {
        config.write(
                "edgeplug.toml",
                ConfigDirectory.GOOD.formatted("x").replace("[class.match]", "hand_over = \"cdi\"\n[class.match]"));

        config.assertMistakes(
                "edgeplug.toml: line 4: class 1 (example.com/x): hand_over: \"cdi\" needs a resource whose domain and name"
                        + " begin with a letter and have two characters or more");
    }

    @Test
    void variableOfTwoClassesIsToldAlsoIfOneHasOtherMistakes() throws Exception {
        config.write(
                "edgeplug.toml",
                ConfigDirectory.GOOD.formatted("x").replace("vf", "vg") + ConfigDirectory.GOOD.formatted("x"));

        config.assertMistakes(
                "edgeplug.toml: line 3: class 1 (example.com/x): kind: \"vg\" is none of vf, sf, nic, fpga, hca, pci, path, usb",
                "edgeplug.toml: line 7: class 2 (example.com/x): resource: \"example.com/x\" is that of the class in "
                        + config.main() + ", line 1 too");
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
                "fail_requests_greater_than_one = true | fail_requests_greater_than_one: is about shares, but the class has none",
                "numa_nodes = [] | numa_nodes: must not be an empty array",
                "numa_nodes = [64] | numa_nodes: must be 0 to 63, not 64",
                "numa_nodes = [-1] | numa_nodes: must be 0 to 63, not -1",
                "numa_nodes = [1, 1] | numa_nodes: has 1 twice",
                "numa_nodes = [\"0\"] | numa_nodes: must be an array of whole numbers, but holds a string",
            })
    void wrongNumberIsTold(String line, String mistake) throws Exception {
        config.write(
                "edgeplug.toml",
                ConfigDirectory.GOOD.formatted("x").replace("[class.match]", line + "\n[class.match]"));

        config.assertMistakes("edgeplug.toml: line 4: class 1 (example.com/x): " + mistake);
    }

    @Test
    void mistakesInGroupsAreTold() throws Exception {
        config.write("edgeplug.toml", """
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
        config.write("class.d/a.toml", ConfigDirectory.GOOD.formatted("b") + "[class.groups]\npaths = [\"/dev/x\"]\n");

        config.assertMistakes(
                "edgeplug.toml: line 5: class 1 (example.com/a): groups.paths: \"/dev/snd/*\" needs the wildcards of "
                        + "\"/dev/video0\", which stand for what they match there, or none",
                "edgeplug.toml: line 6: class 1 (example.com/a): groups.paths: missing",
                "edgeplug.toml: line 7: class 1 (example.com/a): groups.path: unknown key, did you mean paths?",
                "edgeplug.toml: line 9: class 1 (example.com/a): groups.paths: \"dev/video0\" is not an absolute path, as /dev/gophers/*",
                "class.d/a.toml: line 6: class 1 (example.com/b): groups: does not apply to kind vf");
    }

    @Test
    void numaNodesOfAClassThatTellsOfNoneAreAMistake() throws Exception {
        config.write(
                "edgeplug.toml",
                ConfigDirectory.GOOD
                        .formatted("x")
                        .replace("[class.match]", "numa_nodes = [0]\nexclude_topology = true\n[class.match]"));

        config.assertMistakes(
                "edgeplug.toml: line 4: class 1 (example.com/x): numa_nodes: contradicts exclude_topology, "
                        + "which tells the kubelet no NUMA nodes");
    }

    @Test
    void managementEngineOfWhatIsNoFpgaIsAMistake() throws Exception {
        config.write(
                "edgeplug.toml",
                ConfigDirectory.GOOD.formatted("x").replace("[class.match]", "fpga_management = true\n[class.match]"));

        config.assertMistakes(
                "edgeplug.toml: line 4: class 1 (example.com/x): fpga_management: does not apply to kind vf");
    }
}
