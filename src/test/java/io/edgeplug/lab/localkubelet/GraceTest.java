package io.edgeplug.lab.localkubelet;

import static io.edgeplug.lab.localkubelet.TestPlugin.healthy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.v1beta1.Device;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kubelet's patience and its limits. */
class GraceTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-20T00:00:00Z"));
    private final KubeletOptions options = KubeletOptions.DEFAULTS.withClock(now::get);

    @TempDir
    Path directory;

    @Test
    void resourceIsDroppedFiveMinutesAfterItsStreamEnded() throws Exception {
        try (TestNode node = TestNode.open(directory, options)) {
            node.registered(VF, "vf.sock", healthy("a")).endStreams();
            node.await(VF, state -> !state.registered());
            pass(Duration.ofMinutes(5));
            assertThat(node.kubelet().resource(VF).capacity()).isEqualTo(1);

            pass(Duration.ofMillis(1));
            assertThat(node.kubelet().resource(VF).known()).isFalse();
            assertThat(node.kubelet().resources()).isEmpty();
            assertThat(node.events()).endsWith(new KubeletEvent.ResourceDropped(VF));
        }
    }

    @Test
    void droppedResourceIsStillTheKubeletsWhileAPodHoldsOneOfItsDevices() throws Exception {
        try (TestNode node = TestNode.open(directory, options)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            node.kubelet().admit(PodSpec.of("holder", VF, 1));
            plugin.endStreams();
            node.await(VF, state -> !state.registered());
            pass(Duration.ofMinutes(6));
            assertThat(node.kubelet().resource(VF).known()).isFalse();

            assertThatExceptionOfType(AdmissionException.class)
                    .isThrownBy(() -> node.kubelet().admit(PodSpec.of("pod", VF, 1)))
                    .withMessageContaining("cannot allocate unregistered device example.com/vf");
            assertThatExceptionOfType(ContainerStartException.class)
                    .isThrownBy(() -> node.kubelet().startContainer("holder", "main"))
                    .withMessage("endpoint not found in cache for a registered resource: example.com/vf");
        }
    }

    @Test
    void resourceWhosePluginCameBackInTimeStays() throws Exception {
        try (TestNode node = TestNode.open(directory, options)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            plugin.endStreams();
            node.await(VF, state -> !state.registered());
            pass(Duration.ofMinutes(4));
            node.register(VF, "vf.sock");
            node.await(VF, state -> state.allocatable() == 1);
            pass(Duration.ofMinutes(4));
            assertThat(node.kubelet().resource(VF).allocatable()).isEqualTo(1);
        }
    }

    @Test
    void resourceIsDroppedFiveMinutesAfterARestartWithoutItsPlugin() throws Exception {
        try (TestNode node = TestNode.open(directory, options)) {
            node.registered(VF, "vf.sock", healthy("a"));
            node.kubelet().restart();
            assertThat(node.kubelet().resource(VF).known()).isTrue();
            pass(Duration.ofMinutes(6));
            assertThat(node.kubelet().resource(VF).known()).isFalse();
        }
    }

    @Test
    void listAboveFourMebibytesEndsTheStream() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            plugin.send(listOfBytes(4_100_000));
            node.await(VF, state -> state.capacity() > 1);
            plugin.send(listOfBytes(4_200_000));

            ResourceState state = node.await(VF, seen -> !seen.registered());
            assertThat(state.allocatable()).isZero();
            assertThat(node.events(KubeletEvent.StreamEnded.class))
                    .singleElement()
                    .satisfies(end -> assertThat(end.reason()).startsWith("rpc error: code = ResourceExhausted"));
        }
    }

    @Test
    void preStartThatHangsFailsAtItsDeadline() throws Exception {
        Deadlines deadlines = new Deadlines(TestNode.DEADLINE, Duration.ofMillis(200));
        try (TestNode node = TestNode.open(directory, KubeletOptions.DEFAULTS, deadlines)) {
            TestPlugin plugin = node.plugin("vf.sock", healthy("a"));
            plugin.options = TestPlugin.options(true, false);
            plugin.preStartHangs = true;
            node.register(VF, "vf.sock");
            node.await(VF, state -> state.allocatable() == 1);
            node.kubelet().admit(PodSpec.of("pod", VF, 1));
            assertThatExceptionOfType(ContainerStartException.class)
                    .isThrownBy(() -> node.kubelet().startContainer("pod", "main"))
                    .withMessage("device plugin PreStartContainer rpc failed with err: "
                            + "rpc error: code = DeadlineExceeded desc = context deadline exceeded");
            assertThat(Deadlines.KUBELET.preStart()).isEqualTo(Duration.ofSeconds(30));
        }
    }

    private void pass(Duration time) {
        now.updateAndGet(instant -> instant.plus(time));
    }

    /** Devices of 100 bytes each. */
    private static Device[] listOfBytes(int size) {
        return IntStream.range(0, size / 100)
                .mapToObj(i -> healthy("d".repeat(80) + "%07d".formatted(i)))
                .toArray(Device[]::new);
    }
}
