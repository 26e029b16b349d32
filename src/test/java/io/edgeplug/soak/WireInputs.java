package io.edgeplug.soak;

import io.edgeplug.PackageJvm;
import io.edgeplug.proto.v1alpha1.Empty;
import io.edgeplug.proto.v1alpha1.RegisterRequest;
import io.edgeplug.proto.v1alpha1.RegistrationGrpc;
import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.edgeplug.proto.v1beta1.ContainerPreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.PreStartContainerRequest;
import io.edgeplug.proto.v1beta1.PreferredAllocationRequest;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Sound calls that ask for too much: of memory, of threads, of time, or of what somebody else has. */
final class WireInputs {

    private static final int INTRUSIONS = 500;

    private WireInputs() {}

    static List<Production> all() {
        return List.of(
                new Production("unread-lists", 2, (attack, random) -> unread(attack, Ground.PROBE, 5_000)),
                new Production("unread-long-lists", 2, WireInputs::unreadLong),
                new Production("idle-connections", 2, WireInputs::idle),
                new Production("one-id-often", 2, WireInputs::oneIdOften),
                new Production("empty-containers", 2, WireInputs::emptyContainers),
                new Production("prestart-of-all", 2, WireInputs::preStartOfAll),
                new Production("v1alpha1-of-all", 1, WireInputs::v1alpha1OfAll),
                new Production("group-in-two-pods", 1, WireInputs::groupInTwoPods),
                new Production("other-root-process", 1, WireInputs::otherRootProcess));
    }

    private static int unread(Attack attack, String resource, int streams) throws Exception {
        try (Calls calls = new Calls()) {
            calls.openUnread(calls.open(attack, resource), streams);
            attack.pass(2_000);
            if (!attack.follows() && attack.target().isAlive()) {
                attack.found("with " + streams + " lists that nobody reads, the kubelet's own is no longer sent");
            }
        }
        return streams;
    }

    /** Each list has 24,800 shares. */
    private static int unreadLong(Attack attack, Random random) throws Exception {
        boolean unusedFirst = attack.many("shares = 100");
        int done = unread(attack, Ground.MANY, 100);
        attack.manyAsBefore();
        return done;
    }

    private static int idle(Attack attack, Random random) throws Exception {
        List<SocketChannel> open = new ArrayList<>();
        byte[] begin = Http2.call(Calls.V1BETA1 + "GetDevicePluginOptions", new byte[0]);
        try {
            Path socket = attack.socket(Ground.PROBE);
            for (int i = 0; i < 6_000 && attack.target().isAlive(); i++) {
                SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                open.add(channel);
                channel.configureBlocking(false);
                channel.connect(UnixDomainSocketAddress.of(socket));
                channel.write(ByteBuffer.wrap(begin));
            }
        } catch (IOException e) {
            // refused, which is as good as any answer
        }
        attack.pass(4_000);
        for (SocketChannel channel : open) {
            channel.close();
        }
        return open.size();
    }

    private static int oneIdOften(Attack attack, Random random) throws Exception {
        return send(
                attack,
                Ground.PROBE,
                "GetPreferredAllocation",
                PreferredAllocationRequest.newBuilder()
                        .addContainerRequests(ContainerPreferredAllocationRequest.newBuilder()
                                .addAllAvailableDeviceIDs(Collections.nCopies(400_000, "p0"))
                                .setAllocationSize(400_000))
                        .build()
                        .toByteArray());
    }

    private static int emptyContainers(Attack attack, Random random) throws Exception {
        PreferredAllocationRequest.Builder request = PreferredAllocationRequest.newBuilder();
        for (int i = 0; i < 20_000; i++) {
            request.addContainerRequests(ContainerPreferredAllocationRequest.getDefaultInstance());
        }
        return send(
                attack, Ground.MANY, "GetPreferredAllocation", request.build().toByteArray());
    }

    private static int preStartOfAll(Attack attack, Random random) throws Exception {
        return send(
                attack,
                Ground.MANY,
                "PreStartContainer",
                PreStartContainerRequest.newBuilder()
                        .addAllDevicesIds(Ground.MANY_VFS)
                        .build()
                        .toByteArray());
    }

    private static int send(Attack attack, String resource, String method, byte[] message) throws Exception {
        try (Calls calls = new Calls()) {
            ManagedChannel channel = calls.open(attack, resource);
            calls.send(channel, Calls.V1BETA1 + method, message);
            calls.awaitAll().ifPresent(attack::found);
        }
        return 1;
    }

    private static int v1alpha1OfAll(Attack attack, Random random) throws Exception {
        boolean unusedFirst = attack.many("shares = 100");
        List<String> ids = Ground.MANY_VFS.stream()
                .flatMap(vf -> IntStream.range(0, 100).mapToObj(share -> vf + "::" + share))
                .toList();
        attack.kubelet().go();
        CountDownLatch registered = new CountDownLatch(1);
        Server old = attack.rpc().serve(attack.kubelet().socket(), oldKubelet(registered));
        try (Calls calls = new Calls()) {
            if (registered.await(Attack.PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                byte[] request = io.edgeplug.proto.v1alpha1.AllocateRequest.newBuilder()
                        .addAllDevicesIDs(ids)
                        .build()
                        .toByteArray();
                calls.send(calls.open(attack, Ground.MANY), Calls.V1ALPHA1 + "Allocate", request);
                calls.awaitAll().ifPresent(attack::found);
            }
        } finally {
            old.shutdownNow();
            old.awaitTermination(Attack.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        }
        boolean unusedSound = attack.soundKubelet(Map.of(Ground.MANY, 1));
        attack.manyAsBefore();
        return 1;
    }

    /** A kubelet before 1.10, to which plugins speak v1alpha1; tells once the many VFs are registered. */
    private static RegistrationGrpc.RegistrationImplBase oldKubelet(CountDownLatch registered) {
        return new RegistrationGrpc.RegistrationImplBase() {
            @Override
            public void register(RegisterRequest request, StreamObserver<Empty> plugin) {
                plugin.onNext(Empty.getDefaultInstance());
                plugin.onCompleted();
                if (request.getResourceName().equals(Ground.MANY)) {
                    registered.countDown();
                }
            }
        };
    }

    /** Of two VFs in one IOMMU group, a second pod must not get the second. */
    private static int groupInTwoPods(Attack attack, Random random) throws Exception {
        int given = 0;
        for (String address : Ground.GROUP_VFS) {
            given += isGiven(attack.socket(Ground.GROUP), allocate(address)) ? 1 : 0;
        }
        if (given > 1) {
            attack.found("two VFs of one IOMMU group were given to two containers");
        }
        return 2;
    }

    private static boolean isGiven(Path socket, byte[] request) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            channel.write(ByteBuffer.wrap(Http2.call(Calls.V1BETA1 + "Allocate", request)));
            return Http2.isAnswered(new DataInputStream(Channels.newInputStream(channel)));
        }
    }

    private static byte[] allocate(String id) {
        return AllocateRequest.newBuilder()
                .addContainerRequests(ContainerAllocateRequest.newBuilder().addDevicesIds(id))
                .build()
                .toByteArray();
    }

    /** Another process of root's, as every other plugin's pod has one, which is no kubelet. */
    private static int otherRootProcess(Attack attack, Random random) throws Exception {
        Process intruder = new ProcessBuilder(PackageJvm.command(
                        List.of(),
                        Intruder.class,
                        attack.socket(Ground.PROBE).toString(),
                        "p1",
                        String.valueOf(INTRUSIONS)))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(intruder.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!intruder.waitFor(Attack.PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
            intruder.destroyForcibly();
        }
        int answered = Integer.parseInt("0" + said.strip());
        if (answered > 0) {
            attack.found("a process that is not the kubelet was answered " + answered + " Allocates");
        }
        return INTRUSIONS;
    }

    /** Runs in a process of its own: calls so often, and prints how often it was answered. */
    static final class Intruder {

        private Intruder() {}

        /** Arguments: a socket, an ID, and how often. */
        public static void main(String[] args) throws IOException {
            int answered = 0;
            for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                try {
                    answered += isGiven(Path.of(args[0]), allocate(args[1])) ? 1 : 0;
                } catch (IOException e) {
                    // it hung up
                }
            }
            System.out.println(answered);
        }
    }
}
