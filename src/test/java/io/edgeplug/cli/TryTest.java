package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.system.files.NeedsRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code try} prints and what it leaves alone, on the machine that runs the test and on files of others. */
@Timeout(60)
final class TryTest {

    private static final String FREE = "{\"Data\":{\"PodDeviceEntries\":null,\"RegisteredDevices\":{}},\"Checksum\":1}";
    private static final String HELD =
            "{\"Data\":{\"PodDeviceEntries\":[{\"PodUID\":\"1f3a\",\"ContainerName\":\"main\","
                    + "\"ResourceName\":\"example.com/gopher\",\"DeviceIDs\":{\"0\":[\"g3\"]},\"AllocResp\":\"\"}],"
                    + "\"RegisteredDevices\":{}},\"Checksum\":1}";

    @TempDir
    private Path gophers = Path.of("");

    @TempDir
    private Path directory = Path.of("");

    private final Console printed = new Console();

    @BeforeEach
    void gophers() throws IOException {
        for (int i = 1; i <= 8; i++) {
            Files.createFile(gophers.resolve("g" + i));
        }
        checkpoint(FREE);
    }

    private void checkpoint(String content) throws IOException {
        Files.writeString(directory.resolve("kubelet_internal_checkpoint"), content);
    }

    private String config(String more) throws IOException {
        return Files.writeString(
                        directory.resolve("try.toml"), """
                        kubelet_dir = "%s"
                        [[class]]
                        resource = "example.com/gopher"
                        kind = "path"
                        match = { paths = ["%s/*"] }
                        """.formatted(directory, gophers.toAbsolutePath()) + more)
                .toString();
    }

    /** One that leaves a file for each device that it has prepared. */
    private String configThatPrepares() throws IOException {
        return config("prepare = { command = [\"/bin/touch\", \"" + directory + "/prepared-{id}\"] }\n");
    }

    @Test
    void devicesArePreparedOnlyIfThatIsAskedFor() throws Exception {
        String config = configThatPrepares();

        assertThat(printed.execute("try", "example.com/gopher=g3", "--config", config))
                .isZero();
        assertThat(printed.text()).contains("""
                before its container starts, g3 is prepared:
                  command    /bin/touch %s/prepared-g3
                nothing was done; to do it: edgeplug try --prepare example.com/gopher=g3
                the container gets:
                """.formatted(directory));
        assertThat(directory.resolve("prepared-g3")).doesNotExist();
    }

    @Test
    @NeedsRoot("locks a device of this machine against other processes")
    void devicesArePreparedIfThatIsAskedFor() throws Exception {
        String config = configThatPrepares();

        assertThat(printed.execute("try", "--prepare", "example.com/gopher=g3", "--config", config))
                .isZero();
        assertThat(printed.text())
                .contains("  command    /bin/touch " + directory + "/prepared-g3\nall of that was done\n");
        assertThat(directory.resolve("prepared-g3")).exists();
    }

    @Test
    void resourceThatNoDeviceMatchesIsNotSaidToHaveUnhealthyOnes() throws Exception {
        String config = config("").replace("try.toml", "none.toml");
        Files.writeString(
                Path.of(config), Files.readString(directory.resolve("try.toml")).replace("/*\"", "/none-*\""));

        assertThat(printed.execute("try", "example.com/gopher", "--config", config))
                .isEqualTo(1);
        assertThat(printed.text())
                .isEqualTo("edgeplug: example.com/gopher: no device of this node matches, see edgeplug check\n");
    }

    @Test
    void countOfDevicesPreparesNone() throws Exception {
        assertThat(printed.execute("try", "example.com/gopher=8", "--config", configThatPrepares()))
                .isZero();
        assertThat(directory.resolve("prepared-g3")).doesNotExist();
        assertThat(printed.text())
                .contains("\nnothing was done; to do it: edgeplug try --prepare "
                        + "example.com/gopher=g1,g2,g3,g4,g5,g6,g7,g8\n");
    }

    @Test
    void deviceThatAPodOfThisNodeMayHoldIsNotPrepared() throws Exception {
        String config = configThatPrepares();
        checkpoint(HELD);

        assertThat(printed.execute("try", "--prepare", "example.com/gopher=g3", "--config", config))
                .isEqualTo(1);
        assertThat(printed.text())
                .contains("before its container starts, g3 is prepared:\n")
                .contains("the container gets:\n")
                .contains("edgeplug: g3: not prepared: it may be held by container main of pod 1f3a, as g3 of "
                        + "example.com/gopher\n");
        assertThat(directory.resolve("prepared-g3")).doesNotExist();
    }

    @Test
    void containerGetsTheDevicesThatAreNamed() throws Exception {
        assertThat(printed.execute("try", "example.com/gopher=g7,g2", "--config", config("env = \"GOPHERS\"\n")))
                .isZero();
        assertThat(printed.text()).endsWith("""
                the container gets:
                  env        GOPHERS=g2,g7
                  mount      %1$s/g2 (ro)
                  mount      %1$s/g7 (ro)
                """.formatted(gophers.toAbsolutePath()));
    }

    @Test
    void deviceOfWhichContainersHaveSharesIsNamedByItself() throws Exception {
        assertThat(printed.execute(
                        "try", "example.com/gopher=g7", "--config", config("shares = 3\nenv = \"GOPHERS\"\n")))
                .isZero();
        assertThat(printed.text()).contains("  env        GOPHERS=g7\n");
    }

    @Test
    void deviceThatTheResourceDoesNotHaveIsRefusedByName() throws Exception {
        assertThat(printed.execute("try", "example.com/gopher=g7,g9", "--config", config("")))
                .isEqualTo(1);
        assertThat(printed.text()).endsWith("edgeplug: g9: no such device here, and no resource with one\n");
        assertThat(printed.execute("try", "example.com/gopher=", "--config", config("")))
                .isEqualTo(2);
        assertThat(printed.execute("try", "example.com/gopher=g1,g1", "--config", config("")))
                .isEqualTo(2);
    }

    /** Like a preparation, it is a program of the administrator's, which runs as root. */
    @Test
    void healthCommandDoesNotRun() throws Exception {
        String config = config("health = { command = [\"/bin/touch\", \"" + directory + "/looked-at-{id}\"] }\n");

        assertThat(printed.execute("try", "example.com/gopher=8", "--config", config))
                .isZero();
        assertThat(directory.resolve("looked-at-g3")).doesNotExist();
    }

    @Test
    void resourceWithoutANumberMeansOne() throws Exception {
        assertThat(printed.execute("try", "example.com/gopher", "--config", config("")))
                .isZero();
        assertThat(printed.text()).containsPattern("mount +\\S+/g\\d+");
    }

    @Test
    void devicesOfAnotherNodeAreOnlyLookedAt() throws Exception {
        String tree =
                Files.writeString(directory.resolve("tree"), DemoNode.tree()).toString();
        String config = Files.writeString(directory.resolve("try.toml"), """
                        kubelet_dir = "/none"
                        [[class]]
                        resource = "example.com/vf"
                        kind = "vf"
                        match = { pf_names = ["ens1f0"] }
                        prepare = { reset = "flr" }
                        """).toString();

        assertThat(printed.execute("try", "example.com/vf=2", "--config", config, "--sysroot", tree))
                .isZero();
        assertThat(printed.text()).contains("""
                before its container starts, 0000:3b:01.0 is prepared:
                  reset      flr, without iavf, which is bound again afterwards
                before its container starts, 0000:3b:01.1 is prepared:
                  reset      flr, without iavf, which is bound again afterwards
                nothing was done: the devices are another node's
                the container gets:
                """);
        printed.clear();
        assertThat(printed.execute("try", "--prepare", "example.com/vf=2", "--config", config, "--sysroot", tree))
                .isEqualTo(1);
        assertThat(printed.text())
                .isEqualTo(
                        "edgeplug: --prepare: " + tree + " is another node, whose devices cannot be prepared here\n");
    }
}
