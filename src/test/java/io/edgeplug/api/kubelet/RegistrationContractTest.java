package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.lab.localkubelet.DevicePluginApi;
import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.v1beta1.RegisterRequest;
import io.edgeplug.system.flow.Deadline;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How a plugin comes to its kubelet: once for each, on a new socket that is served already. */
@Timeout(60)
final class RegistrationContractTest {

    @TempDir
    private Path directory = Path.of("");

    private Path kubeletDir = Path.of("");
    private final List<KubeletEvent> events = new CopyOnWriteArrayList<>();

    @BeforeEach
    void setUp() {
        kubeletDir = directory.resolve("device-plugins");
    }

    @Test
    void pluginServesBeforeItRegistersAndSendsWhatTheKubeletExpects() throws Exception {
        try (RoughKubelet kubelet = RoughKubelet.open(kubeletDir, RoughKubelet::follow);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            for (PluginClient.Watch watch : kubelet.watches().awaitCount(3)) {
                watch.lists().awaitCount(1);
            }

            assertThat(kubelet.failures()).isEmpty();
            assertThat(kubelet.registrations().all())
                    .allMatch(request -> request.getVersion().equals("v1beta1"))
                    .allMatch(request -> request.getEndpoint().matches("edgeplug/edgeplug-[^/]*\\.sock"))
                    .extracting(RegisterRequest::getResourceName)
                    .containsExactlyInAnyOrder(
                            "example.com/sriov_node0", "example.com/sriov_node1", "example.com/gopher");
        }
    }

    @Test
    void noKubeletIsToldTheSameSocketTwiceAndOldOnesAreUnlinked() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir);
                RoughKubelet kubelet = RoughKubelet.open(kubeletDir, RoughKubelet::hangUp)) {
            kubelet.registrations().awaitCount(15);

            assertThat(kubelet.registrations().all())
                    .extracting(RegisterRequest::getEndpoint)
                    .doesNotHaveDuplicates();
            assertThat(sockets().size()).isLessThanOrEqualTo(3);
        }
        assertThat(kubeletDir).isEmptyDirectory();
    }

    @Test
    void twentyResourcesAreRegisteredOnceEachAfterARestart() throws Exception {
        StringBuilder classes = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            Files.createDirectories(directory.resolve("node/etc/many" + i));
            Files.createFile(directory.resolve("node/etc/many" + i + "/device-" + i));
            classes.append(TestDaemon.filesClass("example.com/many-" + i, "many" + i));
        }
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir, classes.toString())) {
            kubelet.await(states -> TestDaemon.allHave(1, 20, states), PATIENCE);
            events.clear();
            kubelet.restart();
            kubelet.await(states -> TestDaemon.allHave(1, 20, states), PATIENCE);

            assertThat(registered()).hasSize(20).doesNotHaveDuplicates();
        }
    }

    @Test
    void longNamesThatDifferInTheirLastCharacterGetSocketsThatFit() throws Exception {
        String name = "example.com/" + "x".repeat(62);
        Files.createDirectories(directory.resolve("node/etc/one"));
        Files.createDirectories(directory.resolve("node/etc/two"));
        Files.createFile(directory.resolve("node/etc/one/device-one"));
        Files.createFile(directory.resolve("node/etc/two/device-two"));
        Path deep = directoryOfLength(66);
        String classes = TestDaemon.filesClass(name + "1", "one") + TestDaemon.filesClass(name + "2", "two");
        try (LocalKubelet kubelet = LocalKubelet.open(deep, events::add);
                TestDaemon daemon = TestDaemon.open(directory, deep, classes)) {
            kubelet.await(states -> TestDaemon.allHave(1, 2, states), PATIENCE);

            Set<String> sockets = kubelet.resources().values().stream()
                    .map(state -> deep.resolve("edgeplug")
                            .resolve(state.endpoint().orElseThrow())
                            .toString())
                    .collect(Collectors.toSet());
            assertThat(sockets).hasSize(2).allMatch(socket -> socket.length() == 107);
        }
    }

    @Test
    void directoryThatIsTooDeepForSocketsIsToldOnceForEachResource() throws Exception {
        Path deep = directoryOfLength(85);
        try (LogLines log = LogLines.open();
                LocalKubelet kubelet = LocalKubelet.open(deep, events::add);
                TestDaemon daemon = TestDaemon.open(directory, deep)) {
            log.await("example.com/gopher: cannot serve in");
            // each try touches nothing that could be waited for, so as many tries as fit in this
            Files.createFile(deep.resolve("something"));
            Files.delete(deep.resolve("something"));
            log.await("example.com/sriov_node0: cannot serve in");
            log.await("example.com/sriov_node1: cannot serve in");
            Seen.untilSo("some retries", Deadline.in(Duration.ofMillis(800))::isOver);

            assertThat(log.warnings()).hasSize(3);
        }
    }

    @Test
    void socketsOfAKilledDaemonAreDeletedAndOtherFilesStay() throws Exception {
        Files.createDirectories(kubeletDir.resolve("edgeplug"));
        Path abandoned = kubeletDir.resolve("edgeplug/edgeplug-example.com_gopher-0123456789ab.sock");
        Path others = kubeletDir.resolve("other.sock");
        abandon(abandoned);
        abandon(others);
        Files.createFile(kubeletDir.resolve("kubelet_internal_checkpoint"));

        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            assertThat(abandoned).doesNotExist();
            assertThat(others).exists();
            assertThat(kubeletDir.resolve("kubelet_internal_checkpoint")).exists();
        }
    }

    @Test
    void secondDaemonInTheSameDirectoryDoesNotStart() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);

            assertThatThrownBy(() -> TestDaemon.open(directory, kubeletDir))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(kubeletDir + "/edgeplug/edgeplug-")
                    .hasMessageEndingWith(": another edgeplug serves it, stop that one first");
            assertThat(kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE))
                    .hasSize(3);
            assertThat(registered()).hasSize(3);
        }
    }

    @Test
    void kubeletThatSpeaksOnlyTheFirstVersionGetsEveryResourceAndCanAllocate() throws Exception {
        KubeletOptions old = KubeletOptions.DEFAULTS.withApis(Set.of(DevicePluginApi.V1ALPHA1));
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, old, events::add);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
            assertThat(kubelet.admit(PodSpec.of("pod", NODE0, 2))
                            .container("main")
                            .allocation()
                            .envs())
                    .containsValue("0000:3b:01.0,0000:3b:01.1");

            kubelet.restart();
            kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
            assertThat(registered()).hasSize(6);
        }
    }

    @Test
    void kubeletThatIsUpgradedIsSpokenToInTheNewVersion() throws Exception {
        KubeletOptions old = KubeletOptions.DEFAULTS.withApis(Set.of(DevicePluginApi.V1ALPHA1));
        try (LogLines log = LogLines.open();
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, old, events::add)) {
                kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
            }
            events.clear();
            try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add)) {
                kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
            }
            assertThat(log.with("cannot register")).isEmpty();
        }
        assertThat(events)
                .filteredOn(event -> event instanceof KubeletEvent.Registered)
                .hasSize(3)
                .allMatch(event -> ((KubeletEvent.Registered) event).preferredAllocationAvailable());
    }

    private List<ResourceName> registered() {
        return events.stream()
                .flatMap(event ->
                        event instanceof KubeletEvent.Registered one ? Stream.of(one.resource()) : Stream.empty())
                .toList();
    }

    private List<String> sockets() throws IOException {
        try (Stream<Path> files = Files.list(kubeletDir.resolve("edgeplug"))) {
            return files.map(path -> path.getFileName().toString())
                    .filter(name -> name.endsWith(".sock"))
                    .sorted()
                    .toList();
        }
    }

    /** A socket as a killed process leaves it: nobody listens. */
    private static void abandon(Path socket) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
        }
    }

    private Path directoryOfLength(int bytes) {
        int missing = bytes - directory.toString().length() - 1;
        return directory.resolve(IntStream.range(0, missing).mapToObj(i -> "d").collect(Collectors.joining()));
    }
}
