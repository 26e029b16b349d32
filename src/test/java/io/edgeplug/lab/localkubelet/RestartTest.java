package io.edgeplug.lab.localkubelet;

import static io.edgeplug.lab.localkubelet.TestPlugin.healthy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.files.DirectoryWatch;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestartTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");

    @TempDir
    Path directory;

    @Test
    void restartForgetsPluginsAndWipesTheirSockets() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a"));
            node.kubelet().restart();

            assertThat(directory.resolve("vf.sock")).doesNotExist();
            assertThat(directory.resolve("kubelet_internal_checkpoint")).exists();
            assertThat(directory.resolve("kubelet.sock")).exists();
            ResourceState state = node.kubelet().resource(VF);
            assertThat(state.known()).isTrue();
            assertThat(state.registered()).isFalse();
            assertThat(state.capacity()).isZero();
            assertThat(node.events())
                    .endsWith(
                            new KubeletEvent.StreamEnded(VF, "vf.sock", "the kubelet stopped"),
                            new KubeletEvent.Restarted(),
                            new KubeletEvent.Serving(directory.resolve("kubelet.sock")));
        }
    }

    @Test
    void podKeepsItsDevicesOverARestart() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "first.sock", healthy("a"), healthy("b"));
            Pod pod = node.kubelet().admit(PodSpec.of("pod", VF, 1));
            node.kubelet().restart();
            assertThatExceptionOfType(AdmissionException.class)
                    .isThrownBy(() -> node.kubelet().admit(PodSpec.of("early", VF, 1)))
                    .withMessageContaining("no healthy devices present");

            node.registered(VF, "second.sock", healthy("a"), healthy("b"));
            assertThat(node.kubelet().pod("pod")).contains(pod);
            assertThat(node.kubelet().admit(PodSpec.of("pod", VF, 1))).isEqualTo(pod);
            Pod other = node.kubelet().admit(PodSpec.of("other", VF, 1));
            assertThat(other.container("main").devices(VF))
                    .isNotEqualTo(pod.container("main").devices(VF));
        }
    }

    @Test
    void containerThatStartsBeforeThePluginIsBackStartsUnprepared() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.plugin("first.sock", healthy("a"));
            plugin.options = TestPlugin.options(true, false);
            node.register(VF, "first.sock");
            node.await(VF, state -> state.allocatable() == 1);
            node.kubelet().admit(PodSpec.of("pod", VF, 1));
            node.kubelet().restart();

            assertThat(node.kubelet().startContainer("pod", "main").envs()).containsEntry("IDS", "a");
            assertThat(plugin.preStarts).isEmpty();
        }
    }

    @Test
    void restartDoesNotWaitForAStalledAllocate() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        try (TestNode node = TestNode.open(directory);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            plugin.stallAllocate(asked);
            Future<Pod> admitted = callers.submit(() -> node.kubelet().admit(PodSpec.of("pod", VF, 1)));
            assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(node.kubelet().resource(VF).allocated()).containsExactly("a");
            node.kubelet().restart();

            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> admitted.get(10, TimeUnit.SECONDS))
                    .withCauseInstanceOf(AdmissionException.class);
            assertThat(node.kubelet().resource(VF).allocated()).isEmpty();
        }
    }

    @Test
    void stoppedKubeletLeavesPluginsSocketsUntilItStarts() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a"));
            node.kubelet().stop();
            assertThat(directory.resolve("kubelet.sock")).doesNotExist();
            assertThat(directory.resolve("vf.sock")).exists();
            assertThat(node.kubelet().resource(VF).registered()).isFalse();
            assertThatExceptionOfType(StatusRuntimeException.class).isThrownBy(() -> node.register(VF, "vf.sock"));

            node.kubelet().start();
            assertThat(directory.resolve("kubelet.sock")).exists();
            assertThat(directory.resolve("vf.sock")).doesNotExist();
            assertThatIllegalStateException()
                    .isThrownBy(() -> node.kubelet().start())
                    .withMessage("the local kubelet is running");
        }
    }

    @Test
    void socketsAreGoneBeforeThePauseAndKubeletSockComesAfterIt() throws Exception {
        KubeletOptions slow = KubeletOptions.DEFAULTS.withSocketPause(Duration.ofMillis(300));
        try (TestNode node = TestNode.open(directory, slow);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
                DirectoryWatch watch = DirectoryWatch.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a"));
            node.kubelet().stop();
            Future<?> starting = callers.submit(() -> {
                node.kubelet().start();
                return true;
            });
            while (Files.exists(directory.resolve("vf.sock"))) {
                watch.await(TestNode.DEADLINE);
            }
            assertThat(directory.resolve("kubelet.sock")).doesNotExist();
            starting.get(10, TimeUnit.SECONDS);
            assertThat(directory.resolve("kubelet.sock")).exists();
        }
    }

    @Test
    void closeEndsThePause() throws Exception {
        KubeletOptions slow = KubeletOptions.DEFAULTS.withSocketPause(Duration.ofMillis(100));
        try (TestNode node = TestNode.open(directory, slow);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> starting = callers.submit(() -> {
                node.kubelet().restart();
                return true;
            });
            node.kubelet().close();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> starting.get(10, TimeUnit.SECONDS))
                    .withCauseInstanceOf(IllegalStateException.class);
            assertThat(directory.resolve("kubelet.sock")).doesNotExist();
        }
    }

    @Test
    void closeUnlinksTheSocketAndEndsWhatWaits() throws Exception {
        TestNode node = TestNode.open(directory);
        try (node;
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            node.registered(VF, "vf.sock", healthy("a"));
            Future<ResourceState> waiting =
                    callers.submit(() -> node.kubelet().await(VF, state -> state.capacity() == 2, TestNode.DEADLINE));
            node.kubelet().close();

            assertThat(directory.resolve("kubelet.sock")).doesNotExist();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> waiting.get(10, TimeUnit.SECONDS))
                    .withCauseInstanceOf(IllegalStateException.class);
            assertThatIllegalStateException()
                    .isThrownBy(() -> node.kubelet().restart())
                    .withMessage("the local kubelet is closed");
        }
    }

    @Test
    void closeTakesUnderASecondWithTwentyPluginsAndOneThatIsBeingDialled() throws Exception {
        try (TestNode node = TestNode.open(directory);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 20; i++) {
                node.registered(ResourceName.parse("example.com/vf" + i), "vf" + i + ".sock", healthy("a"));
            }
            Future<?> unanswered = callers.submit(() -> node.register(VF, "absent.sock"));
            long start = System.nanoTime();
            node.kubelet().close();
            Duration taken = Duration.ofNanos(System.nanoTime() - start);

            assertThat(taken).isLessThan(Duration.ofSeconds(1));
            assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> unanswered.get(10, TimeUnit.SECONDS));
        }
    }
}
