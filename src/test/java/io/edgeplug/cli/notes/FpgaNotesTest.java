package io.edgeplug.cli.notes;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.cli.Commands;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Alveo cards that are no FPGA yet say what is missing, and what to do. */
final class FpgaNotesTest {

    private static final Path MACHINE = Path.of("src/test/machines/alveo-without-user-function");

    @TempDir
    private Path directory = Path.of("");

    private String run(String... arguments) throws Exception {
        try (SimulatedNode node = SimulatedNode.unpack(
                Files.readString(MACHINE.resolve("tree")), Files.createTempDirectory(directory, "node"))) {
            StringWriter out = new StringWriter();
            PrintWriter writer = new PrintWriter(out, true);
            String[] all = new String[arguments.length + 4];
            System.arraycopy(arguments, 0, all, 4, arguments.length);
            all[0] = all[4];
            all[1] = "--sysroot";
            all[2] = node.root().toString();
            all[3] = "--config";
            all[4] = MACHINE.resolve("class.toml").toString();
            int ignored = Commands.commandLine().setOut(writer).setErr(writer).execute(all);
            return out.toString();
        }
    }

    @Test
    void listAndCheckAndExplainSayWhatIsMissing() throws Exception {
        for (String command : new String[] {"check", "list"}) {
            assertThat(run(command))
                    .contains("0000:3b:00.0 is only the management function of an Alveo card")
                    .contains("0000:08:00.0 is an Alveo card in recovery")
                    .contains("0000:09:00.1 has no driver: the driver xocl makes the user function")
                    .doesNotContain("0000:09:00.0 is");
        }
        assertThat(run("explain", "0000:09:00.1")).contains("it has no driver: the driver xocl makes");
    }
}
