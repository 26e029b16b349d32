package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.GOPHER;
import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.lab.localkubelet.AdmissionException;
import io.edgeplug.lab.localkubelet.ListedDevice;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.system.files.NeedsRoot;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A file system that does not answer, as NFS without its server, costs the devices that are in it and nothing else. */
@Timeout(60)
final class HungFileTest {

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    @Test
    @NeedsRoot("mounts a file system")
    void fileThatCannotBeLookedAtIsRefusedAndOthersAreHandedOutMeanwhile() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir));
        kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
        PluginClient other = PluginClient.of(kubelet.resource(NODE0), kubeletDir, closing);
        other.options();
        HungFileSystem hung =
                closing.add(HungFileSystem.mount(daemon.node.root().resolve("etc/gophers")));

        CompletableFuture<AdmissionException> refused = CompletableFuture.supplyAsync(() ->
                catchThrowableOfType(AdmissionException.class, () -> kubelet.admit(PodSpec.of("pod", GOPHER, 1))));
        hung.awaitRequest();

        assertThat(other.allocate(List.of(TestDaemon.VF0.toString())).getContainerResponsesCount())
                .isEqualTo(1);
        assertThat(refused.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .hasMessageContaining("of example.com/gopher is unhealthy: its file /etc/gophers/g")
                .hasMessageContaining(" does not answer");
    }

    @Test
    @NeedsRoot("mounts a file system")
    void fileBehindALinkIntoAHungFileSystemDoesNotDelayTheOthersOfItsClass() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir));
        Path far = Files.createDirectories(daemon.node.root().resolve("srv/far"));
        Files.writeString(far.resolve("file"), "");
        Files.createSymbolicLink(daemon.node.root().resolve("etc/gophers/linked"), Path.of("../../srv/far/file"));
        kubelet.await(GOPHER, state -> isHealthy(state.devices(), "linked"), PATIENCE);
        PluginClient plugin = PluginClient.of(kubelet.resource(GOPHER), kubeletDir, closing);
        HungFileSystem hung = closing.add(HungFileSystem.mount(far));

        CompletableFuture<StatusRuntimeException> refused = CompletableFuture.supplyAsync(
                () -> catchThrowableOfType(StatusRuntimeException.class, () -> plugin.allocate(List.of("linked"))));
        hung.awaitRequest();

        assertThat(plugin.allocate(List.of("g1")).getContainerResponsesCount()).isEqualTo(1);
        assertThat(refused.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .hasMessageContaining("its file /etc/gophers/linked does not answer");
    }

    private static boolean isHealthy(List<ListedDevice> devices, String id) {
        return devices.stream().anyMatch(one -> one.id().equals(id) && one.healthy());
    }
}
