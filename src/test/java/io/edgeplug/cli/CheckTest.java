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
                        example.com/a: kind vf, 2 devices here, healthy
                        example.com/b: kind vf, 2 devices here, healthy
                        example.com/c: kind nic, no devices here
                        note: example.com/c: no device of this node matches
                        """);
    }

    @Test
    void devicesOfOneIommuGroupAreNoted() throws IOException {
        Path machine = Path.of("src/test/machines/vfio-groups");
        try (SimulatedNode node =
                SimulatedNode.unpack(Files.readString(machine.resolve("tree")), directory.resolve("node"))) {
            assertThat(run(machine.resolve("class.toml"), node.root()))
                    .contains("note: example.com/dpu-1.x: one container at a time can have devices of IOMMU group 17, "
                            + "and all that it gets must be of one resource: 0000:43:00.0, 0000:43:00.1\n");
        }
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
                example.com/a: kind vf, 4 devices here, healthy
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
    void driverThatIsCalledAsItsModuleIsNoted() throws IOException {
        String twice = vfClass("a", "drivers = [\"vfio_pci\"]") + "[class.prepare]\ndriver = \"vfio_pci\"\n";

        assertThat(check(twice.replace(
                        "{ drivers = [\"vfio_pci\"] }", "{ pf_names = [\"ens1f0\"], drivers = [\"vfio_pci\"] }")))
                .contains(
                        "note: example.com/a: 0000:3b:01.0, 0000:3b:01.1 would match but for \"drivers vfio_pci\": it has iavf\n",
                        "note: example.com/a: there is no driver \"vfio_pci\", did you mean \"vfio-pci\"? a module and its "
                                + "driver may have different names\n");
    }

    @Test
    void patternOfAShellIsNoted() throws IOException {
        assertThat(check("""
                [[class]]
                resource = "example.com/tty"
                kind = "path"
                match = { paths = ["/dev/ttyUSB[0-9]", "/dev/**", "/dev/tty?"] }
                """))
                .contains(
                        "note: example.com/tty: paths: \"/dev/ttyUSB[0-9]\" is taken literally: only * and ? are "
                                + "patterns, each within one name; brackets, braces and ** are not\n",
                        "note: example.com/tty: paths: \"/dev/**\" is taken")
                .contains("note: example.com/tty: there is nothing at /dev/ttyUSB[0-9], /dev/**, /dev/tty?\n")
                .doesNotContain("\"/dev/tty?\"");
    }

    @Test
    void directoryOfTheKubeletThatIsNotThereIsWarnedOf() throws Exception {
        String tty = """
                [[class]]
                resource = "example.com/tty"
                kind = "path"
                match = { paths = ["/dev/ttyUSB?"] }
                """;
        Path here = Files.createDirectories(directory.resolve("node/var/lib/kubelet/here"));
        Files.createDirectories(directory.resolve("node/dev"));
        Files.createFile(directory.resolve("node/dev/null"));
        Files.createDirectories(directory.resolve("node/sys"));

        assertThat(run(
                        Files.writeString(
                                directory.resolve("z.toml"), "kubelet_dir = \"/var/lib/kublet/here\"\n" + tty),
                        directory.resolve("node")))
                .contains("warning: kubelet_dir: there is no directory /var/lib/kublet/here, so no kubelet is found;"
                        + " for one in /var/lib/kubelet/device-plugins, remove the key\n");
        assertThat(here).isDirectory();
        assertThat(run(
                        Files.writeString(
                                directory.resolve("z.toml"), "kubelet_dir = \"/var/lib/kubelet/here\"\n" + tty),
                        directory.resolve("node")))
                .doesNotContain("kubelet_dir");
    }

    @Test
    void imageDigestAndProgramsAreLookedForBeforeAnyDeviceIsPrepared() throws Exception {
        Path tools = Files.createDirectories(directory.resolve("files/srv"));
        Files.createDirectories(directory.resolve("files/dev"));
        Files.createFile(directory.resolve("files/dev/null"));
        Files.createDirectories(directory.resolve("files/sys"));
        Files.writeString(tools.resolve("other.bin"), "other");
        Files.setAttribute(Files.createFile(tools.resolve("check")), "unix:mode", 0777);
        Path config = Files.writeString(directory.resolve("z.toml"), """
                [[class]]
                resource = "example.com/fpga"
                kind = "fpga"
                match = { vendors = ["8086"] }
                health = { command = ["/srv/check"] }
                [[class.prepare]]
                program = { file = "/srv/none.bin", sha256 = "%1$s", command = ["/srv/load", "{file}"] }
                [[class.prepare]]
                program = { file = "/srv/other.bin", sha256 = "%1$s" }
                command = ["/srv/other.bin", "{id}"]
                """.formatted("0".repeat(64)));

        assertThat(run(config, directory.resolve("files"))).isEqualTo("""
                example.com/fpga: kind fpga, no devices here
                note: example.com/fpga: no device of this node matches
                note: example.com/fpga: this node has no device of kind fpga
                warning: example.com/fpga: prepare: /srv/none.bin: no such file
                warning: example.com/fpga: prepare: /srv/load: no such program
                warning: example.com/fpga: prepare: /srv/other.bin: its sha256 is \
                d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa, not the %s of the class
                warning: example.com/fpga: prepare: /srv/other.bin: is not a program
                warning: example.com/fpga: health.command: /srv/check: can be written by others than its owner, mode 0777
                """.formatted("0".repeat(64)));
    }

    @Test
    void metricsAndLabelsThatWouldNotComeAboutAreWarnedOf() throws Exception {
        Path node = directory.resolve("files");
        for (String name : List.of("dev", "sys", "usr/lib/systemd/system")) {
            Files.createDirectories(node.resolve(name));
        }
        Files.createFile(node.resolve("dev/null"));
        Files.copy(Path.of("systemd/edgeplug.service"), node.resolve("usr/lib/systemd/system/edgeplug.service"));
        Path config = Files.writeString(directory.resolve("z.toml"), """
                [metrics]
                textfile = "/var/lib/none/edgeplug.prom"
                listen = "127.0.0.1:9464"
                [labels]
                nfd = true
                [[class]]
                resource = "example.com/tty"
                kind = "path"
                match = { paths = ["/dev/null"] }
                """);

        assertThat(run(config, node))
                .contains(
                        "warning: metrics.textfile: there is no directory /var/lib/none, so no file is written",
                        "warning: labels.nfd: there is no directory /etc/kubernetes/node-feature-discovery/features.d",
                        "warning: metrics.listen: the sandbox of edgeplug.service keeps it from answering: "
                                + "RestrictAddressFamilies has neither AF_INET nor AF_INET6");

        Files.createDirectories(node.resolve("var/lib/none"));
        Files.createDirectories(node.resolve("etc/kubernetes/node-feature-discovery/features.d"));
        Path dropIn = Files.createDirectories(node.resolve("etc/systemd/system/edgeplug.service.d"));
        Files.writeString(
                dropIn.resolve("metrics.conf"),
                "[Service]\nRestrictAddressFamilies=AF_INET AF_INET6\nIPAddressAllow=localhost\n");
        assertThat(run(config, node)).doesNotContain("warning: ");
    }

    @Test
    void resetOfAVfWhoseInterfaceWouldBeACnisIsWarnedOf() throws IOException {
        assertThat(check(vfClass("a", "pf_names = [\"ens1f0\"]") + "[class.prepare]\nreset = \"flr\"\n"))
                .contains(
                        "warning: example.com/a: prepare.reset: 0000:3b:01.0 is bound to iavf and has a network interface: "
                                + "if a CNI moves that into the pod, the reset fails\n");
    }

    @Test
    void withoutTheNodeOnlyTheConfigurationIsChecked() throws IOException {
        Path config = Files.writeString(directory.resolve("x.toml"), vfClass("a", "vendors = [\"8086\"]"));
        StringWriter out = new StringWriter();

        assertThat(Commands.commandLine()
                        .setOut(new PrintWriter(out))
                        .execute("check", "--config-only", "--sysroot", "/none", "--config", config.toString()))
                .isZero();
        assertThat(out.toString()).isEqualTo("example.com/a: kind vf\n");
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

    static String run(Path config, Path root) {
        Console console = new Console();
        assertThat(console.execute("check", "--sysroot", root.toString(), "--config", config.toString()))
                .isZero();
        return console.text();
    }
}
