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
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The doors besides the device plugin API: signals, and the Pods API. */
final class DoorInputs {

    private static final int ROUNDS = 20;
    private static final int SIGNALS = 250;
    private static final long BETWEEN_SIGNALS_NANOS = 20_000_000;

    private DoorInputs() {}

    static List<Production> all() {
        return List.of(
                new Production("reload-storm", 2, DoorInputs::reloadStorm),
                new Production("pods-without-end", 2, DoorInputs::podsWithoutEnd),
                new Production("pods-half-closed", 2, DoorInputs::podsHalfClosed));
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

    /** Both APIs of pods, served by who says after some bytes that no more come, and keeps the connection. */
    private static int podsHalfClosed(Attack attack, Random random) throws Exception {
        List<Path> sockets = new ArrayList<>();
        for (String name : List.of("pods-api/pods-api.sock", "pod-resources/kubelet.sock")) {
            String[] parts = name.split("/", 2);
            Path socket = Files.createDirectories(attack.ground().root().resolve(parts[0]))
                    .resolve(parts[1]);
            Files.deleteIfExists(socket);
            sockets.add(socket);
        }
        List<SocketChannel> held = new ArrayList<>();
        try (ServerSocketChannel pods = listen(sockets.getFirst());
                ServerSocketChannel resources = listen(sockets.getLast())) {
            for (int i = 0; i < ROUNDS && attack.target().isAlive(); i++) {
                PodInputs.hold(attack, "half-" + i);
                attack.pass(100);
                for (SocketChannel caller = accept(pods, resources); caller != null; caller = accept(pods, resources)) {
                    held.add(caller);
                    // settings, and then perhaps the begin of a frame
                    int unusedCount = caller.write(ByteBuffer.wrap(new byte[13], 0, random.nextInt(2) * 9));
                    caller.shutdownOutput();
                }
            }
            for (SocketChannel caller : held) {
                if (!isHungUp(caller) && attack.target().isAlive()) {
                    attack.found("a connection whose server sends no more is kept for ever");
                }
                caller.close();
            }
        } finally {
            for (Path left : List.of(sockets.getFirst(), sockets.getLast(), PodInputs.checkpoint(attack))) {
                Files.deleteIfExists(left);
            }
        }
        return held.size();
    }

    private static ServerSocketChannel listen(Path socket) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket)).configureBlocking(false);
        return server;
    }

    private static @Nullable SocketChannel accept(ServerSocketChannel one, ServerSocketChannel other)
            throws IOException {
        SocketChannel caller = one.accept();
        return caller == null ? other.accept() : caller;
    }

    private static boolean isHungUp(SocketChannel caller) throws IOException {
        caller.configureBlocking(false);
        ByteBuffer said = ByteBuffer.allocate(1 << 10);
        try (Selector selector = Selector.open()) {
            SelectionKey ignored = caller.register(selector, SelectionKey.OP_READ);
            while (selector.select(3 * Attack.PATIENCE_MILLIS) > 0) {
                selector.selectedKeys().clear();
                if (caller.read(said.clear()) < 0) {
                    return true;
                }
            }
            return false;
        } catch (SocketException e) {
            return true;
        }
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
