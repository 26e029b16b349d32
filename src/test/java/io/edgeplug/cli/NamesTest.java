package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

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

/** By which names a person finds devices, and which of them a person can ask for. */
final class NamesTest {

    private static final Path MACHINES = Path.of("src/test/machines");

    @TempDir
    private Path root = Path.of("");

    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @CsvSource({
        "vfio-bound, 0000:5e:02.2, 0000:5e:02.2",
        "vfio-bound, 5e:02.2, 0000:5e:02.2",
        "vfio-bound, 0000:5E:02.2, 0000:5e:02.2",
        "vfio-bound, 5E:02.2, 0000:5e:02.2",
        "vfio-bound, enp94s0f0, 0000:5e:00.0",
        "vfio-bound, /dev/vfio/112, 0000:5e:02.0",
        "vfio-bound, intel.com/x710_dpdk, 0000:5e:02.0 0000:5e:02.1",
        "connectx-rdma, mlx5_1, 0000:81:00.1",
        "connectx-rdma, /dev/infiniband/uverbs1, 0000:81:00.1",
        "dfl-fpga, 5E:00.0-region0, 0000:5e:00.0-region0",
        "dfl-fpga, /dev/dfl-port.0, 0000:5e:00.0-region0",
        "sub-functions, 03:00.0, 0000:03:00.0",
        "sub-functions, mlx5_core.sf.4, mlx5_core.sf.4",
        "vdpa, /dev/vhost-vdpa-0, 0000:65:00.2",
        "rxe, siw0, siw0",
        "rxe, dummy0, siw0"
    })
    void deviceIsFoundByTheNameThatAPersonHas(String machine, String name, String ids) {
        assertThat(list(machine, name)).isEqualTo(List.of(ids.split(" ", -1)));
    }

    @Test
    void fileIsFoundByItsPathAndByALinkToIt() throws IOException {
        Path node = root.resolve("node");
        Files.createDirectories(node.resolve("sys"));
        Files.createFile(Files.createDirectories(node.resolve("dev")).resolve("ttyUSB1"));
        Path byId = Files.createDirectories(node.resolve("dev/serial/by-id"));
        Files.createSymbolicLink(byId.resolve("usb-gps"), Path.of("../../ttyUSB1"));
        String config = Files.writeString(root.resolve("gps.toml"), """
                [[class]]
                resource = "example.com/gps"
                kind = "path"
                match = { paths = ["/dev/serial/by-id/*"] }
                """).toString();

        for (String name : List.of("usb-gps", "/dev/ttyUSB1", "/dev/serial/by-id/usb-gps")) {
            assertThat(execute("list", "-n", "-o", "DEVICE", name, "--sysroot", node.toString(), "--config", config))
                    .as(name)
                    .isEqualTo("usb-gps\n");
        }
    }

    @Test
    void severalDevicesAreExplainedAndOneIsPrepared() {
        assertThat(onMachine("vfio-bound", "explain", "intel.com/x710_dpdk", "enp94s0f0")
                        .lines()
                        .filter(line -> line.startsWith("0000:")))
                .containsExactly("0000:5e:00.0", "0000:5e:02.0", "0000:5e:02.1");
        onMachine("vfio-bound", "prepare", "--dry-run", "intel.com/x710_dpdk");
        assertThat(err.toString())
                .isEqualTo("edgeplug: intel.com/x710_dpdk: is the name of several devices, name one of them: "
                        + "0000:5e:02.0, 0000:5e:02.1\n");
        assertThat(onMachine("vfio-bound", "prepare", "--dry-run", "5E:02.1"))
                .startsWith("0000:5e:02.1 of intel.com/x710_dpdk");
    }

    @Test
    void listShowsWhatIsAdvertisedOrUnhealthyOnly() {
        assertThat(list("vfio-groups", "--advertised"))
                .contains("0000:42:00.0", "0000:44:00.0")
                .doesNotContain("0000:40:01.0", "0000:42:00.1");
        assertThat(list("vfio-groups", "--unhealthy")).containsExactly("0000:42:00.0");
        assertThat(list("vfio-groups", "--unhealthy", "--advertised", "example.com/accel"))
                .isEmpty();
    }

    @Test
    void namesOfVendorsAndDevicesAreThoseOfTheNode() throws IOException {
        try (SimulatedNode node =
                SimulatedNode.unpack(Files.readString(MACHINES.resolve("vfio-bound/tree")), root.resolve("node"))) {
            Path names = Files.createDirectories(node.root().resolve("usr/share/misc"))
                    .resolve("pci.ids");
            Files.writeString(names, """
                    # a comment
                    1022  Advanced Micro Devices, Inc. [AMD]
                    \t154c  Not this one
                    8086  Intel Corporation
                    \t154c  Ethernet Virtual Function 700 Series
                    \t\t8086 0000  Of a subsystem
                    \t1572  Ethernet Controller X710 for 10GbE SFP+
                    C 02  Network controller
                    \t1572  Not a device
                    """);
            assertThat(execute(
                            "list",
                            "-n",
                            "-o",
                            "DEVICE,VENDOR,NAME",
                            "5e:00.0",
                            "5e:02.0",
                            "--sysroot",
                            node.root().toString()))
                    .isEqualTo("""
                            0000:5e:00.0  Intel Corporation  Ethernet Controller X710 for 10GbE SFP+
                            0000:5e:02.0  Intel Corporation  Ethernet Virtual Function 700 Series
                            """);
        }
    }

    @Test
    void helpIsACommandToo() {
        assertThat(execute("help")).contains("Usage: edgeplug").contains("  explain ");
        assertThat(execute("help", "list")).contains("Usage: edgeplug list").contains("--unhealthy");
    }

    private List<String> list(String machine, String... more) {
        String[] command = Stream.concat(Stream.of("list", "-n", "-o", "DEVICE"), Stream.of(more))
                .toArray(String[]::new);
        return onMachine(machine, command).lines().toList();
    }

    private String onMachine(String machine, String... command) {
        Path files = MACHINES.resolve(machine);
        return execute(Stream.concat(
                        Stream.of(command),
                        Stream.of(
                                "--sysroot",
                                files.resolve("tree").toString(),
                                "--config",
                                files.resolve("class.toml").toString()))
                .toArray(String[]::new));
    }

    private String execute(String... args) {
        StringWriter out = new StringWriter();
        Commands.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
        return out.toString();
    }
}
