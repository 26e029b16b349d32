package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.lab.localkubelet.ContainerStartException;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Step;
import io.edgeplug.node.prepare.Preparation;
import io.edgeplug.node.prepare.PrepareEvent;
import io.edgeplug.node.prepare.Preparer;
import io.edgeplug.node.scan.DeviceScan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A daemon that is killed in the middle of a preparation, in earnest: a process, SIGKILL, and another process. */
@Timeout(120)
final class KilledDaemonTest {

    private static final String FUNCTION = "sys/bus/pci/devices/0000:3b:01.0";

    private static final PciAddress VF1 = new PciAddress(0, 0x3b, 1, 1);
    private static final Recipe FLR = new Recipe(List.of(new Step.Reset(Step.Reset.Method.FLR)), Recipe.USUAL_TIMEOUT);

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private Path kubeletDir = Path.of("");

    @BeforeEach
    void unpack() throws IOException {
        kubeletDir = directory.resolve("device-plugins");
        SimulatedNode node = closing.add(SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node")));
        node.write(FUNCTION + "/reset_method", "pm flr");
    }

    private static String classes(String lines) {
        return """
                [[class]]
                resource = "example.com/sriov_node0"
                kind = "vf"
                match = { pci_addresses = ["%s"] }
                [class.prepare]
                %s
                """.formatted(VF0, lines);
    }

    private DaemonProcess start(LocalKubelet kubelet, String lines, String... hanging) throws Exception {
        DaemonProcess daemon = closing.add(DaemonProcess.start(directory, kubeletDir, classes(lines), hanging));
        kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);
        return daemon;
    }

    private String attribute(String name) throws IOException {
        return node().sysfs().read(FUNCTION + "/" + name).orElse("none");
    }

    private String driver() throws IOException {
        return node().sysfs().linkName(FUNCTION + "/driver").orElse("none");
    }

    private SimulatedNode node() throws IOException {
        return closing.add(SimulatedNode.unpack("", directory.resolve("node")));
    }

    private void assertAsBefore() throws IOException {
        assertThat(driver()).isEqualTo("iavf");
        assertThat(attribute("driver_override")).isEqualTo("(null)");
        assertThat(attribute("reset_method")).isEqualTo("pm flr");
        assertThat(directory.resolve("node").resolve(FUNCTION).resolve("net/ens1f0v0"))
                .isDirectory();
        assertThat(directory.resolve("node/run/edgeplug/prepare")).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource({
        "reset = \"flr\", " + FUNCTION + "/reset, none",
        "reset = \"flr\", " + FUNCTION + "/reset_method, none",
        "reset = \"rebind\", sys/bus/pci/drivers/iavf/bind, none",
        "driver = \"vfio-pci\", sys/bus/pci/drivers/iavf/unbind, iavf",
        "driver = \"vfio-pci\", sys/bus/pci/drivers/vfio-pci/bind, none",
    })
    void nextDaemonPutsBackWhatTheKilledOneHadBegun(String lines, String hangingAt, String driver) throws Exception {
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        DaemonProcess first = start(kubelet, lines, hangingAt);
        kubelet.admit(PodSpec.of("pod", NODE0, 1));
        CompletableFuture<Void> container =
                CompletableFuture.runAsync(() -> assertThatThrownBy(() -> kubelet.startContainer("pod", "main"))
                        .isInstanceOf(ContainerStartException.class));
        first.awaitHanging();
        first.kill();
        container.join();
        assertThat(driver()).isEqualTo(driver);
        assertThat(directory.resolve("node/run/edgeplug/prepare")).isDirectoryContaining("glob:**/" + VF0);

        start(kubelet, lines);

        assertAsBefore();
        kubelet.startContainer("pod", "main");
        assertThat(driver()).isEqualTo(lines.startsWith("driver") ? "vfio-pci" : "iavf");
    }

    @Test
    void whatAnotherProcessDoesIsWaitedForAndPutBackIfItIsKilled() throws Exception {
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        DaemonProcess daemon = start(kubelet, "reset = \"flr\"", FUNCTION + "/reset");
        kubelet.admit(PodSpec.of("pod", NODE0, 1));
        CompletableFuture<Void> container =
                CompletableFuture.runAsync(() -> assertThatThrownBy(() -> kubelet.startContainer("pod", "main"))
                        .isInstanceOf(ContainerStartException.class));
        daemon.awaitHanging();

        SimulatedNode node = node();
        Preparer ours = closing.add(new Preparer(node.sysfs(), kubeletDir, event -> {}));
        ours.recover();
        assertThat(driver()).isEqualTo("none");
        Preparation waiting = ours.prepare(device(node, VF0), FLR);
        Preparation other = ours.prepare(device(node, VF1), FLR);
        assertThat(other.await(PATIENCE)).isTrue();
        assertThat(waiting.await(Duration.ofMillis(200))).isFalse();
        assertThat(waiting.progress())
                .isEqualTo("it waits for the preparation of another device, or for another process");
        daemon.kill();

        assertThat(waiting.await(PATIENCE)).isTrue();
        container.join();
        assertAsBefore();
    }

    /** A command that notes its begin and its end, and goes on until a file is there. */
    private String command(String script) {
        String dir = directory.toString();
        return "command = [\"/bin/sh\", \"-c\", \"cd " + dir + "; echo begin >> log; " + script
                + "echo end >> log\"]\ncommand_timeout = 60";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // the leader goes on, and writes what nobody reads any more
                "until test -e go; do sleep 0.02; done; echo done; ",
                // the leader ends, and a child of it goes on
                "(until test -e go; do sleep 0.02; done; echo end >> log) & until test -e left; do sleep 0.02; done; exit; "
            })
    void commandThatOutlivesAKilledDaemonIsWaitedForByTheNextOne(String script) throws Exception {
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        DaemonProcess first = start(kubelet, command(script));
        kubelet.admit(PodSpec.of("pod", NODE0, 1));
        CompletableFuture<Void> container =
                CompletableFuture.runAsync(() -> assertThatThrownBy(() -> kubelet.startContainer("pod", "main"))
                        .isInstanceOf(ContainerStartException.class));
        awaitLines("begin");
        first.kill();
        container.join();
        Files.createFile(directory.resolve("left"));

        SimulatedNode node = node();
        List<PrepareEvent> events = new CopyOnWriteArrayList<>();
        Preparer next = closing.add(new Preparer(node.sysfs(), kubeletDir, events::add));
        Preparation waiting = next.prepare(device(node, VF0), recipe("until test -e go; do sleep 0.02; done; "));
        assertThat(next.prepare(device(node, VF1), FLR).await(PATIENCE)).isTrue();
        assertThat(waiting.await(Duration.ofMillis(500))).isFalse();
        assertThat(Files.readAllLines(directory.resolve("log"))).containsExactly("begin");
        assertThat(events)
                .anyMatch(event -> event instanceof PrepareEvent.Recovered told
                        && told.what().equals(VF0.toString())
                        && told.text().contains("still runs, started by a process that was killed"));
        Files.createFile(directory.resolve("go"));

        assertThat(waiting.await(PATIENCE)).isTrue();
        assertThat(Files.readAllLines(directory.resolve("log"))).containsExactly("begin", "end", "begin", "end");
        assertThat(directory.resolve("node/run/edgeplug/command")).isEmptyDirectory();
    }

    private Recipe recipe(String script) throws Exception {
        Path file = Files.writeString(directory.resolve("recipe.toml"), classes(command(script)));
        return ConfigFiles.read(file).classes().getFirst().recipe();
    }

    private void awaitLines(String... lines) throws IOException {
        Path log = directory.resolve("log");
        long late = System.nanoTime() + PATIENCE.toNanos();
        while (!Files.exists(log) || !Files.readAllLines(log).equals(List.of(lines))) {
            assertThat(System.nanoTime()).as("%s", log).isLessThan(late);
            LockSupport.parkNanos(5_000_000);
        }
    }

    private static Device device(SimulatedNode node, PciAddress address) throws IOException {
        return new DeviceScan(node.sysfs()).function(address).getFirst();
    }
}
