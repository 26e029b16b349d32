package io.edgeplug.lab.localkubelet;

import static io.edgeplug.lab.localkubelet.TestPlugin.healthy;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.pluginregistration.InfoRequest;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import io.edgeplug.proto.pluginregistration.RegistrationGrpc.RegistrationImplBase;
import io.edgeplug.proto.pluginregistration.RegistrationStatus;
import io.edgeplug.proto.pluginregistration.RegistrationStatusResponse;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginsRegistryTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");
    private static final PluginInfo GOOD = PluginInfo.newBuilder()
            .setType("DevicePlugin")
            .setName(VF.toString())
            .addSupportedVersions("v1alpha1")
            .addSupportedVersions("v1beta1")
            .build();

    @TempDir
    Path directory;

    private Path registry = Path.of("");
    private TestNode node;
    private UnixRpc rpc;

    @BeforeEach
    void open() throws Exception {
        registry = directory.resolve("plugins_registry");
        node = TestNode.open(
                directory.resolve("device-plugins"), KubeletOptions.DEFAULTS.withPluginsRegistry(registry));
        rpc = UnixRpc.open();
    }

    @AfterEach
    void close() {
        node.close();
        rpc.close();
    }

    @Test
    void pluginIsFoundFollowedAndTold() throws Exception {
        TestPlugin plugin = node.plugin("unused.sock", healthy("a", 1));
        Found found = new Found(GOOD);
        Server server = rpc.serve(registry.resolve("vf.sock"), found, plugin);
        assertThat(found.status().getPluginRegistered()).isTrue();
        ResourceState state = node.await(VF, now -> now.allocatable() == 1);
        assertThat(state.endpoint()).contains("vf.sock");
        assertThat(node.kubelet().admit(PodSpec.of("pod", VF, 1)).containers()).hasSize(1);

        stop(server);
        node.await(VF, now -> now.allocatable() == 0);
    }

    @Test
    void endpointMayBeAnotherSocket() throws Exception {
        node.plugin("vf.sock", healthy("a"));
        Found found = new Found(GOOD.toBuilder()
                .setEndpoint(directory.resolve("device-plugins/vf.sock").toString())
                .build());
        Server server = rpc.serve(registry.resolve("vf-reg.sock"), found);
        assertThat(found.status().getPluginRegistered()).isTrue();
        node.await(VF, now -> now.allocatable() == 1);

        stop(server);
        node.await(VF, now -> now.allocatable() == 0);
        assertThat(node.events(KubeletEvent.StreamEnded.class))
                .containsExactly(new KubeletEvent.StreamEnded(VF, "vf.sock", "its socket vf-reg.sock is gone"));
    }

    @Test
    void socketSurvivesARestartAndIsFoundAgain() throws Exception {
        TestPlugin plugin = node.plugin("unused.sock", healthy("a"));
        Found found = new Found(GOOD);
        Server server = rpc.serve(registry.resolve("vf.sock"), found, plugin);
        assertThat(found.status().getPluginRegistered()).isTrue();
        node.await(VF, now -> now.allocatable() == 1);
        node.kubelet().restart();
        assertThat(registry.resolve("vf.sock")).exists();
        assertThat(found.status().getPluginRegistered()).isTrue();
        node.await(VF, now -> now.allocatable() == 1);
        stop(server);
    }

    @Test
    void brokenStreamIsNotTriedAgainUntilTheSocketIsMadeAnew() throws Exception {
        TestPlugin plugin = node.plugin("unused.sock", healthy("a"));
        Found found = new Found(GOOD);
        Server server = rpc.serve(registry.resolve("vf.sock"), found, plugin);
        assertThat(found.status().getPluginRegistered()).isTrue();
        node.await(VF, now -> now.allocatable() == 1);
        plugin.endStreams();
        node.await(VF, now -> now.allocatable() == 0);
        // longer than it takes to look again
        assertThat(found.next(1500)).isEmpty();

        stop(server);
        Server again = rpc.serve(registry.resolve("vf.sock"), found, plugin);
        assertThat(found.status().getPluginRegistered()).isTrue();
        node.await(VF, now -> now.allocatable() == 1);
        stop(again);
    }

    @Test
    void otherTypesAreRefused() throws Exception {
        assertRefused(
                GOOD.toBuilder().setType("CSIPlugin").build(),
                "RegisterPlugin error -- no handler registered for plugin type: CSIPlugin at socket "
                        + registry.resolve("vf.sock"));
    }

    @Test
    void otherVersionsAreRefused() throws Exception {
        assertRefused(
                GOOD.toBuilder()
                        .clearSupportedVersions()
                        .addSupportedVersions("v1")
                        .addSupportedVersions("v2")
                        .build(),
                "RegisterPlugin error -- plugin validation failed with err: "
                        + "manager version, v1beta1, is not among plugin supported versions [v1 v2]");
    }

    @Test
    void invalidNameIsRefused() throws Exception {
        assertRefused(
                GOOD.toBuilder().setName("vf").build(),
                "RegisterPlugin error -- plugin validation failed with err: "
                        + "invalid name of device plugin socket: the ResourceName \"vf\" is invalid");
    }

    @Test
    void pluginWithoutTheDevicePluginServiceIsToldThatItFailed() throws Exception {
        Found found = new Found(GOOD);
        Server server = rpc.serve(registry.resolve("vf.sock"), found);
        assertThat(found.status().getError())
                .startsWith("RegisterPlugin error -- plugin registration failed with err: "
                        + "failed to get device plugin options: rpc error: code = Unimplemented");
        stop(server);
    }

    @Test
    void namesThatBeginWithADotAndOtherFilesAreIgnored() throws Exception {
        Found hidden = new Found(GOOD);
        Server server = rpc.serve(registry.resolve(".vf.sock"), hidden);
        Files.writeString(registry.resolve("notes.txt"), "");
        Found seen = new Found(GOOD.toBuilder().setType("other").build());
        Server other = rpc.serve(registry.resolve("seen.sock"), seen);
        assertThat(seen.status().getPluginRegistered()).isFalse();
        assertThat(hidden.next(0)).isEmpty();
        stop(server);
        stop(other);
    }

    private void assertRefused(PluginInfo info, String reason) throws Exception {
        Found found = new Found(info);
        Server server = rpc.serve(registry.resolve("vf.sock"), found);
        RegistrationStatus status = found.status();
        assertThat(status.getPluginRegistered()).isFalse();
        assertThat(status.getError()).isEqualTo(reason);
        assertThat(node.events())
                .contains(new KubeletEvent.RegistrationRefused(
                        registry.resolve("vf.sock").toString(), reason));
        stop(server);
    }

    private static void stop(Server server) throws InterruptedException {
        assertThat(server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }

    /** A plugin's registration service, which keeps what it is told. */
    private static final class Found extends RegistrationImplBase {

        private final PluginInfo info;
        private final BlockingQueue<RegistrationStatus> told = new LinkedBlockingQueue<>();

        private Found(PluginInfo info) {
            this.info = info;
        }

        RegistrationStatus status() throws InterruptedException {
            return next(TestNode.DEADLINE.toMillis()).orElseThrow();
        }

        Optional<RegistrationStatus> next(long millis) throws InterruptedException {
            return Optional.ofNullable(told.poll(millis, TimeUnit.MILLISECONDS));
        }

        @Override
        public void getInfo(InfoRequest request, StreamObserver<PluginInfo> caller) {
            caller.onNext(info);
            caller.onCompleted();
        }

        @Override
        public void notifyRegistrationStatus(
                RegistrationStatus status, StreamObserver<RegistrationStatusResponse> caller) {
            told.add(status);
            caller.onNext(RegistrationStatusResponse.getDefaultInstance());
            caller.onCompleted();
        }
    }
}
