package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the commands say of devices that several classes offer, of which a pod holds one. */
final class FacesTest {

    private static final String HELD = "0000:17:10.0";
    private static final String FREE = "0000:17:10.2";

    @TempDir
    private Path directory = Path.of("");

    private final Console console = new Console();

    @AutoClose
    private SimulatedNode node;

    @BeforeEach
    void open() throws IOException {
        node = SimulatedNode.unpack(
                Files.readString(Path.of("src/test/machines/sriov-held/tree")), directory.resolve("node"));
        Files.writeString(directory.resolve("edgeplug.toml"), """
                [[class]]
                resource = "example.com/x710_net"
                kind = "vf"
                faces = "exclusive"
                match = { vendors = ["8086"] }

                [[class]]
                resource = "example.com/x710_dpdk"
                kind = "vf"
                faces = "exclusive"
                match = { vendors = ["8086"] }
                prepare = { driver = "vfio-pci" }
                release = { reset = "flr" }
                """);
    }

    private String run(String command, String... args) {
        console.clear();
        String[] all = new String[args.length + 5];
        all[0] = command;
        all[1] = "--sysroot";
        all[2] = node.root().toString();
        all[3] = "--config";
        all[4] = directory.resolve("edgeplug.toml").toString();
        System.arraycopy(args, 0, all, 5, args.length);
        assertThat(console.execute(all)).as(console.text()).isZero();
        return console.text();
    }

    @Test
    void listHasALineForEachFaceAndTellsWhichIsHeld() {
        assertThat(run("list", "-n", "-o", "DEVICE,RESOURCE,FACE,CONTAINER", HELD)
                        .lines())
                .containsExactly(
                        "0000:17:10.0  example.com/x710_net   other  -",
                        "0000:17:10.0  example.com/x710_dpdk  held   dpdk");
    }

    @Test
    void explainTellsWhatEachFaceWouldDo() {
        assertThat(run("explain", HELD))
                .contains("example.com/x710_dpdk: takes it too, as another of its faces\n")
                .contains("so it is advertised as example.com/x710_net\nso it is advertised as example.com/x710_dpdk\n")
                .contains("held by pod 6f1c0f0e-5a3b-4b54-9d0e-1a2b3c4d5e6f (dpdk)")
                .contains(" as example.com/x710_dpdk\n")
                .contains("as example.com/x710_dpdk, before each container it would be prepared\n")
                .contains("as example.com/x710_dpdk, after its last pod it would be scrubbed\n  reset      flr")
                .contains("as example.com/x710_net, its container would get\n")
                .containsOnlyOnce("\n  kind ");
    }

    @Test
    void facesOfADeviceAreNotNotedAsAnOverlap() {
        assertThat(run("check")).isEqualTo("""
                example.com/x710_net: kind vf, 4 devices here, healthy
                example.com/x710_dpdk: kind vf, 4 devices here, healthy
                """);
    }

    @Test
    void topologyDrawsADeviceOnceAsItIsHeld() {
        assertThat(run("topology").lines().filter(line -> line.contains(HELD)))
                .singleElement()
                .asString()
                .contains("example.com/x710_dpdk");
    }

    @Test
    void whatIsDoneByHandIsThatOfTheFaceThatIsAskedFor() {
        assertThat(run("prepare", "--dry-run", "--release", "--as", "example.com/x710_dpdk", FREE))
                .startsWith(FREE + " of example.com/x710_dpdk\n  reset      flr");
        assertThat(run("prepare", "--dry-run", FREE))
                .isEqualTo(FREE + " of example.com/x710_net: nothing to do, its class has no [class.prepare]\n");
    }

    @Test
    void faceThatADeviceHasNotIsRefused() {
        console.clear();
        int status = console.execute(
                "prepare",
                "--sysroot",
                node.root().toString(),
                "--config",
                directory.resolve("edgeplug.toml").toString(),
                "--as",
                "example.com/none",
                FREE);
        assertThat(status).isEqualTo(ExitCode.FAILURE);
        assertThat(console.text()).contains(FREE + ": is no device of example.com/none, see edgeplug explain");
    }

    @Test
    void mistakesOfFacesAreToldTogether() throws IOException {
        Files.writeString(directory.resolve("edgeplug.toml"), """
                [[class]]
                resource = "example.com/one"
                kind = "vf"
                faces = "shared"
                shares = 2
                match = { vendors = ["8086"] }
                health = { command = ["/bin/true"] }
                """);
        console.clear();
        int status = console.execute(
                "check", "--config", directory.resolve("edgeplug.toml").toString());
        assertThat(status).isEqualTo(ExitCode.CONFIG);
        assertThat(console.text())
                .contains("faces: \"shared\" is not exclusive\n")
                .contains("faces: contradicts shares: a device is one pod's as one of its faces\n")
                .contains("faces: contradicts the command of [class.health]");
    }
}
