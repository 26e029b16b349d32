package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.proto.pluginregistration.InfoRequest;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import io.edgeplug.proto.pluginregistration.RegistrationGrpc;
import io.edgeplug.proto.pluginregistration.RegistrationStatus;
import io.edgeplug.system.files.NeedsRoot;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Plugins that the kubelet finds by itself, in {@code plugins_registry}. */
@Timeout(60)
final class RegistryContractTest {

    @TempDir
    private Path directory = Path.of("");

    private Path kubeletDir = Path.of("");
    private Path registry = Path.of("");
    private final List<KubeletEvent> events = new CopyOnWriteArrayList<>();

    @BeforeEach
    void setUp() {
        kubeletDir = directory.resolve("device-plugins");
        registry = directory.resolve("plugins_registry");
    }

    @Test
    void socketsAreFoundAndSurviveAKubeletRestart() throws Exception {
        try (LocalKubelet kubelet = kubelet();
                TestDaemon daemon = TestDaemon.openInRegistry(directory, registry)) {
            kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
            assertThat(kubelet.admit(PodSpec.of("pod", NODE0, 1))
                            .container("main")
                            .devices(NODE0))
                    .hasSize(1);

            kubelet.restart();

            kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
            assertThat(sockets()).hasSize(3).noneMatch(name -> name.startsWith("."));
        }
        assertThat(sockets()).isEmpty();
    }

    @Test
    void socketIsMadeOnceAndStays() throws Exception {
        assertSocketsStay();
    }

    /** There, Java gives the time of the last change for that of its making. */
    @Test
    @NeedsRoot("mounts a file system")
    void socketIsMadeOnceAlsoWhereFilesHaveNoTimeOfBirth() throws Exception {
        try (Mounted mounted = Mounted.open("ramfs", registry)) {
            assertSocketsStay();
        }
    }

    private void assertSocketsStay() throws Exception {
        Files.createDirectories(registry);
        try (LocalKubelet kubelet = kubelet();
                TestDaemon daemon = TestDaemon.openInRegistry(directory, registry)) {
            kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
            List<String> first = sockets();
            // other plugins come and go, of which each is an event
            for (int i = 0; i < 50; i++) {
                Files.createFile(registry.resolve("other" + i));
                Files.delete(registry.resolve("other" + i));
            }
            daemon.node.fallOff(TestDaemon.VF0);
            kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);

            assertThat(sockets()).isEqualTo(first);
        }
    }

    @Test
    void brokenStreamIsFollowedByANewSocket() throws Exception {
        try (LocalKubelet kubelet = kubelet();
                TestDaemon daemon = TestDaemon.openInRegistry(directory, registry)) {
            String socket = kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE)
                    .endpoint()
                    .orElseThrow();

            kubelet.stop();
            Seen.untilSo(
                    "another socket", () -> sockets().size() == 3 && !sockets().contains(socket));
            kubelet.start();

            kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
        }
    }

    @Test
    void registryThatIsMadeLaterOrReplacedIsFollowed() throws Exception {
        try (TestDaemon daemon = TestDaemon.openInRegistry(directory, registry)) {
            try (LocalKubelet kubelet = kubelet()) {
                kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
            }
            Files.move(registry, directory.resolve("old"));
            try (LocalKubelet kubelet = kubelet()) {
                kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
            }
        }
    }

    @Test
    void pluginSaysWhatItIsAndHeedsWhatBecomesOfIt() throws Exception {
        Files.createDirectories(registry);
        try (LogLines log = LogLines.open();
                Closing closing = new Closing();
                TestDaemon daemon = TestDaemon.openInRegistry(directory, registry)) {
            Seen.untilSo("three sockets", () -> sockets().size() == 3);
            String socket = sockets().stream()
                    .filter(name -> name.contains("gopher"))
                    .findFirst()
                    .orElseThrow();
            UnixRpc rpc = closing.add(UnixRpc.open());
            PluginClient client = closing.add(PluginClient.dial(rpc, registry.resolve(socket)));
            RegistrationGrpc.RegistrationBlockingStub plugin =
                    RegistrationGrpc.newBlockingStub(client.channel()).withWaitForReady();

            PluginInfo info = plugin.getInfo(InfoRequest.getDefaultInstance());
            assertThat(info.getType()).isEqualTo("DevicePlugin");
            assertThat(info.getName()).isEqualTo("example.com/gopher");
            assertThat(info.getSupportedVersionsList()).containsExactly("v1beta1");

            plugin.notifyRegistrationStatus(RegistrationStatus.newBuilder()
                    .setPluginRegistered(false)
                    .setError("no such luck")
                    .build());
            log.await("example.com/gopher: cannot register: no such luck");
            Seen.untilSo(
                    "another socket", () -> sockets().size() == 3 && !sockets().contains(socket));
        }
    }

    private LocalKubelet kubelet() throws IOException {
        return LocalKubelet.open(kubeletDir, KubeletOptions.DEFAULTS.withPluginsRegistry(registry), events::add);
    }

    private List<String> sockets() {
        try (Stream<Path> files = Files.list(registry)) {
            return files.map(path -> path.getFileName().toString())
                    .filter(name -> name.endsWith(".sock"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
