package io.edgeplug.kubelet;

import static io.edgeplug.kubelet.TestDaemon.NODE0;
import static io.edgeplug.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceScan;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.Recipe;
import io.edgeplug.device.Step;
import io.edgeplug.localkubelet.ContainerStartException;
import io.edgeplug.localkubelet.LocalKubelet;
import io.edgeplug.localkubelet.PodSpec;
import io.edgeplug.prepare.Preparation;
import io.edgeplug.prepare.Preparer;
import io.edgeplug.simulation.DemoNode;
import io.edgeplug.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A daemon that is killed in the middle of a preparation, in earnest: a process, SIGKILL, and another process. */
@Timeout(120)
final class KilledDaemonTest {

    private static final String FUNCTION = "sys/bus/pci/devices/0000:3b:01.0";

    private static final PciAddress VF1 = new PciAddress(0, 0x3b, 1, 1);
    private static final Recipe FLR = new Recipe(List.of(new Step.Reset(Step.Reset.Method.FLR)), Recipe.USUAL_TIMEOUT);

    @TempDir
    private Path directory = Path.of("");

    private final Closing closing = new Closing();
    private Path kubeletDir = Path.of("");

    @BeforeEach
    void unpack() throws IOException {
        kubeletDir = directory.resolve("device-plugins");
        SimulatedNode node = closing.add(SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node")));
        node.write(FUNCTION + "/reset_method", "pm flr");
    }

    @AfterEach
    void close() throws Exception {
        closing.close();
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
        assertThat(waiting.progress()).isEqualTo("waits for what is done to another device, or by another process");
        daemon.kill();

        assertThat(waiting.await(PATIENCE)).isTrue();
        container.join();
        assertAsBefore();
    }

    private static Device device(SimulatedNode node, PciAddress address) throws IOException {
        return new DeviceScan(node.sysfs()).function(address).getFirst();
    }
}
