package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The real {@code vfs plan} on each machine that has a {@code vfs.toml}; {@code -Dupdate} rewrites what is expected, {@code
 * vfs.txt} and {@code vfs.json}.
 */
final class VfsPlanTest {

    @TempDir
    private Path root = Path.of("");

    static List<String> machines() throws IOException {
        return Machine.names().stream()
                .filter(name -> Files.exists(Machine.file(name, "vfs.toml")))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("machines")
    void vfsOfTheMachineArePlannedAsExpected(String machine) throws IOException {
        Path config = Machine.file(machine, "vfs.toml");
        assertExpected(machine, "vfs.txt", plan(Files.readString(Machine.file(machine, "tree")), config));
        assertExpected(
                machine,
                "vfs.json",
                plan(Files.readString(Machine.file(machine, "tree")), config, "-J")
                        .replaceFirst("exit \\d\n$", ""));
    }

    @Test
    void nameOfAnInterfaceCannotControlATerminalThatShowsJson() throws IOException {
        String tree = Files.readString(Machine.file("e810-switchdev", "tree")).replace("ens1f0np0", "ens1f0\u202e");
        Path config = Files.writeString(root.resolve("edgeplug.toml"), """
                [[vfs]]
                count = 4
                match = { vendors = ["8086"] }
                """);

        assertThat(plan(tree, config, "-J")).contains("\"net\": \"ens1f0\\u202e\"");
    }

    @Test
    void pfThatTwoEntriesTakeIsAMistakeThatNamesBoth() throws IOException {
        Path config = Files.writeString(root.resolve("edgeplug.toml"), """
                [[vfs]]
                count = 4
                match = { vendors = ["8086"] }

                [[vfs]]
                count = 2
                match = { pf_names = ["enp94s0f0"] }
                """);

        assertThat(plan(Files.readString(Machine.file("vfio-bound", "tree")), config))
                .isEqualTo("""
                        edgeplug: 0000:5e:00.0 enp94s0f0: is taken by two [[vfs]] entries: vfs.toml, line 1, and vfs.toml, line 5
                        exit 78
                        """);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            count = 2 | ens1f0np0#0 | count = 4 | ens1f0np0#1 | gets 2 VFs by one [[vfs]] entry and 4 by another
            count = 4 | ens1f0np0#0-2 | count = 4 | ens1f0np0#2 | is taken by two [[vfs]] entries
            count = 4; mtu = 9000 | ens1f0np0 | count = 4; mtu = 1500 | ens1f0np0#1 | gets two values of mtu or eswitch
            """)
    void groupsOfVfsThatContradictEachOtherAreAMistake(
            String one, String names, String other, String otherNames, String mistake) throws IOException {
        Path config = Files.writeString(
                root.resolve("edgeplug.toml"),
                "[[vfs]]\n%s\nmatch = { pf_names = [\"%s\"] }\n\n[[vfs]]\n%s\nmatch = { pf_names = [\"%s\"] }\n"
                        .formatted(one.replace("; ", "\n"), names, other.replace("; ", "\n"), otherNames));

        assertThat(plan(Files.readString(Machine.file("e810-switchdev", "tree")), config))
                .contains(mistake)
                .endsWith("exit 78\n");
    }

    @Test
    void entryWhosePfDoesNotExistFailsAndNamesThePfsOfTheNode() throws IOException {
        Path config = Files.writeString(root.resolve("edgeplug.toml"), """
                [[vfs]]
                count = 4
                match = { pf_names = ["ens9f0", "ens9f1"], vendors = ["8086"] }
                """);
        String expected = """
                [[vfs]] in vfs.toml, line 1: 4 VFs
                  problem    no PF matches vendors 8086 and pf_names ens9f0, ens9f1; this node has 0000:5e:00.0 enp94s0f0
                exit 1
                """;
        String tree = Files.readString(Machine.file("vfio-bound", "tree"));

        assertThat(plan(tree, config)).endsWith(expected);
        assertThat(run(tree, config, "apply", "--dry-run")).endsWith(expected);
        assertThat(plan(tree, config, "-J")).contains("\"entriesWithoutPf\": [\n    \"vfs.toml, line 1\"");
        assertThat(plan("[sys/bus/pci]\ndevices/\n", config)).contains("this node has no PF, see whether SR-IOV is on");
        assertThat(plan(tree, config, "enp94s0f0")).doesNotContain("ens9f0").endsWith("exit 0\n");
    }

    @Test
    void onlyThePfThatIsNamedIsPlanned() throws IOException {
        Path config = Machine.file("two-sockets-e810", "vfs.toml");
        String tree = Files.readString(Machine.file("two-sockets-e810", "tree"));

        assertThat(plan(tree, config, "3b:00.0"))
                .isEqualTo(plan(tree, config, "ens1f0"))
                .contains("ens1f0")
                .doesNotContain("ens2f0");
        assertThat(plan(tree, config, "ens9"))
                .contains("ens9: no PF here has that address or interface")
                .endsWith("exit 1\n");
    }

    private String plan(String tree, Path config, String... more) throws IOException {
        return run(tree, config, "plan", more);
    }

    private String run(String tree, Path config, String command, String... more) throws IOException {
        Path node = Files.createTempDirectory(root, "node");
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out, true);
        int exit;
        try (SimulatedNode unpacked = SimulatedNode.unpack(tree, node)) {
            String[] args = Stream.concat(
                            Stream.of(
                                    "vfs",
                                    command,
                                    "--sysroot",
                                    unpacked.root().toString(),
                                    "--config",
                                    config.toString()),
                            Stream.of(more))
                    .toArray(String[]::new);
            exit = Commands.commandLine().setOut(writer).setErr(writer).execute(args);
        }
        return (out + "exit " + exit + "\n").replace(config.toString(), "vfs.toml");
    }

    private static void assertExpected(String machine, String file, String actual) throws IOException {
        Path expected = Machine.file(machine, file);
        if (System.getProperty("update") != null) {
            Files.writeString(expected, actual);
        }
        assertThat(actual).isEqualTo(Files.readString(expected));
    }
}
