package io.edgeplug.soak;

import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.proto.v1beta1.RegisterRequest;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** A kubelet that answers a registration as none should: each time a new one, for that is what plugins come to at once. */
final class AnswerInputs {

    private static final int KUBELETS = 10;
    private static final int RESOURCES = 6;
    private static final long WAIT_MILLIS = 2_000;

    private AnswerInputs() {}

    static List<Production> all() {
        return List.of(
                new Production("answers", 25, AnswerInputs::answers),
                new Production("babble", 12, AnswerInputs::babble),
                new Production("comes-and-goes", 6, AnswerInputs::comesAndGoes));
    }

    private static int answers(Attack attack, Random random) throws Exception {
        int before = attack.kubelet().asked();
        for (int i = 0; i < KUBELETS && attack.target().isAlive(); i++) {
            long seed = random.nextLong();
            attack.kubelet().come((kubelet, request, plugin) -> answer(kubelet, request, plugin, new Random(seed)));
            boolean ignored = attack.kubelet().awaitAsked(attack.kubelet().asked() + RESOURCES, WAIT_MILLIS);
        }
        return recovered(attack, attack.kubelet().asked() - before);
    }

    private static void answer(
            KubeletSide kubelet, RegisterRequest request, StreamObserver<Empty> plugin, Random random) {
        switch (random.nextInt(7)) {
            case 0 -> {
                // never
            }
            case 1 -> plugin.onCompleted();
            case 2 -> {
                plugin.onNext(Empty.getDefaultInstance());
                plugin.onCompleted();
            }
            case 3 -> {
                KubeletSide.follow(kubelet, request, plugin);
            }
            case 4 -> {
                Metadata trailers = new Metadata();
                trailers.put(
                        Metadata.Key.of("x-bin", Metadata.BINARY_BYTE_MARSHALLER),
                        Hostile.bytes(random, Hostile.size(random, 6_000)));
                plugin.onError(new StatusRuntimeException(Status.INTERNAL, trailers));
            }
            default ->
                plugin.onError(Status.fromCodeValue(1 + random.nextInt(16))
                        .withDescription(Hostile.text(random))
                        .asRuntimeException());
        }
    }

    /** Noise on kubelet.sock, or HTTP/2 that is spoilt. */
    private static int babble(Attack attack, Random random) throws Exception {
        int connections = 0;
        for (int i = 0; i < KUBELETS && attack.target().isAlive(); i++) {
            attack.kubelet().go();
            try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                server.bind(UnixDomainSocketAddress.of(attack.kubelet().socket()));
                server.configureBlocking(false);
                connections += babble(server, random);
            }
        }
        return recovered(attack, connections);
    }

    private static int babble(ServerSocketChannel server, Random random) throws IOException {
        // settings, and then whatever
        byte[] settings = {0, 0, 0, 4, 0, 0, 0, 0, 0};
        long end = System.nanoTime() + 300_000_000;
        int connections = 0;
        while (System.nanoTime() < end) {
            SocketChannel caller = server.accept();
            if (caller == null) {
                LockSupport.parkNanos(1_000_000);
                continue;
            }
            try (caller) {
                connections++;
                byte[] noise = Hostile.bytes(random, Hostile.size(random, 60_000));
                caller.configureBlocking(false);
                if (random.nextBoolean()) {
                    caller.write(ByteBuffer.wrap(settings));
                    // a frame of headers, data or whatever, of a length that may be true
                    noise[0] = 0;
                    noise[Math.min(3, noise.length - 1)] = (byte) random.nextInt(12);
                }
                caller.write(ByteBuffer.wrap(noise));
            } catch (IOException e) {
                // it may hang up on such a kubelet
            }
        }
        return connections;
    }

    private static int comesAndGoes(Attack attack, Random random) throws Exception {
        for (int i = 0; i < KUBELETS && attack.target().isAlive(); i++) {
            attack.kubelet().come(KubeletSide::follow);
            if (random.nextBoolean()) {
                attack.kubelet().go();
            }
        }
        return recovered(attack, KUBELETS);
    }

    private static int recovered(Attack attack, int inputs) throws Exception {
        if (!attack.soundKubelet(Map.of(Ground.PROBE, 3, Ground.FLIP, 1, Ground.PREPARED, 1))
                && attack.target().isAlive()) {
            attack.found("a sound kubelet came and was not registered with");
        }
        return inputs;
    }
}
