package io.edgeplug.lab.localkubelet;

import static io.edgeplug.lab.localkubelet.TestPlugin.healthy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.edgeplug.model.device.ResourceName;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of plugins that do not stop the old server before they register the new one. */
class SupersedingTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");
    private static final KubeletOptions K136 = KubeletOptions.DEFAULTS.withMinorVersion(36);
    private static final KubeletOptions K137 = KubeletOptions.DEFAULTS.withMinorVersion(37);

    @TempDir
    Path directory;

    @Test
    void upTo136TheEndOfTheOldStreamCostsTheNewPluginItsDevices() throws Exception {
        try (TestNode node = TestNode.open(directory, K136)) {
            TestPlugin older = node.registered(VF, "old.sock", healthy("a"));
            TestPlugin newer = node.registered(VF, "new.sock", healthy("a"), healthy("b"));
            older.close();

            ResourceState state = node.await(VF, now -> !now.registered());
            assertThat(state.capacity()).isEqualTo(2);
            assertThat(state.allocatable()).isZero();
            node.awaitEvents(KubeletEvent.StreamEnded.class, 2);
            assertThat(node.events(KubeletEvent.StreamEnded.class))
                    .extracting(KubeletEvent.StreamEnded::endpoint)
                    .containsExactly("old.sock", "new.sock");
            newer.send(healthy("a"), healthy("b"), healthy("c"));
            assertThat(node.kubelet().resource(VF).allocatable()).isZero();

            node.register(VF, "new.sock");
            node.await(VF, now -> now.allocatable() == 3);
        }
    }

    @Test
    void from137TheEndOfTheOldStreamCostsTheNewPluginNothing() throws Exception {
        try (TestNode node = TestNode.open(directory, K137)) {
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
    void from137AnOlderPluginIsPromotedWhenTheNewestEndsAndTheListStays() throws Exception {
        try (TestNode node = TestNode.open(directory, K137)) {
            TestPlugin older = node.registered(VF, "old.sock", healthy("a"));
            TestPlugin newer = node.registered(VF, "new.sock", healthy("a"), healthy("b"));
            newer.close();
            node.awaitEvents(KubeletEvent.StreamEnded.class, 1);

            ResourceState state = node.kubelet().resource(VF);
            assertThat(state.endpoint()).contains("old.sock");
            assertThat(state.devices()).extracting(ListedDevice::toString).containsExactly("a", "b");
            node.kubelet().admit(PodSpec.of("pod", VF, 2));
            assertThat(older.allocations).hasSize(1);

            older.close();
            assertThat(node.await(VF, now -> !now.registered()).allocatable()).isZero();
        }
    }

    @Test
    void noKubeletEndsTheOldStreamByItself() throws Exception {
        try (TestNode node = TestNode.open(directory, K137)) {
            TestPlugin older = node.registered(VF, "old.sock", healthy("a"));
            node.registered(VF, "new.sock", healthy("b"), healthy("c"));
            assertThat(older.streams()).isEqualTo(1);
            assertThat(node.events(KubeletEvent.StreamEnded.class)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {36, 37})
    void listOfAnyLivingStreamReplacesTheList(int minor) throws Exception {
        try (TestNode node = TestNode.open(directory, KubeletOptions.DEFAULTS.withMinorVersion(minor))) {
            TestPlugin older = node.registered(VF, "old.sock", healthy("a"));
            node.registered(VF, "new.sock", healthy("a"), healthy("b"));
            older.send(healthy("a"), healthy("b"), healthy("c"));
            assertThat(node.await(VF, now -> now.allocatable() == 3).endpoint()).contains("new.sock");
        }
    }

    @Test
    void upTo136TheSameSocketRegistersAgainWhileItsStreamLives() throws Exception {
        try (TestNode node = TestNode.open(directory, K136)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            node.register(VF, "vf.sock");
            node.awaitEvents(KubeletEvent.DeviceList.class, 2);
            assertThat(plugin.streams()).isEqualTo(2);

            plugin.endOldestStream();
            node.await(VF, now -> !now.registered());
        }
    }

    @Test
    void from137TheSameSocketIsRefusedWhileItsStreamLives() throws Exception {
        try (TestNode node = TestNode.open(directory, K137)) {
            node.registered(VF, "vf.sock", healthy("a"));
            assertAlreadyConnected(node);
            assertThat(node.kubelet().resource(VF).allocatable()).isEqualTo(1);
        }
    }

    @Test
    void from137TheRefusalMakesTheKubeletForgetTheLivingPluginWhoseDeathGoesUnnoticed() throws Exception {
        try (TestNode node = TestNode.open(directory, K137)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            assertAlreadyConnected(node);
            plugin.send(healthy("a"), healthy("b"));
            node.await(VF, state -> state.allocatable() == 2);
            plugin.close();
            node.awaitEvents(KubeletEvent.StreamEnded.class, 1);

            ResourceState state = node.kubelet().resource(VF);
            assertThat(state.endpoint()).contains("vf.sock");
            assertThat(state.allocatable()).isEqualTo(2);
            assertThatExceptionOfType(AdmissionException.class)
                    .isThrownBy(() -> node.kubelet().admit(PodSpec.of("pod", VF, 1)))
                    .withMessageStartingWith("Allocate failed due to rpc error: code = Unavailable desc = ");

            node.plugin("vf.sock", healthy("a"));
            assertAlreadyConnected(node);
            node.registered(VF, "another.sock", healthy("c"));
            node.kubelet().admit(PodSpec.of("pod", VF, 1));
        }
    }

    @Test
    void from137ADialThatFailsCostsOtherSocketsNothing() throws Exception {
        Deadlines impatient = new Deadlines(Duration.ofSeconds(1), TestNode.DEADLINE);
        try (TestNode node = TestNode.open(directory, K137, impatient)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            assertThatExceptionOfType(StatusRuntimeException.class).isThrownBy(() -> node.register(VF, "none.sock"));
            plugin.endStreams();
            assertThat(node.await(VF, state -> !state.registered()).allocatable())
                    .isZero();
        }
    }

    @Test
    void upTo136ADialThatFailsOrphansTheLivingPlugin() throws Exception {
        Deadlines impatient = new Deadlines(Duration.ofSeconds(1), TestNode.DEADLINE);
        try (TestNode node = TestNode.open(directory, K136, impatient)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            assertThatExceptionOfType(StatusRuntimeException.class).isThrownBy(() -> node.register(VF, "none.sock"));
            plugin.endStreams();
            node.awaitEvents(KubeletEvent.StreamEnded.class, 1);
            assertThat(node.kubelet().resource(VF).allocatable()).isEqualTo(1);
        }
    }

    private void assertAlreadyConnected(TestNode node) {
        String refusal = "device plugin already connected: " + directory.resolve("vf.sock");
        assertThatExceptionOfType(StatusRuntimeException.class)
                .isThrownBy(() -> node.register(VF, "vf.sock"))
                .withMessage("UNKNOWN: " + refusal);
        assertThat(node.events()).contains(new KubeletEvent.RegistrationRefused(VF.toString(), refusal));
    }
}
