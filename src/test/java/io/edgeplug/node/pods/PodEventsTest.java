package io.edgeplug.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.UnknownFieldSet;
import io.edgeplug.PackageJvm;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.pods.PodEvents.Event;
import io.edgeplug.node.pods.PodEvents.What;
import io.edgeplug.proto.pods.EventType;
import io.edgeplug.proto.pods.ObjectMeta;
import io.edgeplug.proto.pods.PodIdentity;
import io.edgeplug.proto.pods.PodsGrpc;
import io.edgeplug.proto.pods.WatchPodsEvent;
import io.edgeplug.proto.pods.WatchPodsRequest;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Server;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The ends of pods, as a kubelet's Pods API tells them. */
@Timeout(60)
final class PodEventsTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");

    @TempDir
    private Path root = Path.of("");

    @AutoClose
    private final UnixRpc rpc;

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    PodEventsTest() throws IOException {
        rpc = UnixRpc.open();
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

    /** What managers of fields write into the metadata may be long, and would become fifty times that. */
    @Test
    void metadataThatBecomeLargeInMemoryAreReadInTheDaemonsHeap() throws Exception {
        UnknownFieldSet.Builder others = UnknownFieldSet.newBuilder();
        for (int i = 2000; i < 200_000; i++) {
            others.mergeVarintField(i, 1);
        }
        PodIdentity pod = PodIdentity.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().setUid("large").setUnknownFields(others.build()))
                .build();
        Path socket = Files.createDirectories(root.resolve("pods")).resolve("kubelet.sock");
        Server server = rpc.serve(socket, new PodsGrpc.PodsImplBase() {
            @Override
            public void watchPods(WatchPodsRequest request, StreamObserver<WatchPodsEvent> caller) {
                caller.onNext(WatchPodsEvent.newBuilder()
                        .setType(EventType.ADDED)
                        .setPod(pod.toByteString())
                        .build());
            }
        });
        try {
            PackageJvm.End end = PackageJvm.run(Follower.class, root.toString());
            assertThat(end.output()).isEqualToIgnoringWhitespace("large");
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    /** Prints the first pod. */
    static final class Follower {

        private Follower() {}

        public static void main(String[] args) throws Exception {
            BlockingQueue<Event> events = new LinkedBlockingQueue<>();
            try (UnixRpc rpc = UnixRpc.open();
                    PodEvents ignored = new PodEvents(rpc, Path.of(args[0]), events::add, () -> {})) {
                System.out.println(events.take().uid());
            }
        }
    }

    @Test
    void endOfAPodIsTold() throws Exception {
        try (LocalKubelet kubelet = kubelet()) {
            kubelet.admit(PodSpec.of("first", VF, 1));
            try (PodEvents ignored = new PodEvents(rpc, root, events::add, () -> {})) {
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
            try (PodEvents ignored = new PodEvents(rpc, root, events::add, () -> {})) {
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
            try (PodEvents ignored = new PodEvents(rpc, root, events::add, () -> {})) {
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
        try (PodEvents ignored = new PodEvents(rpc, root, events::add, () -> {});
                LocalKubelet kubelet = kubelet()) {
            kubelet.admit(PodSpec.of("late", VF, 1));
            assertThat(next()).isEqualTo(event(false, "late"));
        }
    }

    @Test
    void kubeletThatRestartsIsNoNews() throws Exception {
        CountDownLatch calls = new CountDownLatch(4);
        var kubelet = rpc.serve(
                Files.createDirectories(root.resolve("pods-api")).resolve("pods-api.sock"),
                new PodsGrpc.PodsImplBase() {
                    @Override
                    public void watchPods(WatchPodsRequest request, StreamObserver<WatchPodsEvent> caller) {
                        caller.onNext(WatchPodsEvent.newBuilder()
                                .setType(EventType.INITIAL_SYNC_COMPLETE)
                                .build());
                        caller.onCompleted();
                        calls.countDown();
                    }
                });
        try (LogLines log = LogLines.open();
                PodEvents ignored = new PodEvents(rpc, root, events::add, () -> {})) {
            assertThat(calls.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(log.with("Pods API")).isEmpty();
        } finally {
            kubelet.shutdownNow().awaitTermination();
        }
    }

    /** Inotify tells of it: without that, the next look would be in a minute. */
    @Test
    void socketThatComesLaterAtTheDocumentedPathIsFound() throws Exception {
        try (LocalKubelet kubelet = kubelet()) {
            kubelet.admit(PodSpec.of("first", VF, 1));
            Files.move(root.resolve("pods-api"), root.resolve("moved"));
            try (PodEvents ignored = new PodEvents(rpc, root, events::add, () -> {})) {
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
        try (PodEvents ignored = new PodEvents(rpc, root, events::add, () -> {})) {
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
            try (PodEvents ignored = new PodEvents(rpc, root, events::add, () -> {})) {
                assertThat(next()).isEqualTo(event(false, "first"));
            }
        }
    }

    /** Each would take a hundred bytes for as long as the server goes on. */
    @Test
    void listWithoutAnEndIsHungUpOnAndNothingOfItIsKept() throws Exception {
        CountDownLatch hungUp = new CountDownLatch(1);
        var endless = rpc.serve(
                Files.createDirectories(root.resolve("pods-api")).resolve("pods-api.sock"),
                new PodsGrpc.PodsImplBase() {
                    @Override
                    public void watchPods(WatchPodsRequest request, StreamObserver<WatchPodsEvent> caller) {
                        ServerCallStreamObserver<WatchPodsEvent> watcher =
                                (ServerCallStreamObserver<WatchPodsEvent>) caller;
                        watcher.setOnCancelHandler(hungUp::countDown);
                        long[] sent = {0};
                        watcher.setOnReadyHandler(() -> {
                            while (watcher.isReady() && !watcher.isCancelled()) {
                                watcher.onNext(deleted("pod-" + sent[0]++));
                            }
                        });
                    }
                });
        try (PodEvents pods = new PodEvents(rpc, root, event -> {}, () -> {})) {
            assertThat(hungUp.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(pods.areLive()).isFalse();
        } finally {
            endless.shutdownNow().awaitTermination();
        }
    }

    private static WatchPodsEvent deleted(String uid) {
        return WatchPodsEvent.newBuilder()
                .setType(EventType.DELETED)
                .setPod(PodIdentity.newBuilder()
                        .setMetadata(ObjectMeta.newBuilder()
                                .setUid(uid)
                                .setNamespace("default")
                                .setName(uid))
                        .build()
                        .toByteString())
                .build();
    }

    @Test
    void watchThatIsClosedWhileAServerIsSilentEnds() throws Exception {
        var silent = rpc.serve(
                Files.createDirectories(root.resolve("pods-api")).resolve("pods-api.sock"),
                new PodsGrpc.PodsImplBase() {
                    @Override
                    public void watchPods(WatchPodsRequest request, StreamObserver<WatchPodsEvent> caller) {
                        // says nothing
                    }
                });
        try (PodEvents ignored = new PodEvents(rpc, root, events::add, () -> {})) {
            assertThat(events).isEmpty();
        } finally {
            silent.shutdownNow().awaitTermination();
        }
    }
}
