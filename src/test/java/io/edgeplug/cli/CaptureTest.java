package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.cli.devices.Column;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A captured node is listed as the node itself. */
final class CaptureTest {

    /** Names of PCI devices are of this machine, if it has any. */
    private static final String EVERYTHING = "+"
            + String.join(
                    ",",
                    Stream.of(Column.values())
                            .filter(column -> !column.isOfPciIds())
                            .map(Column::name)
                            .toList());

    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @MethodSource("io.edgeplug.api.kubelet.Machine#names")
    void capturedMachineIsListedAsTheMachineWithEveryFact(String machine) throws IOException {
        Path node = unpack(Files.readString(Machine.file(machine, "tree")));
        Path config = Machine.file(machine, "class.toml");

        // who holds what is not captured
        Files.deleteIfExists(node.resolve("var/lib/kubelet/device-plugins/kubelet_internal_checkpoint"));

        String capture = run("capture", node, config, "--with-identities");

        Path file = Files.writeString(directory.resolve("capture"), capture);
        assertThat(run("list", file, config, "-o", EVERYTHING)).isEqualTo(run("list", node, config, "-o", EVERYTHING));
        assertThat(run("capture", file, config, "--with-identities")).isEqualTo(capture);
        assertThat(run("list", unpack(capture), config)).isEqualTo(run("list", node, config));
    }

    @ParameterizedTest
    @MethodSource("io.edgeplug.api.kubelet.Machine#names")
    void capturedMachineWithoutIdentitiesIsListedAsTheMachine(String machine) throws IOException {
        String tree = Files.readString(Machine.file(machine, "tree"));
        Path node = unpack(tree);
        Path config = Machine.file(machine, "class.toml");

        String capture = run("capture", node, config);

        Path file = Files.writeString(directory.resolve("capture"), capture);
        assertThat(run("list", file, config)).isEqualTo(run("list", node, config));
        assertThat(run("capture", file, config)).as("placeholders are stable").isEqualTo(capture);
        assertThat(capture.lines().skip(1)).noneMatch(line -> line.startsWith("#"));
    }

    @Test
    void thisMachineIsListedAsItsCapture() throws IOException {
        Path config = Files.writeString(directory.resolve("edgeplug.toml"), """
                [[class]]
                resource = "example.com/zero"
                kind = "path"
                match = { paths = ["/dev/zero", "/etc/host*"] }

                [[class]]
                resource = "example.com/pci"
                kind = "pci"
                match = { classes = ["01", "02", "03", "05", "06"] }
                """);

        Path file = Files.writeString(directory.resolve("capture"), run("capture", Path.of("/"), config));

        assertThat(run("list", file, config)).isEqualTo(run("list", Path.of("/"), config));
        assertThat(run("explain", file, config, "zero"))
                .isEqualTo(withoutWarnings(run("explain", Path.of("/"), config, "zero")));
        assertThat(run("list", file, config, "-o", "PATH")).contains("/etc/hosts");
        assertThat(Files.readString(file)).doesNotContain("localhost", "proc/self");
    }

    /** Of what {@code /dev/char} lacks here, a capture tells nothing. */
    private static String withoutWarnings(String explained) {
        return explained
                .lines()
                .filter(line -> !line.startsWith("  warning "))
                .map(line -> line + "\n")
                .collect(Collectors.joining());
    }

    @Test
    void identitiesArePlaceholdersWhereverTheyOccur() throws IOException {
        Path node = unpack("""
                [sys/devices/pci0000:3a/0000:3a:00.0]
                vendor = 0x15b3
                class = 0x020700
                net/enx0c42a1b2c3d4/type = 1
                infiniband/mlx5_0/node_guid = 0c42:a103:00b2:c3d4
                infiniband/mlx5_0/ports/1/state = 4: ACTIVE
                infiniband/mlx5_1/node_guid = 0000:0000:0000:0000
                infiniband/ibx0c42a10300b2c3d4/node_guid = 0c42:a103:00b2:c3d4
                [sys/bus/pci/devices]
                0000:3a:00.0 -> ../../../devices/pci0000:3a/0000:3a:00.0
                [sys/class/net]
                enx0c42a1b2c3d4 -> ../../devices/pci0000:3a/0000:3a:00.0/net/enx0c42a1b2c3d4
                [proc/net]
                route = Iface	Destination	Gateway	Flags	RefCnt	Use	Metric	Mask\\nenx0c42a1b2c3d4	00000000	017AA8C0	0003	0	0	100	00000000\\neth1	0010AC0A	00000000	0001	0	0	0	00FFFFFF
                ipv6_route = 00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000e42a1fffeb2c3d4 00000400 00000001 00000000 00000003 enx0c42a1b2c3d4
                if_inet6 = fe800000000000000e42a1fffeb2c3d4 03 40 20 80 eth1\\nfd000000000000000e42a1fffeb2c3d4 03 40 00 80 eth1
                """);
        Path config = Machine.file("zynq", "class.toml");

        String capture = run("capture", node, config);

        assertThat(capture)
                .doesNotContain("0c42", "b2c3d4", "017AA8C0", "0010AC0A", "fd00", "fe80")
                .contains("[sys/devices/pci0000:3a/0000:3a:00.0/infiniband/mlx5_1]\nnode_guid = 0000:0000:0000:0000\n")
                .contains("\t00000000\t02000004\t0003\t");
        Path file = Files.writeString(directory.resolve("capture"), capture);
        assertThat(run("list", file, config, "-o", "+VFS")).isEqualTo(run("list", node, config, "-o", "+VFS"));
        assertThat(run("explain", file, config, "0000:3a:00.0"))
                .contains("net        enx020000000", "nodeuse    the default route on enx020000000")
                .contains("its node GUID is zero");
    }

    @Test
    void fileThatIsNoCaptureIsToldWithItsLine() throws IOException {
        Path file = Files.writeString(directory.resolve("notes"), "# a capture?\nno\n");
        StringWriter err = new StringWriter();

        int exit =
                Commands.commandLine().setErr(new PrintWriter(err, true)).execute("list", "--sysroot", file.toString());

        assertThat(exit).isEqualTo(ExitCode.FAILURE);
        assertThat(err.toString()).startsWith("edgeplug: " + file + ": not a captured node: line 2: neither ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dev/zero", "/dev/null", "/proc/self/mem"})
    void deviceInPlaceOfACaptureIsNotRead(String device) {
        StringWriter err = new StringWriter();

        int exit = Commands.commandLine().setErr(new PrintWriter(err, true)).execute("topology", "--sysroot", device);

        assertThat(exit).isEqualTo(ExitCode.FAILURE);
        assertThat(err.toString()).startsWith("edgeplug: " + device + ": ").hasLineCount(1);
    }

    /** It would be two lines of the tree. */
    @Test
    void nameWithALineBreakIsLeftOutAndTheRestCanBeReadBack() throws IOException {
        Path node = unpack(DemoNode.tree());
        Path devices = node.resolve("sys/bus/pci/devices");
        Files.createDirectory(devices.resolve("0000:3b:01.0\n0000:3b:01.1"));
        Files.createSymbolicLink(devices.resolve("0000:99:00.0"), Path.of("a\n[etc]\nshadow = x"));
        Files.createSymbolicLink(devices.resolve("0000:99:00.1\n"), Path.of("../devices"));
        Path config = Machine.file(Machine.names().getFirst(), "class.toml");

        String capture = run("capture", node, config);

        assertThat(capture).contains("a tree cannot hold such a name").doesNotContain("\nshadow", "\n[etc]\n");
        Path file = Files.writeString(directory.resolve("capture"), capture);
        assertThat(run("list", file, config)).isEqualTo(run("list", node, config));
    }

    private Path unpack(String tree) throws IOException {
        Path root = Files.createTempDirectory(directory, "node");
        // of a node without PCI nothing is captured
        Files.createDirectory(root.resolve("sys"));
        SimulatedNode.unpack(tree, root).close();
        return root;
    }

    private static String run(String command, Path sysroot, Path config, String... more) {
        StringWriter out = new StringWriter();
        String[] args = Stream.concat(
                        Stream.of(command, "--sysroot", sysroot.toString(), "--config", config.toString()),
                        Stream.of(more))
                .toArray(String[]::new);
        int exit = Commands.commandLine().setOut(new PrintWriter(out)).execute(args);
        assertThat(exit).isZero();
        return out.toString();
    }
}
