package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.simulation.DemoNode;
import io.edgeplug.simulation.SimulatedNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void classesThatDoNotOverlapAreToldWithoutNotes() throws IOException {
        assertThat(check(
                        vfClass("a", "pf_names = [\"ens1f0\"]"),
                        vfClass("b", "pf_names = [\"ens2f0\"]"),
                        vfClass("c", "pf_names = [\"ens3f0\"]").replace("vf", "nic")))
                .isEqualTo("""
                        example.com/a: kind vf
                        example.com/b: kind vf
                        example.com/c: kind nic
                        note: example.com/c: no device of this node matches
                        """);
    }

    @Test
    void devicesThatTwoClassesTakeAreNoted() throws IOException {
        assertThat(check(vfClass("a", "pf_names = [\"ens1f0\"]"), vfClass("b", "vendors = [\"8086\"]")))
                .endsWith("""
                        note: example.com/b: would also take what belongs to example.com/a, which comes first: 0000:3b:01.0, 0000:3b:01.1
                        """);
    }

    @Test
    void manyDevicesAreNotedByTheFirst() throws IOException {
        assertThat(check(vfClass("a", "vendors = [\"8086\"]"), vfClass("b", "devices = [\"1889\"]")))
                .containsPattern("which comes first: [0-9a-f:.]{12}, [0-9a-f:.]{12}, [0-9a-f:.]{12} and 1 more\n");
    }

    @Test
    void classOfWhichAnEarlierOneTakesAllIsNoted() throws IOException {
        assertThat(check(
                        vfClass("a", "vendors = [\"8086\", \"15b3\"]"),
                        vfClass("b", "vendors = [\"15b3\"], drivers = [\"mlx5_core\"]")))
                .contains(
                        "note: example.com/b: it takes nothing: example.com/a, which comes first, takes all that matches\n");
    }

    @Test
    void selectorThatStandsTwiceIsNoted() throws IOException {
        String twice = """
                [[class]]
                resource = "example.com/a"
                kind = "vf"
                [[class.match]]
                pf_names = ["ens1f0"]
                [[class.match]]
                pf_names = ["ens2f0"]
                [[class.match]]
                pf_names = ["ens1f0"]
                """;

        assertThat(check(twice)).isEqualTo("""
                example.com/a: kind vf
                note: example.com/a: match 3 takes nothing that match 1 does not
                """);
    }

    @Test
    void nicWithRdmaCanNeverMatchAndIsNoted() throws IOException {
        assertThat(check(vfClass("a", "is_rdma = true").replace("vf", "nic")))
                .contains("note: example.com/a: it takes nothing: what has RDMA devices is of kind hca");
    }

    @Test
    void hcaWithoutRdmaCanNeverMatchAndIsNoted() throws IOException {
        assertThat(check(vfClass("a", "is_rdma = false").replace("vf", "hca")))
                .contains("note: example.com/a: it takes nothing: what has RDMA devices is of kind hca");
    }

    @Test
    void numaNodeThatTheNodeDoesNotHaveIsNoted() throws IOException {
        assertThat(check(vfClass("a", "vendors = [\"8086\"]").replace("match", "numa_nodes = [0, 7]\nmatch")))
                .endsWith("note: example.com/a: numa_nodes: this node has none with the number 7\n");
    }

    @Test
    void nodeThatIsNotThereIsNotedAndTheConfigurationStillRight() throws IOException {
        Path config = Files.writeString(directory.resolve("x.toml"), vfClass("a", "vendors = [\"8086\"]"));

        assertThat(run(config, directory.resolve("none")))
                .endsWith("none: no such file or directory, so no node to look at\n");
    }

    private static String vfClass(String name, String match) {
        return """
                [[class]]
                resource = "example.com/%s"
                kind = "vf"
                match = { %s }
                """.formatted(name, match);
    }

    private String check(String... classes) throws IOException {
        Path config = Files.writeString(
                directory.resolve("x.toml"),
                String.join("\n", Stream.of(classes).toList()));
        try (SimulatedNode node = SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node"))) {
            Path nodes = Files.createDirectories(node.root().resolve("sys/devices/system/node"));
            Files.writeString(nodes.resolve("online"), "0-1\n");
            return run(config, node.root());
        }
    }

    private static String run(Path config, Path root) {
        StringWriter out = new StringWriter();
        int exit = Commands.commandLine()
                .setOut(new PrintWriter(out))
                .execute("check", "--sysroot", root.toString(), "--config", config.toString());
        assertThat(exit).isZero();
        return out.toString();
    }
}
