package io.edgeplug.soak;

import io.edgeplug.proto.pods.EventType;
import io.edgeplug.proto.pods.ObjectMeta;
import io.edgeplug.proto.pods.PodIdentity;
import io.edgeplug.proto.pods.PodsGrpc;
import io.edgeplug.proto.pods.WatchPodsEvent;
import io.edgeplug.proto.pods.WatchPodsRequest;
import io.grpc.Server;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The doors besides the device plugin API: signals, and the Pods API. */
final class DoorInputs {

    private static final int SIGNALS = 250;
    private static final long BETWEEN_SIGNALS_NANOS = 20_000_000;

    private DoorInputs() {}

    static List<Production> all() {
        return List.of(
                new Production("reload-storm", 2, DoorInputs::reloadStorm),
                new Production("pods-without-end", 2, DoorInputs::podsWithoutEnd));
    }

    /** Fifty reloads a second with a class that changes, beside the Allocates of the probe. */
    private static int reloadStorm(Attack attack, Random random) throws Exception {
        for (int i = 0; i < SIGNALS && attack.target().isAlive(); i++) {
            attack.ground().classes("many", Ground.many("shares = " + (1 + i % 4)));
            attack.target().reload();
            LockSupport.parkNanos(BETWEEN_SIGNALS_NANOS);
        }
        attack.manyAsBefore();
        return SIGNALS;
    }

    /** The kubelet's root directory is the one above that of the device plugins. */
    private static int podsWithoutEnd(Attack attack, Random random) throws Exception {
        Path socket = Files.createDirectories(attack.ground().root().resolve("pods-api"))
                .resolve("pods-api.sock");
        Files.deleteIfExists(socket);
        Endless pods = new Endless();
        Server server = attack.rpc().serve(socket, pods);
        try {
            if (!pods.hungUp.await(3 * Attack.PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                    && attack.target().isAlive()) {
                attack.found("a list of pods without an end is read for ever");
            }
        } finally {
            server.shutdownNow().awaitTermination();
            Files.deleteIfExists(socket);
        }
        return pods.sent.get();
    }

    private static final class Endless extends PodsGrpc.PodsImplBase {

        private final AtomicInteger sent = new AtomicInteger();
        private final CountDownLatch hungUp = new CountDownLatch(1);

        @Override
        public void watchPods(WatchPodsRequest request, StreamObserver<WatchPodsEvent> caller) {
            ServerCallStreamObserver<WatchPodsEvent> watcher = (ServerCallStreamObserver<WatchPodsEvent>) caller;
            watcher.setOnCancelHandler(hungUp::countDown);
            watcher.setOnReadyHandler(() -> {
                while (watcher.isReady() && !watcher.isCancelled()) {
                    watcher.onNext(deleted("pod-" + sent.getAndIncrement()));
                }
            });
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
    }
}
