package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Explains devices with classes that are written for the test. */
final class ExplainClassesTest {

    @TempDir
    private Path root = Path.of("");

    @Test
    void groupOfPathsIsOneDevice() throws IOException {
        Path config = Files.writeString(root.resolve("x.toml"), """
                [[class]]
                resource = "example.com/capture"
                kind = "path"
                shares = 2
                [[class.groups]]
                paths = ["/etc/video*", "/etc/sound/*"]
                """);
        Path etc = Files.createDirectories(root.resolve("node/etc/sound")).resolveSibling("video7");
        Files.createFile(etc);
        Files.createFile(root.resolve("node/etc/sound/7"));
        Files.createDirectory(root.resolve("node/sys"));
        StringWriter out = new StringWriter();

        Commands.commandLine()
                .setOut(new PrintWriter(out))
                .execute(
                        "explain",
                        "video7",
                        "--sysroot",
                        root.resolve("node").toString(),
                        "--config",
                        config.toString());

        assertThat(out.toString()).isEqualTo("""
                video7
                  kind       path
                  resource   example.com/capture
                  health     healthy
                  shares     2
                  path       /etc/video7,/etc/sound/7
                example.com/capture: takes it
                  yes  kind path, it has path
                  yes  /etc/video* + /etc/sound/*, it has /etc/video7 + /etc/sound/7
                so it is advertised as example.com/capture
                its container would get
                  mount      /etc/sound/7 (ro)
                  mount      /etc/video7 (ro)
                """);
    }

    @Test
    void preparationIsExplained() throws IOException {
        assertThat(explainedVf("prepare = { driver = \"vfio-pci\", reset = \"flr\" }"))
                .contains("""
                before each container it would be prepared
                  reset      flr, without iavf
                  driver     vfio-pci, instead of iavf
                its container would get
                """);
    }

    @Test
    void claimedDeviceIsPreparedForEachClaim() throws IOException {
        assertThat(explainedVf("""
                api = "dra"
                prepare = { reset = "flr" }
                release = { reset = "flr" }
                """))
                .contains("for each claim it would be prepared\n", "after each claim it would be scrubbed\n");
    }

    /** What is said of a VF of a class with these keys. */
    private String explainedVf(String keys) throws IOException {
        Path config = Files.writeString(root.resolve("x.toml"), """
                [[class]]
                resource = "example.com/vfs"
                kind = "vf"
                match = { pf_names = ["ens1f0"] }
                """ + keys);
        StringWriter out = new StringWriter();
        try (SimulatedNode node = SimulatedNode.unpack(DemoNode.tree(), root.resolve("node"))) {
            Commands.commandLine()
                    .setOut(new PrintWriter(out))
                    .execute(
                            "explain",
                            "0000:3b:01.0",
                            "--sysroot",
                            node.root().toString(),
                            "--config",
                            config.toString());
        }
        return out.toString();
    }

    @Test
    void nameFromOutsideCannotMakeATerminalDoAnything() throws IOException {
        Path config = Files.writeString(root.resolve("x.toml"), """
                [[class]]
                resource = "example.com/vfs"
                kind = "vf"
                match = { pf_names = ["ens\\u202e1"] }
                """);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();

        try (SimulatedNode node = SimulatedNode.unpack(DemoNode.tree(), root.resolve("node"))) {
            Path net = node.root().resolve("sys/bus/pci/devices/0000:3b:01.0/net");
            Files.move(net.resolve("ens1f0v0"), net.resolve("a\u001b[2J"));
            for (String id : List.of("0000:3b:01.0", "x\u009b\u0085\u001b[2J")) {
                Commands.commandLine()
                        .setOut(new PrintWriter(out))
                        .setErr(new PrintWriter(err))
                        .execute("explain", id, "--sysroot", node.root().toString(), "--config", config.toString());
            }
        }

        assertThat(out.toString())
                .contains("  net        a?[2J\n")
                .contains("  no   pf_names ens?1, it has ens1f0#0\n");
        assertThat(err.toString()).isEqualTo("edgeplug: x???[2J: no such device here, and no resource with one\n");
    }
}
