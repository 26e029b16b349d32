package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.lab.localkubelet.AdmissionException;
import io.edgeplug.lab.localkubelet.ContainerStartException;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.inventory.Inventory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A node with two serial sticks, for which a daemon serves pods. */
abstract class OnSticks {

    static final ResourceName ZIGBEE = ResourceName.parse("example.com/zigbee");
    static final ResourceName ZWAVE = ResourceName.parse("example.com/zwave");

    private static final String SERIAL_CLASS = """
            [[class]]
            resource = "example.com/%1$s"
            kind = "path"
            %2$s
            match = { paths = ["/dev/serial/by-id/usb-%1$s-*"] }

            """;

    @TempDir
    Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    LocalKubelet kubelet;
    Path kubeletDir = Path.of("");
    Path dev = Path.of("");
    private Path links = Path.of("");

    @BeforeEach
    void plugTwoSticks() throws Exception {
        dev = Files.createDirectories(directory.resolve("node/dev"));
        Files.createFile(dev.resolve("null"));
        links = Files.createDirectories(dev.resolve("serial/by-id"));
        kubeletDir = directory.resolve("device-plugins");
        kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        plug("zigbee", "ttyUSB0");
        plug("zwave", "ttyUSB1");
    }

    static String classes(String line) {
        return SERIAL_CLASS.formatted("zigbee", line) + SERIAL_CLASS.formatted("zwave", line);
    }

    TestDaemon open(String line) throws Exception {
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, classes(line)));
        kubelet.await(ZIGBEE, state -> state.registered() && state.capacity() == 1, Duration.ofSeconds(8));
        kubelet.await(ZWAVE, state -> state.registered() && state.capacity() == 1, Duration.ofSeconds(8));
        return daemon;
    }

    void plug(String stick, String node) throws IOException {
        Files.createFile(dev.resolve(node));
        link(stick, node);
    }

    void link(String stick, String node) throws IOException {
        Files.createSymbolicLink(links.resolve("usb-" + stick + "-1"), Path.of("../../" + node));
    }

    void pull(String stick, String node) throws IOException {
        Files.delete(links.resolve("usb-" + stick + "-1"));
        Files.delete(dev.resolve(node));
    }

    void swap() throws IOException {
        pull("zigbee", "ttyUSB0");
        pull("zwave", "ttyUSB1");
        plug("zwave", "ttyUSB0");
        plug("zigbee", "ttyUSB1");
    }

    void run(String pod, ResourceName resource) throws AdmissionException, ContainerStartException {
        kubelet.admit(PodSpec.of(pod, resource, 1));
        kubelet.startContainer(pod, "main");
    }

    void runBoth() throws AdmissionException, ContainerStartException {
        run("house", ZIGBEE);
        run("heating", ZWAVE);
    }

    void awaitHealthy(ResourceName resource) throws Exception {
        kubelet.await(resource, state -> state.allocatable() == 1, Duration.ofSeconds(8));
    }

    void awaitUnhealthy(TestDaemon daemon, ResourceName resource, String problem) throws Exception {
        kubelet.await(resource, state -> state.capacity() == 1 && state.allocatable() == 0, Duration.ofSeconds(8));
        Inventory now = daemon.monitor.current();
        while (!problem(now, resource).equals(problem)) {
            now = daemon.monitor.inventories().awaitNewerThan(now.generation());
        }
    }

    static String problem(Inventory inventory, ResourceName resource) {
        return inventory.devices(resource).stream()
                .map(device -> device.health())
                .flatMap(health -> health.problem().stream())
                .findFirst()
                .orElse("");
    }

    String refusal(String pod) {
        ContainerStartException refused =
                catchThrowableOfType(ContainerStartException.class, () -> kubelet.startContainer(pod, "main"));
        assertThat(refused).as("refusal of the start of " + pod).isNotNull();
        return String.valueOf(refused.getMessage());
    }
}
