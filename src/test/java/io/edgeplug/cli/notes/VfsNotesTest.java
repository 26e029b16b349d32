package io.edgeplug.cli.notes;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.cli.Commands;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What commands that are about all devices say of VFs that are wanted. */
final class VfsNotesTest {

    @TempDir
    private Path root = Path.of("");

    @Test
    void checkComparesWhatIsWantedWithWhatIsThere() throws IOException {
        assertThat(run("sriov-held", "check")).isEqualTo("""
                [[vfs]] in vfs.toml, line 2: 2 VFs, 1 PF here, 0 as wanted
                [[vfs]] in vfs.toml, line 8: 4 VFs, 1 PF here, 0 as wanted
                note: 0000:17:00.0 ens1f0: has 4 and not 2 VFs, and the kernel can only remove all at once: left as it is, since 2 are in use; \
                0000:17:10.0: container dpdk of pod 6f1c0f0e-5a3b-4b54-9d0e-1a2b3c4d5e6f has it, as 0000:17:10.0 of example.com/x710_dpdk
                note: 0000:17:00.1 ens1f1: can have no VFs: sriov_totalvfs is 0, so SR-IOV is off in the adapter's firmware or in the BIOS
                exit 0
                """);
        assertThat(run("two-sockets-e810", "check"))
                .contains(
                        """
                , line 2: 4 VFs, 1 PF here, as wanted
                """,
                        "note: 0000:af:00.0 ens2f0: has 4 of 128 VFs and is not as wanted yet, see edgeplug vfs plan\n");
    }

    @Test
    void explainSaysWhichEntryMadeAVf() throws IOException {
        assertThat(run("two-sockets-e810", "explain", "0000:3b:01.0"))
                .contains("made by [[vfs]] in vfs.toml, line 2: 4 VFs\n");
        assertThat(run("two-sockets-e810", "explain", "0000:af:01.3"))
                .contains("not wanted by [[vfs]] in vfs.toml, line 8: 2 VFs, ");
    }

    @Test
    void listShowsHowManyVfsAPfHasAndCanHave() throws IOException {
        assertThat(run("sriov-held", "list", "-n", "-o", "DEVICE,VFS")
                        .replaceAll(" +", " ")
                        .lines())
                .contains("0000:17:00.0 4/64", "0000:17:00.1 0/0", "0000:17:10.0 -");
    }

    private String run(String machine, String... command) throws IOException {
        Path config = Machine.file(machine, "vfs.toml");
        Path node = Files.createTempDirectory(root, "node");
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out, true);
        int exit;
        try (SimulatedNode unpacked = SimulatedNode.unpack(Files.readString(Machine.file(machine, "tree")), node)) {
            String[] args = Stream.concat(
                            Stream.of(command),
                            Stream.of("--sysroot", unpacked.root().toString(), "--config", config.toString()))
                    .toArray(String[]::new);
            exit = Commands.commandLine().setOut(writer).setErr(writer).execute(args);
        }
        return (out + "exit " + exit + "\n").replace(config.toString(), "vfs.toml");
    }
}
