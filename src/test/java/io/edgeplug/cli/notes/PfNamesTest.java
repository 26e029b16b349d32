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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code check} says of names in {@code pf_names} that are no PF's. */
final class PfNamesTest {

    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "connectx-rdma | ens3v0       | ens3v0 is the interface of 0000:81:00.1, which is of kind vf: write "
                        + "the PF, ens3np0, or ens3np0#0 for this device alone",
                "connectx-rdma | mlx5_0#0-1   | mlx5_0 is the RDMA device of 0000:81:00.0: write ens3np0",
                "connectx-rdma | mlx5_2       | mlx5_2 is the RDMA device of 0000:81:00.2: write "
                        + "the PF, ens3np0, or ens3np0#1 for this device alone",
                "ib-hca        | mlx4_0       | mlx4_0 is the RDMA device of 0000:03:00.0: write ib0 or ib1",
                "sub-functions | enp3s0f0s88  | enp3s0f0s88 is the interface of mlx5_core.sf.4, which is of kind sf: "
                        + "write the PF, enp3s0f0np0, or enp3s0f0np0#88 for this device alone",
                "storage-bond  | bond1        | 'bond1 is a bond: write its ports, ens9f0'"
            })
    void nameOfSomethingElseIsToldWithWhatToWrite(String machine, String name, String note) throws IOException {
        assertThat(check(machine, aClass(name))).contains("note: example.com/a: pf_names: " + note + "\n");
    }

    @ParameterizedTest
    @CsvSource({"connectx-rdma, ens3np0", "connectx-rdma, ens3np0#0", "connectx-rdma, ens*", "storage-bond, none0"})
    void otherNamesAreNotTold(String machine, String name) throws IOException {
        assertThat(check(machine, aClass(name))).doesNotContain("pf_names: " + name + " is");
    }

    @Test
    void entryOfVfsIsToldTheSame() throws IOException {
        assertThat(check("storage-bond", "[[vfs]]\ncount = 1\nmatch = { pf_names = [\"bond1\"] }\n"))
                .containsPattern("note: \\[\\[vfs]] in .*, line 1: no PF matches pf_names bond1; ")
                .containsPattern("note: \\[\\[vfs]] in .*, line 1: pf_names: bond1 is a bond: write its ports, ens9f0");
    }

    private static String aClass(String name) {
        return "[[class]]\nresource = \"example.com/a\"\nkind = \"vf\"\nmatch = { pf_names = [\"" + name + "\"] }\n";
    }

    private String check(String machine, String config) throws IOException {
        Path file = Files.writeString(directory.resolve("edgeplug.toml"), config);
        Console console = new Console();
        try (SimulatedNode node =
                SimulatedNode.unpack(Files.readString(Machine.file(machine, "tree")), directory.resolve("node"))) {
            assertThat(console.execute("check", "--sysroot", node.root().toString(), "--config", file.toString()))
                    .isZero();
        }
        return console.text();
    }
}
