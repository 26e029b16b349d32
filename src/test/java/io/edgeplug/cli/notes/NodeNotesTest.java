package io.edgeplug.cli.notes;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.cli.Console;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodeNotesTest {

    private static final String CLASS = """
            [[class]]
            resource = "example.com/disks"
            kind = "pci"
            match = { classes = ["01"] }
            """;

    @TempDir
    private Path root = Path.of("");

    @Test
    void functionOfWhichNoNodeIsKnownIsToldUnlessTheClassBringsOne() throws IOException {
        assertThat(check(CLASS)).isEqualTo("""
                example.com/disks: kind pci, 1 device here, healthy
                note: example.com/disks: a container gets only variables of 0000:00:17.0, because no device node of its driver ahci is known; mounts can name one
                """);
        assertThat(check(CLASS + "mounts = [\"/srv/disk\"]\n").lines())
                .noneMatch(line -> line.contains("only variables"));
        assertThat(check(CLASS + "prepare = { driver = \"vfio-pci\" }\n").lines())
                .noneMatch(line -> line.contains("only variables"));
    }

    private String check(String classes) throws IOException {
        Path config = Files.writeString(root.resolve("edgeplug.toml"), classes);
        try (SimulatedNode node = SimulatedNode.unpack(
                Files.readString(Machine.file("two-sockets-e810", "tree")), root.resolve("node " + classes.length()))) {
            Console console = new Console();
            assertThat(console.execute("check", "--sysroot", node.root().toString(), "--config", config.toString()))
                    .isZero();
            return console.text();
        }
    }
}
