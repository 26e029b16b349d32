package io.edgeplug.lab.localkubelet;

import static io.edgeplug.lab.localkubelet.TestPlugin.healthy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegistrationTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");

    @TempDir
    Path directory;

    @Test
    void missingDirectoryIsMade() throws Exception {
        Path missing = directory.resolve("kubelet/device-plugins");
        try (TestNode node = TestNode.open(missing)) {
            assertThat(missing.resolve("kubelet.sock")).exists();
            assertThat(node.events()).containsExactly(new KubeletEvent.Serving(missing.resolve("kubelet.sock")));
        }
    }

    @Test
    void socketsAreWipedAndEverythingElseStays() throws Exception {
        Files.writeString(directory.resolve("DEPRECATION"), "");
        Files.createDirectory(directory.resolve("subdirectory"));
        try (UnixRpc rpc = UnixRpc.open()) {
            Server dead = rpc.serve(directory.resolve("dead.sock"));
            Files.createSymbolicLink(directory.resolve("dangling"), directory.resolve("nothing"));
            try (TestNode node = TestNode.open(directory)) {
                assertThat(namesIn(directory))
                        .containsExactlyInAnyOrder("DEPRECATION", "subdirectory", "dangling", "kubelet.sock");
                assertThat(node.events()).hasSize(1);
            }
            dead.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void pluginIsRegisteredAndItsDevicesAreKnown() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a", 1), healthy("b"));

            ResourceState state = node.kubelet().resource(VF);
            assertThat(state.registered()).isTrue();
            assertThat(state.endpoint()).contains("vf.sock");
            assertThat(state.devices())
                    .containsExactly(new ListedDevice("a", true, List.of(1L)), new ListedDevice("b", true, List.of()));
            assertThat(node.events())
                    .containsExactly(
                            new KubeletEvent.Serving(directory.resolve("kubelet.sock")),
                            new KubeletEvent.Registered(VF, "vf.sock", false, false),
                            new KubeletEvent.DeviceList(VF, state.devices()));
        }
    }

    @Test
    void otherVersionIsRefused() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            assertRefused(
                    node,
                    "v1alpha1",
                    "example.com/vf",
                    "vf.sock",
                    "requested API version \"v1alpha1\" is not supported by kubelet. Supported version is [\"v1beta1\"]");
        }
    }

    @Test
    void invalidResourceNameIsRefused() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            assertRefused(node, "v1beta1", "vf", "vf.sock", "the ResourceName \"vf\" is invalid");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"./vf.sock", "/vf.sock", "of/no/../../consequence/../vf.sock"})
    void endpointIsJoinedToTheDirectoryAsItIs(String endpoint) throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.plugin("vf.sock", healthy("a"));
            node.register(VF, endpoint);
            assertThat(node.await(VF, state -> state.allocatable() == 1).endpoint())
                    .contains("vf.sock");
        }
    }

    @Test
    void endpointMayBeOutsideTheDirectory() throws Exception {
        try (TestNode node = TestNode.open(directory.resolve("device-plugins"))) {
            node.plugin("../vf.sock", healthy("a"));
            node.register(VF, "../vf.sock");
            node.await(VF, state -> state.allocatable() == 1);
        }
    }

    @Test
    void emptyEndpointIsDialledUntilTheDialsDeadline() throws Exception {
        try (TestNode node = TestNode.open(
                directory, KubeletOptions.DEFAULTS, new Deadlines(Duration.ofMillis(200), TestNode.DEADLINE))) {
            assertRefused(
                    node, "v1beta1", "example.com/vf", "", "failed to dial device plugin: context deadline exceeded");
            assertThat(Deadlines.KUBELET.dial()).isEqualTo(Duration.ofSeconds(10));
        }
    }

    @Test
    void pluginThatDoesNotServeIsRefusedAfterTheDialsDeadline() throws Exception {
        try (TestNode node = TestNode.open(
                directory, KubeletOptions.DEFAULTS, new Deadlines(Duration.ofMillis(200), TestNode.DEADLINE))) {
            assertRefused(
                    node,
                    "v1beta1",
                    "example.com/vf",
                    "vf.sock",
                    "failed to dial device plugin: context deadline exceeded");
            assertThat(node.kubelet().resource(VF).known()).isFalse();
        }
    }

    @Test
    void pluginThatServesOnlyAfterItRegisteredIsWaitedFor() throws Exception {
        try (TestNode node = TestNode.open(directory);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> call = callers.submit(() -> node.register(VF, "late.sock"));
            node.plugin("late.sock", healthy("a"));
            call.get(20, TimeUnit.SECONDS);
            node.await(VF, state -> state.allocatable() == 1);
        }
    }

    @Test
    void pluginThatFailsToGiveItsOptionsIsRefused() throws Exception {
        try (TestNode node = TestNode.open(directory);
                UnixRpc rpc = UnixRpc.open()) {
            Server empty = rpc.serve(directory.resolve("vf.sock"));
            assertThatExceptionOfType(StatusRuntimeException.class)
                    .isThrownBy(() -> node.register(VF, "vf.sock"))
                    .withMessageStartingWith("UNKNOWN: failed to get device plugin options: "
                            + "rpc error: code = Unimplemented desc = ");
            empty.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void socketMayRegisterAgainOnceItsStreamHasEnded() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            plugin.endStreams();
            node.await(VF, state -> !state.registered());
            node.register(VF, "vf.sock");
            node.await(VF, state -> state.allocatable() == 1);
        }
    }

    @Test
    void newerPluginServesTheResourceAndTheListStaysUntilItSendsOne() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "old.sock", healthy("a"));
            TestPlugin newer = node.plugin("new.sock");
            newer.silent = true;
            node.register(VF, "new.sock");
            assertThat(node.kubelet().resource(VF).endpoint()).contains("new.sock");
            assertThat(node.kubelet().resource(VF).allocatable()).isEqualTo(1);
            newer.send(healthy("a"), healthy("b"));
            node.await(VF, state -> state.allocatable() == 2);
        }
    }

    @Test
    void asManyPluginsRegisterAtOnceAsASocketTakesConnections() throws Exception {
        try (TestNode node = TestNode.open(directory);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> calls = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                ResourceName resource = ResourceName.parse("example.com/vf" + i);
                String socketName = "vf" + i + ".sock";
                node.plugin(socketName, healthy("a"), healthy("b"));
                calls.add(callers.submit(() -> node.register(resource, socketName)));
            }
            for (Future<?> call : calls) {
                call.get(20, TimeUnit.SECONDS);
            }
            assertThat(node.kubelet()
                            .await(
                                    states -> states.values().stream()
                                                    .filter(state -> state.allocatable() == 2)
                                                    .count()
                                            == 16,
                                    TestNode.DEADLINE))
                    .hasSize(16)
                    .allSatisfy(
                            (resource, state) -> assertThat(state.registered()).isTrue());
            assertThat(node.events(KubeletEvent.Registered.class).stream()
                            .collect(Collectors.groupingBy(KubeletEvent.Registered::resource, Collectors.counting())))
                    .hasSize(16)
                    .contains(entry(ResourceName.parse("example.com/vf7"), 1L));
        }
    }

    private static void assertRefused(
            TestNode node, String version, String resource, String socketName, String reason) {
        assertThatExceptionOfType(StatusRuntimeException.class)
                .isThrownBy(() -> node.register(version, resource, socketName))
                .satisfies(refusal -> {
                    assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.UNKNOWN);
                    assertThat(refusal.getStatus().getDescription()).isEqualTo(reason);
                });
        assertThat(node.events()).contains(new KubeletEvent.RegistrationRefused(resource, reason));
    }

    private static List<String> namesIn(Path directory) throws Exception {
        try (var files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
