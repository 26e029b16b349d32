package io.edgeplug.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.localkubelet.KubeletOptions;
import io.edgeplug.localkubelet.LocalKubelet;
import io.edgeplug.localkubelet.PodSpec;
import io.edgeplug.pods.PodEvents.Event;
import io.edgeplug.pods.PodEvents.What;
import io.edgeplug.proto.pods.PodsGrpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The ends of pods, as a kubelet's Pods API tells them. */
@Timeout(60)
final class PodEventsTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");

    @TempDir
    private Path root = Path.of("");

    private final UnixRpc rpc;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    PodEventsTest() throws IOException {
        rpc = UnixRpc.open();
    }

    @AfterEach
    void close() {
        rpc.close();
    }

    private LocalKubelet kubelet() throws IOException {
        return LocalKubelet.open(root.resolve("device-plugins"), KubeletOptions.DEFAULTS.withRoot(root), event -> {});
    }

    private Event next() throws InterruptedException {
        Event event = events.poll(20, TimeUnit.SECONDS);
        assertThat(event).isNotNull();
        return event;
    }

    private static Event event(boolean gone, String pod) {
        return new Event(gone ? What.GONE : What.THERE, pod, "default", pod);
    }

    @Test
    void endOfAPodIsTold() throws Exception {
        try (LocalKubelet kubelet = kubelet()) {
            kubelet.admit(PodSpec.of("first", VF, 1));
            try (PodEvents ignored = PodEvents.follow(rpc, root, events::add, () -> {})) {
                assertThat(next()).isEqualTo(event(false, "first"));
                kubelet.remove("first");
                assertThat(next()).isEqualTo(event(true, "first"));
            }
        }
    }

    @Test
    void endOfAPodsContainersIsTold() throws Exception {
        try (LocalKubelet kubelet = kubelet()) {
            kubelet.admit(PodSpec.of("job", VF, 1));
            try (PodEvents ignored = PodEvents.follow(rpc, root, events::add, () -> {})) {
                assertThat(next()).isEqualTo(event(false, "job"));
                kubelet.end("job");
                assertThat(next()).isEqualTo(new Event(What.ENDED, "job", "default", "job"));
            }
        }
    }

    @Test
    void podThatWentWhileTheKubeletWasDownIsToldOnce() throws Exception {
        try (LocalKubelet kubelet = kubelet()) {
            kubelet.admit(PodSpec.of("first", VF, 1));
            kubelet.admit(PodSpec.of("stays", VF, 1));
            try (PodEvents ignored = PodEvents.follow(rpc, root, events::add, () -> {})) {
                assertThat(next()).isEqualTo(event(false, "first"));
                assertThat(next()).isEqualTo(event(false, "stays"));
                kubelet.stop();
                kubelet.remove("first");
                kubelet.start();
                assertThat(next()).isEqualTo(event(false, "stays"));
                assertThat(next()).isEqualTo(event(true, "first"));
                kubelet.remove("stays");
                assertThat(next()).isEqualTo(event(true, "stays"));
            }
        }
    }

    @Test
    void kubeletThatComesLaterIsFollowed() throws Exception {
        try (PodEvents ignored = PodEvents.follow(rpc, root, events::add, () -> {});
                LocalKubelet kubelet = kubelet()) {
            kubelet.admit(PodSpec.of("late", VF, 1));
            assertThat(next()).isEqualTo(event(false, "late"));
        }
    }

    /** Inotify tells of it: without that, the next look would be in a minute. */
    @Test
    void socketThatComesLaterAtTheDocumentedPathIsFound() throws Exception {
        try (LocalKubelet kubelet = kubelet()) {
            kubelet.admit(PodSpec.of("first", VF, 1));
            Files.move(root.resolve("pods-api"), root.resolve("moved"));
            try (PodEvents ignored = PodEvents.follow(rpc, root, events::add, () -> {})) {
                assertThat(events).isEmpty();
                Files.createDirectory(root.resolve("pods"));
                Files.createSymbolicLink(root.resolve("pods/kubelet.sock"), Path.of("../moved/pods-api.sock"));
                assertThat(next()).isEqualTo(event(false, "first"));
            }
        }
    }

    @Test
    void socketWhoseDirectoryIsReplacedIsFoundAgain() throws Exception {
        Files.createDirectory(root.resolve("pods-api"));
        try (PodEvents ignored = PodEvents.follow(rpc, root, events::add, () -> {})) {
            Files.move(root.resolve("pods-api"), root.resolve("old"));
            try (LocalKubelet kubelet = kubelet()) {
                kubelet.admit(PodSpec.of("first", VF, 1));
                assertThat(next()).isEqualTo(event(false, "first"));
            }
        }
    }

    @Test
    void socketAtTheDocumentedPathIsFound() throws Exception {
        try (LocalKubelet kubelet = kubelet()) {
            kubelet.admit(PodSpec.of("first", VF, 1));
            Files.createDirectory(root.resolve("pods"));
            Files.createSymbolicLink(root.resolve("pods/kubelet.sock"), Path.of("../moved/pods-api.sock"));
            Files.move(root.resolve("pods-api"), root.resolve("moved"));
            try (PodEvents ignored = PodEvents.follow(rpc, root, events::add, () -> {})) {
                assertThat(next()).isEqualTo(event(false, "first"));
            }
        }
    }

    @Test
    void watchThatIsClosedWhileAServerIsSilentEnds() throws Exception {
        var silent = rpc.serve(
                Files.createDirectories(root.resolve("pods-api")).resolve("pods-api.sock"),
                new PodsGrpc.PodsImplBase() {
                    @Override
                    public void watchPods(
                            io.edgeplug.proto.pods.WatchPodsRequest request,
                            io.grpc.stub.StreamObserver<io.edgeplug.proto.pods.WatchPodsEvent> caller) {
                        // says nothing
                    }
                });
        try (PodEvents ignored = PodEvents.follow(rpc, root, events::add, () -> {})) {
            assertThat(events).isEmpty();
        } finally {
            silent.shutdownNow().awaitTermination();
        }
    }
}
