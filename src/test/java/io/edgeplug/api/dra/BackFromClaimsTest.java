package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.PATIENCE;
import static io.edgeplug.api.dra.DraNode.VF0;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.api.kubelet.TestDaemon;
import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A class whose devices were claimed, and that the device plugin offers again. */
@Timeout(90)
final class BackFromClaimsTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");

    @TempDir
    private Path directory = Path.of("");

    private final List<KubeletEvent> events = new CopyOnWriteArrayList<>();

    private void claim() throws Exception {
        try (DraNode node = DraNode.open(directory)) {
            PluginInfo ignored = node.kubelet.register();
            node.allocate("mine", VF0_NAME);
            assertThat(node.kubelet.prepare("mine").getError()).isEmpty();
        }
    }

    private boolean wasOffered(String id) {
        return events.stream()
                .anyMatch(event -> event instanceof KubeletEvent.DeviceList list
                        && list.devices().stream()
                                .anyMatch(device -> device.id().equals(id) && device.healthy()));
    }

    @Test
    void deviceOfAClaimIsWithheldFromPodsUntilTheClaimIsReleased() throws Exception {
        claim();
        Path kubeletDir = directory.resolve("device-plugins");
        PreparedClaims claims = PreparedClaims.read(directory.resolve("claims"));
        assertThat(claims.all()).hasSize(1);
        try (LocalKubelet kubelet =
                        LocalKubelet.open(kubeletDir, KubeletOptions.DEFAULTS.withRoot(directory), events::add);
                TestDaemon daemon = TestDaemon.open(
                        directory, kubeletDir, DraNode.CLASSES.replace("api = \"dra\"\n", ""), claims)) {
            kubelet.await(VF, state -> state.registered() && state.capacity() == 2, PATIENCE);
            kubelet.await(VF, state -> state.allocatable() == 1, PATIENCE);

            assertThat(wasOffered(VF0)).isFalse();
            assertThatThrownBy(() -> daemon.monitor.publication().handOver(VF, Set.of(VF0), Set.of(VF0)))
                    .isInstanceOf(DeviceUnavailableException.class)
                    .hasMessageContaining("is held as example.com/vf by ")
                    .hasMessageContaining("claim mine");

            claims.forget("uid-of-mine");
            // the kubelet's notes change
            kubelet.admit(PodSpec.of("pod", VF, 1));
            kubelet.await(VF, state -> state.allocatable() == 2, PATIENCE);
        }
    }
}
