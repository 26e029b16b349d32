package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.GOPHER;
import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.NODE1;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.ContainerAllocation;
import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.ListedDevice;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.simulation.DemoNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a uevent to the kubelet's list, and from Allocate to the container. */
final class DevicePluginsTest {

    @TempDir
    private Path directory = Path.of("");

    private Path kubeletDir = Path.of("");
    private final List<KubeletEvent> events = new CopyOnWriteArrayList<>();

    @BeforeEach
    void setUp() {
        kubeletDir = directory.resolve("device-plugins");
    }

    @Test
    void everyResourceIsRegisteredWithItsDevices() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(states -> states.size() == 3, PATIENCE);

            assertThat(kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE)
                            .devices())
                    .containsExactly(
                            new ListedDevice("0000:3b:01.0", true, List.of(0L)),
                            new ListedDevice("0000:3b:01.1", true, List.of(0L)));
            assertThat(kubelet.await(NODE1, state -> state.allocatable() == 2, PATIENCE)
                            .devices())
                    .extracting(ListedDevice::numaNodes)
                    .containsOnly(List.of(1L));
            assertThat(kubelet.await(GOPHER, state -> state.allocatable() == 2, PATIENCE)
                            .devices())
                    .extracting(ListedDevice::numaNodes)
                    .containsOnly(List.of());
        }
    }

    @Test
    void containerGetsWhatItsClassSays() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(GOPHER, state -> state.allocatable() == 2, PATIENCE);

            ContainerAllocation gophers = kubelet.admit(PodSpec.of("pod", GOPHER, 2))
                    .container("main")
                    .allocation();

            assertThat(gophers.envs()).containsOnly(Map.entry("Gopher", "g1,g2"));
            assertThat(gophers.mounts())
                    .containsExactly(
                            new ContainerAllocation.Mount("/etc/gophers/g1", "/etc/gophers/g1", true),
                            new ContainerAllocation.Mount("/etc/gophers/g2", "/etc/gophers/g2", true));
        }
    }

    @Test
    void pluggedDeviceJoinsTheListAndUnpluggedDeviceLeavesIt() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);

            daemon.node.plug(DemoNode.thirdVf());
            kubelet.await(NODE0, state -> TestDaemon.ids(state).contains("0000:3b:01.2"), PATIENCE);

            daemon.node.pull(VF0);
            kubelet.await(
                    NODE0, state -> TestDaemon.ids(state).equals(List.of("0000:3b:01.1", "0000:3b:01.2")), PATIENCE);
        }
    }

    @Test
    void brokenDeviceIsUnhealthyUntilItIsHealed() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);

            daemon.node.fallOff(VF0);
            kubelet.await(NODE0, state -> state.capacity() == 2 && state.allocatable() == 1, PATIENCE);

            daemon.node.comeBack(VF0);
            kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
        }
    }

    @Test
    void changeOfOneResourceIsNotSentForAnother() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(
                    states -> states.values().stream()
                                    .filter(state -> state.allocatable() == 2)
                                    .count()
                            == 3,
                    PATIENCE);

            daemon.node.fallOff(VF0);
            kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);

            assertThat(lists(NODE0.toString())).hasSize(2);
            assertThat(lists(NODE1.toString())).hasSize(1);
        }
    }

    @Test
    void kubeletThatStartsLaterFindsEveryResource() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir);
                LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add)) {
            kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
            kubelet.await(NODE1, state -> state.allocatable() == 2, PATIENCE);
            kubelet.await(GOPHER, state -> state.allocatable() == 2, PATIENCE);
        }
    }

    @Test
    void restartedKubeletIsRegisteredWithOnceForEachResource() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(states -> states.size() == 3, PATIENCE);
            for (int restarts = 1; restarts <= 10; restarts++) {
                kubelet.restart();
                kubelet.await(
                        states -> states.size() == 3
                                && states.values().stream().allMatch(state -> state.allocatable() == 2),
                        PATIENCE);

                assertThat(registrations()).hasSize(3 * (restarts + 1));
            }
            assertThat(sockets()).hasSize(4);
        }
    }

    @Test
    void socketThatIsDeletedIsServedAnew() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            String socket = kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE)
                    .endpoint()
                    .orElseThrow();

            Files.delete(kubeletDir.resolve("edgeplug").resolve(socket));

            kubelet.await(
                    NODE0,
                    state -> state.allocatable() == 2 && !state.endpoint().equals(Optional.of(socket)),
                    PATIENCE);
        }
    }

    @Test
    void stoppedDaemonLeavesNoSocket() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add)) {
            try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
                kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
            }

            assertThat(sockets()).containsExactly("kubelet.sock");
        }
    }

    private List<KubeletEvent> registrations() {
        return events.stream()
                .filter(event -> event instanceof KubeletEvent.Registered)
                .toList();
    }

    private List<KubeletEvent> lists(String resource) {
        return events.stream()
                .filter(event -> event instanceof KubeletEvent.DeviceList list
                        && list.resource().toString().equals(resource))
                .toList();
    }

    private List<String> sockets() throws IOException {
        try (Stream<Path> files = Files.walk(kubeletDir)) {
            return files.map(path -> path.getFileName().toString())
                    .filter(name -> name.endsWith(".sock"))
                    .sorted()
                    .toList();
        }
    }
}
