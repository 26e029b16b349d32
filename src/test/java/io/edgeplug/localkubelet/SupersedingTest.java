package io.edgeplug.localkubelet;

import static io.edgeplug.localkubelet.TestPlugin.healthy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.edgeplug.device.ResourceName;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of plugins that do not stop the old server before they register the new one. */
class SupersedingTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");
    private static final KubeletOptions K135 = KubeletOptions.DEFAULTS.withMinorVersion(35);
    private static final KubeletOptions K136 = KubeletOptions.DEFAULTS.withMinorVersion(36);

    @TempDir
    Path directory;

    @Test
    void upTo135TheEndOfTheOldStreamCostsTheNewPluginItsDevices() throws Exception {
        try (TestNode node = TestNode.open(directory, K135)) {
            TestPlugin older = node.registered(VF, "old.sock", healthy("a"));
            TestPlugin newer = node.registered(VF, "new.sock", healthy("a"), healthy("b"));
            older.close();

            ResourceState state = node.await(VF, now -> !now.registered());
            assertThat(state.capacity()).isEqualTo(2);
            assertThat(state.allocatable()).isZero();
            assertThat(node.events(KubeletEvent.StreamEnded.class))
                    .extracting(KubeletEvent.StreamEnded::endpoint)
                    .startsWith("old.sock", "new.sock");
            newer.send(healthy("a"), healthy("b"), healthy("c"));
            assertThat(node.kubelet().resource(VF).allocatable()).isZero();

            node.register(VF, "new.sock");
            node.await(VF, now -> now.allocatable() == 3);
        }
    }

    @Test
    void from136TheEndOfTheOldStreamCostsTheNewPluginNothing() throws Exception {
        try (TestNode node = TestNode.open(directory, K136)) {
            TestPlugin older = node.registered(VF, "old.sock", healthy("a"));
            node.registered(VF, "new.sock", healthy("a"), healthy("b"));
            older.close();
            node.awaitEvents(KubeletEvent.StreamEnded.class, 1);

            ResourceState state = node.kubelet().resource(VF);
            assertThat(state.endpoint()).contains("new.sock");
            assertThat(state.allocatable()).isEqualTo(2);
        }
    }

    @Test
    void noKubeletEndsTheOldStreamByItself() throws Exception {
        try (TestNode node = TestNode.open(directory, K136)) {
            TestPlugin older = node.registered(VF, "old.sock", healthy("a"));
            node.registered(VF, "new.sock", healthy("b"), healthy("c"));
            assertThat(older.streams()).isEqualTo(1);
            assertThat(node.events(KubeletEvent.StreamEnded.class)).isEmpty();
        }
    }

    @Test
    void upTo135AnyLivingStreamsListCounts() throws Exception {
        try (TestNode node = TestNode.open(directory, K135)) {
            TestPlugin older = node.registered(VF, "old.sock", healthy("a"));
            node.registered(VF, "new.sock", healthy("a"), healthy("b"));
            older.send(healthy("a"), healthy("b"), healthy("c"));
            assertThat(node.await(VF, now -> now.allocatable() == 3).endpoint()).contains("new.sock");
        }
    }

    @Test
    void upTo135TheSameSocketRegistersAgainWhileItsStreamLives() throws Exception {
        try (TestNode node = TestNode.open(directory, K135)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            node.register(VF, "vf.sock");
            node.awaitEvents(KubeletEvent.DeviceList.class, 2);
            assertThat(plugin.streams()).isEqualTo(2);

            plugin.endOldestStream();
            node.await(VF, now -> !now.registered());
        }
    }

    @Test
    void from136TheSameSocketIsADuplicateWhileItsStreamLives() throws Exception {
        try (TestNode node = TestNode.open(directory, K136)) {
            node.registered(VF, "vf.sock", healthy("a"));
            assertThatExceptionOfType(StatusRuntimeException.class)
                    .isThrownBy(() -> node.register(VF, "vf.sock"))
                    .withMessageContaining("is already registered");
            assertThat(node.kubelet().resource(VF).allocatable()).isEqualTo(1);
        }
    }

    @Test
    void upTo135ADialThatFailsOrphansTheLivingPlugin() throws Exception {
        Deadlines short200 = new Deadlines(Duration.ofMillis(200), TestNode.DEADLINE);
        try (TestNode node = TestNode.open(directory, K135, short200)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            assertThatExceptionOfType(StatusRuntimeException.class).isThrownBy(() -> node.register(VF, "none.sock"));
            plugin.endStreams();
            node.awaitEvents(KubeletEvent.StreamEnded.class, 1);
            assertThat(node.kubelet().resource(VF).allocatable()).isEqualTo(1);
        }
    }
}
