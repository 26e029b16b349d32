package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.GOPHER;
import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.lab.localkubelet.ContainerStartException;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Devices are prepared when the kubelet asks, over its own sockets, and it sees what becomes of them. */
@Timeout(90)
final class PreStartTest {

    private static final String RESET = "sys/bus/pci/devices/" + VF0 + "/reset";

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private Served served(String lines) throws Exception {
        return Served.open(closing, directory, lines);
    }

    @Test
    void deviceIsResetBeforeEachStartOfAContainerAndDoesNotFlap() throws Exception {
        Served served = served("reset = \"flr\"");
        long generation = served.daemon().monitor.current().generation();
        served.kubelet().admit(PodSpec.of("pod", NODE0, 1));

        served.kubelet().startContainer("pod", "main");
        served.kubelet().startContainer("pod", "main");

        assertThat(served.daemon().node.acts())
                .containsExactly(
                        VF0 + " unbound from iavf",
                        VF0 + " reset by flr",
                        VF0 + " bound to iavf",
                        VF0 + " unbound from iavf",
                        VF0 + " reset by flr",
                        VF0 + " bound to iavf");
        assertThat(served.daemon().monitor.current().generation()).isEqualTo(generation);
    }

    @Test
    void resourceThatNeedsNoPreparationIsNotAskedFor() throws Exception {
        Served served = served("reset = \"flr\"");
        served.kubelet().admit(PodSpec.of("pod", GOPHER, 1));

        served.kubelet().startContainer("pod", "main");

        assertThat(served.daemon().node.acts()).isEmpty();
    }

    @Test
    void containerGetsWhatADeviceHasOnceItIsBound() throws Exception {
        Served served = served("driver = \"vfio-pci\"");
        served.kubelet().admit(PodSpec.of("pod", NODE0, 1));

        assertThat(served.kubelet().startContainer("pod", "main").devices())
                .extracting(device -> device.hostPath())
                .contains("/dev/vfio/32");
        assertThat(served.daemon().node.sysfs().linkName("sys/bus/pci/devices/" + VF0 + "/driver"))
                .contains("vfio-pci");
    }

    @Test
    void failureIsTheContainersAndTheDevicesUntilARetrySucceeds() throws Exception {
        Served served = served("reset = \"flr\"");
        served.kubelet().admit(PodSpec.of("pod", NODE0, 1));
        served.daemon().node.interfere(RESET, () -> {
            throw new IOException("Input/output error");
        });

        assertThatThrownBy(() -> served.kubelet().startContainer("pod", "main"))
                .isInstanceOf(ContainerStartException.class)
                .hasMessageContaining(
                        "Device " + VF0 + " could not be prepared: reset: write reset: Input/output error.");
        served.awaitHealth(false);
        assertThat(served.daemon()
                        .monitor
                        .current()
                        .device(NODE0, VF0.toString())
                        .orElseThrow()
                        .health()
                        .problem())
                .contains("could not be prepared: reset: write reset: Input/output error");

        served.daemon().node.interfere(RESET, () -> {});
        served.kubelet().startContainer("pod", "main");
        served.awaitHealth(true);
    }

    @Test
    void failedDeviceGetsAnotherChanceWhenTheKernelTellsOfIt() throws Exception {
        Served served = served("command = [\"/bin/false\"]");
        served.kubelet().admit(PodSpec.of("pod", NODE0, 1));
        assertThatThrownBy(() -> served.kubelet().startContainer("pod", "main"))
                .hasMessageContaining("command: /bin/false: exit status 1.");
        served.awaitHealth(false);

        // what comes at once may be of the preparation itself, so it takes more than one
        long late = System.nanoTime() + PATIENCE.toNanos();
        while (!TestDaemon.isHealthy(served.kubelet().resource(NODE0), VF0)) {
            assertThat(System.nanoTime()).isLessThan(late);
            served.daemon().node.announce("change", VF0);
            LockSupport.parkNanos(50_000_000);
        }
    }

    @Test
    void resetThatHangsInTheKernelCostsTheDeviceAndNothingElseAndIsJoined() throws Exception {
        Served served = served("reset = \"flr\"\ntimeout = 2");
        Path reset = served.daemon().node.root().resolve(RESET).toRealPath();
        Files.delete(reset);
        new ProcessBuilder("mkfifo", reset.toString()).start().waitFor();
        served.kubelet().admit(PodSpec.of("pod", NODE0, 1));

        assertThatThrownBy(() -> served.kubelet().startContainer("pod", "main"))
                .hasMessageContaining("Device " + VF0 + " of example.com/sriov_node0 is not prepared after 2 s: "
                        + "reset has not returned since 20")
                .hasMessageContaining("; the preparation goes on, and the next try waits for it.");
        served.awaitHealth(false);
        assertThat(served.daemon()
                        .monitor
                        .current()
                        .device(NODE0, VF0.toString())
                        .orElseThrow()
                        .health()
                        .problem())
                .hasValueSatisfying(problem ->
                        assertThat(problem).startsWith("is being prepared: reset has not returned since 20"));
        // others are followed and handed over as ever
        served.kubelet().admit(PodSpec.of("other", GOPHER, 1));
        served.kubelet().startContainer("other", "main");

        Files.readAllBytes(reset);
        served.kubelet().startContainer("pod", "main");

        served.awaitHealth(true);
        assertThat(served.daemon().node.acts())
                .containsExactly(VF0 + " unbound from iavf", VF0 + " reset by flr", VF0 + " bound to iavf");
    }

    @Test
    void slowCommandIsJoinedByTheRetryAndTheDeviceStaysHealthy() throws Exception {
        Path runs = directory.resolve("runs");
        Path go = directory.resolve("go");
        Served served = served("timeout = 1\ncommand_timeout = 60\ncommand = [\"/bin/sh\", \"-c\", \"echo x >> " + runs
                + "; until [ -e " + go + " ]; do sleep 0.05; done\"]");
        served.kubelet().admit(PodSpec.of("pod", NODE0, 1));

        assertThatThrownBy(() -> served.kubelet().startContainer("pod", "main"))
                .hasMessageContaining("command has been running since 20");
        assertThatThrownBy(() -> served.kubelet().startContainer("pod", "main"))
                .hasMessageContaining("command has been running since 20");
        assertThat(TestDaemon.isHealthy(served.kubelet().resource(NODE0), VF0)).isTrue();
        Files.createFile(go);
        boolean started = false;
        for (int i = 0; i < 20 && !started; i++) {
            try {
                served.kubelet().startContainer("pod", "main");
                started = true;
            } catch (ContainerStartException e) {
                assertThat(e).hasMessageContaining("command has been running since");
            }
        }

        assertThat(started).isTrue();
        assertThat(Files.readAllLines(runs)).hasSize(1);
    }

    private static final String BOTH = """
            [[class]]
            resource = "example.com/sriov_node0"
            kind = "vf"
            match = { pf_names = ["ens1f0"] }
            [class.prepare]
            reset = "flr"
            """;

    /** The kubelet asks for all devices that a container has of a resource, so whoever asks for some of them is not it. */
    @Test
    void deviceOfAContainerThatIsNotTheOneThatStartsIsNotTouched() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, BOTH));
        kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
        kubelet.admit(PodSpec.of("pod", NODE0, 2));
        kubelet.startContainer("pod", "main");
        List<String> done = daemon.node.acts();
        PluginClient stranger = PluginClient.of(kubelet.resource(NODE0), kubeletDir, closing);

        assertThatThrownBy(() -> stranger.preStart(List.of(VF0.toString())))
                .hasMessage(
                        "FAILED_PRECONDITION: Device " + VF0 + " of example.com/sriov_node0 is held by container main "
                                + "of pod pod, as the kubelet has noted, and this is not the start of that container");
        assertThat(daemon.node.acts()).isEqualTo(done);

        kubelet.startContainer("pod", "main");
        assertThat(daemon.node.acts()).hasSize(2 * done.size());
        kubelet.remove("pod");
        stranger.preStart(List.of(VF0.toString()));
    }

    @Test
    void initContainersDeviceIsPreparedForTheNextContainerOfItsPod() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, BOTH));
        kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
        PodSpec.Container init = new PodSpec.Container("init", Map.of(NODE0, 1));
        PodSpec.Container main = new PodSpec.Container("main", Map.of(NODE0, 2));
        kubelet.admit(new PodSpec("pod", List.of(init), List.of(main)));

        kubelet.startContainer("pod", "init");
        kubelet.startContainer("pod", "main");
        kubelet.startContainer("pod", "main");

        assertThat(daemon.node.acts()).hasSize((1 + 2 + 2) * 3);
    }
}
