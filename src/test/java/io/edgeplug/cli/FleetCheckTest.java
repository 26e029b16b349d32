package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One configuration on many captured nodes. */
final class FleetCheckTest {

    private static final Path MACHINE = Path.of("src/test/machines/mixed-adapters");

    @TempDir
    private Path captures = Path.of("");

    private String tree = "";

    @BeforeEach
    void readMachine() throws IOException {
        tree = Files.readString(MACHINE.resolve("tree"));
    }

    @Test
    void eachNodeHasARowAndTheOneThatDiffersIsNamed() throws IOException {
        List<Path> nodes = List.of(
                node("edge-1", tree),
                node("edge-2", tree),
                node("edge-3", tree.replace("net/ens1f0/", "net/ens9f0/")),
                node("edge-4", "no tree"));

        assertThat(check(nodes)).isEqualTo("""
                NODE    example.com/sriov_dpdk  example.com/roce_vf  example.com/fpga
                edge-1  3                       1/2                  1
                edge-2  3                       1/2                  1
                edge-3  0                       1/2                  1
                edge-4  ?                       ?                    ?
                note: edge-3: example.com/sriov_dpdk has no devices, and has some on 2 of 3 nodes
                mistake: %s: not a captured node: line 1: neither "path = value", "path -> target", "path/" nor a section
                exit 1
                """.formatted(captures.resolve("edge-4")));
    }

    @Test
    void theOneOfManyThatDiffersIsNamed() throws IOException {
        List<Path> nodes = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String own = tree.replace("b4:96:91:a2:3c", "b4:96:91:%02x:3c".formatted(i));
            nodes.add(node("edge-%03d".formatted(i), i == 7 ? own.replace("net/ens1f0/", "net/ens9f0/") : own));
        }

        String told = check(nodes);

        assertThat(told.lines()).hasSize(23);
        assertThat(told.lines().filter(line -> line.startsWith("note: ")))
                .containsExactly(
                        "note: edge-007: example.com/sriov_dpdk has no devices, and has some on 19 of 20 nodes");
        assertThat(told).endsWith("exit 0\n");
    }

    private Path node(String name, String text) throws IOException {
        return Files.writeString(captures.resolve(name), text);
    }

    private static String check(List<Path> nodes) {
        StringWriter out = new StringWriter();
        List<String> args = new ArrayList<>(
                List.of("check", "--config", MACHINE.resolve("class.toml").toString(), "--sysroot"));
        nodes.forEach(node -> args.add(node.toString()));
        int exit = Commands.commandLine().setOut(new PrintWriter(out)).execute(args.toArray(String[]::new));
        return out + "exit " + exit + "\n";
    }
}
