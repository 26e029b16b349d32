package io.edgeplug.soak;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.edgeplug.proto.podresources.ContainerDevices;
import io.edgeplug.proto.podresources.ContainerResources;
import io.edgeplug.proto.podresources.ListPodResourcesResponse;
import io.edgeplug.proto.podresources.PodResources;
import io.edgeplug.proto.podresources.PodResourcesListerGrpc;
import io.edgeplug.proto.pods.PodsGrpc;
import io.edgeplug.proto.pods.WatchPodsEvent;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** What tells of pods besides the checkpoint: pod-resources, the Pods API, and the pods' cgroups. */
final class PodInputs {

    private static final int LISTS = 20;
    private static final int EVENTS = 2_000;
    private static final int CGROUPS = 300;
    private static final Path CGROUP_ROOT = Path.of("/sys/fs/cgroup");

    private PodInputs() {}

    static List<Production> all() {
        return List.of(
                new Production("pod-lists", 6, PodInputs::lists),
                new Production("pod-events", 12, PodInputs::events),
                new Production("cgroups", 6, PodInputs::cgroups));
    }

    /** Each new pod in the notes has the daemon ask for its name. */
    private static int lists(Attack attack, Random random) throws Exception {
        AtomicInteger sent = new AtomicInteger();
        Path socket = Files.createDirectories(attack.ground().root().resolve("pod-resources"))
                .resolve("kubelet.sock");
        delete(socket);
        Server server = attack.rpc()
                .serve(
                        socket,
                        List.of(service(
                                PodResourcesListerGrpc.SERVICE_NAME, "List", MethodDescriptor.MethodType.UNARY, () -> {
                                    sent.incrementAndGet();
                                    return list(random);
                                })));
        try {
            for (int i = 0; i < LISTS && attack.target().isAlive(); i++) {
                hold(attack, "pod-" + random.nextInt());
                attack.pass(200);
            }
        } finally {
            server.shutdownNow().awaitTermination();
            for (Path left : List.of(socket, checkpoint(attack))) {
                delete(left);
            }
        }
        return LISTS + sent.get();
    }

    private static byte[] list(Random random) {
        ListPodResourcesResponse.Builder list = ListPodResourcesResponse.newBuilder();
        if (random.nextInt(4) == 0) {
            list.addPodResources(large(random.nextBoolean()));
        }
        for (int i = Hostile.size(random, 4_000); i > 0; i--) {
            list.addPodResources(PodResources.newBuilder()
                    .setName(i % 50 == 0 ? Hostile.name(random) : "pod-" + i)
                    .setNamespace(i % 50 == 0 ? Hostile.name(random) : "default")
                    .addContainers(ContainerResources.newBuilder()
                            .setName("main")
                            .addDevices(ContainerDevices.newBuilder()
                                    .setResourceName(Ground.FUZZED)
                                    .addDeviceIds(i % 50 == 0 ? Hostile.name(random) : Ground.FUZZED_VFS.getFirst()))));
        }
        byte[] sound = list.build().toByteArray();
        return random.nextBoolean() ? Hostile.spoilt(sound, random) : sound;
    }

    /** A pod of 1 MB, which becomes many times that in memory. */
    private static PodResources large(boolean hasContainers) {
        PodResources.Builder pod = PodResources.newBuilder().setName("large");
        if (hasContainers) {
            return pod.addAllContainers(Collections.nCopies(500_000, ContainerResources.getDefaultInstance()))
                    .build();
        }
        UnknownFieldSet.Builder fields = UnknownFieldSet.newBuilder();
        for (int i = 0; i < 200_000; i++) {
            fields.mergeVarintField(2000 + i, 1);
        }
        return pod.setUnknownFields(fields.build()).build();
    }

    static Path checkpoint(Attack attack) {
        return attack.ground().kubeletDir().resolve("kubelet_internal_checkpoint");
    }

    static void hold(Attack attack, String uid) throws IOException {
        String entry = "{\"PodUID\":\"" + uid + "\",\"ContainerName\":\"main\",\"ResourceName\":\"" + Ground.FUZZED
                + "\",\"DeviceIDs\":{\"-1\":[\"" + Ground.FUZZED_VFS.getFirst() + "\"]},\"AllocResp\":\"\"}";
        Ground.replace(
                checkpoint(attack),
                ("{\"Data\":{\"PodDeviceEntries\":[" + entry + "],\"RegisteredDevices\":{}},\"Checksum\":1}")
                        .getBytes(StandardCharsets.UTF_8));
    }

    /** A stream of events that no kubelet sends, again each time that the daemon asks. */
    private static int events(Attack attack, Random random) throws Exception {
        AtomicInteger sent = new AtomicInteger();
        Path socket = Files.createDirectories(attack.ground().root().resolve("pods-api"))
                .resolve("pods-api.sock");
        delete(socket);
        Server server = attack.rpc()
                .serve(
                        socket,
                        List.of(service(
                                PodsGrpc.SERVICE_NAME,
                                "WatchPods",
                                MethodDescriptor.MethodType.SERVER_STREAMING,
                                () -> {
                                    sent.incrementAndGet();
                                    return event(random);
                                })));
        try {
            for (int i = 0; i < 20 && sent.get() < EVENTS && attack.target().isAlive(); i++) {
                attack.pass(100);
            }
        } finally {
            server.shutdownNow().awaitTermination();
            delete(socket);
        }
        return sent.get();
    }

    private static byte[] event(Random random) {
        byte[] pod = Hostile.bytes(random, Hostile.size(random, random.nextInt(50) == 0 ? 5 << 20 : 500));
        byte[] sound = WatchPodsEvent.newBuilder()
                .setTypeValue(random.nextInt(6))
                .setPod(ByteString.copyFrom(pod))
                .build()
                .toByteArray();
        return random.nextInt(4) == 0 ? Hostile.spoilt(sound, random) : sound;
    }

    /** Trees of cgroups with names like those of pods, deep, many and changing, while pods are noted that are not there. */
    private static int cgroups(Attack attack, Random random) throws Exception {
        int mounted = new ProcessBuilder("mount", "-t", "tmpfs", "none", CGROUP_ROOT.toString())
                .start()
                .waitFor();
        if (mounted != 0) {
            throw new IOException("cannot have cgroups of its own");
        }
        try {
            for (int i = 0; i < CGROUPS && attack.target().isAlive(); i++) {
                String uid = "pod-" + random.nextInt(5);
                Path parent = CGROUP_ROOT.resolve(random.nextBoolean() ? "kubepods.slice" : "kubepods");
                for (int depth = random.nextInt(6); depth > 0; depth--) {
                    parent = parent.resolve(Hostile.name(random));
                }
                Path group = parent.resolve((random.nextBoolean() ? "kubepods-pod" : "pod")
                        + uid
                        + (random.nextBoolean() ? ".slice" : Hostile.name(random)));
                try {
                    Path made = Files.createDirectories(group);
                    if (random.nextInt(4) == 0) {
                        Files.createSymbolicLink(made.resolve("x"), CGROUP_ROOT);
                    }
                    Files.writeString(made.resolve("cgroup.events"), "populated " + Hostile.text(random));
                } catch (IOException e) {
                    // a name that is there already, or too long
                }
                if (i % 10 == 0) {
                    hold(attack, uid);
                    attack.pass(20);
                }
            }
        } finally {
            delete(checkpoint(attack));
            int ignored = new ProcessBuilder("umount", "-l", CGROUP_ROOT.toString())
                    .start()
                    .waitFor();
        }
        return CGROUPS;
    }

    private interface Bytes {
        byte[] next();
    }

    /** A service with one method, which answers with bytes that need not be a message. */
    private static ServerServiceDefinition service(
            String service, String method, MethodDescriptor.MethodType type, Bytes bytes) {
        MethodDescriptor<byte[], byte[]> descriptor = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(service, method))
                .setRequestMarshaller(new Raw())
                .setResponseMarshaller(new Raw())
                .build();
        return ServerServiceDefinition.builder(service)
                .addMethod(
                        descriptor,
                        type == MethodDescriptor.MethodType.UNARY
                                ? ServerCalls.asyncUnaryCall((request, caller) -> {
                                    caller.onNext(bytes.next());
                                    caller.onCompleted();
                                })
                                : ServerCalls.asyncServerStreamingCall((request, caller) -> {
                                    for (int i = 0; i < 100; i++) {
                                        caller.onNext(bytes.next());
                                    }
                                    caller.onCompleted();
                                }))
                .build();
    }

    private static final class Raw implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void delete(Path file) throws IOException {
        boolean ignored = Files.deleteIfExists(file);
    }
}
