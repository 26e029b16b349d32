package io.edgeplug.node.pods;

import static io.edgeplug.node.pods.PodResourcesAnswers.VF;
import static io.edgeplug.node.pods.PodResourcesAnswers.answer;
import static io.edgeplug.node.pods.PodResourcesAnswers.answering;
import static io.edgeplug.node.pods.PodResourcesAnswers.list;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.edgeplug.PackageJvm;
import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.node.pods.PodNames.Holder;
import io.edgeplug.proto.podresources.ContainerDevices;
import io.edgeplug.proto.podresources.ContainerResources;
import io.edgeplug.proto.podresources.ListPodResourcesResponse;
import io.edgeplug.proto.podresources.PodResources;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a list of pod-resources says about who holds a device. */
@Timeout(120)
final class PodNamesTest {

    @TempDir
    private Path root = Path.of("");

    @AutoClose
    private final UnixRpc rpc;

    PodNamesTest() throws IOException {
        rpc = UnixRpc.open();
    }

    private Path socket() throws IOException {
        return Files.createDirectories(root.resolve("pod-resources")).resolve("kubelet.sock");
    }

    @Test
    void podThatHoldsADeviceIsKnownByName() throws Exception {
        Server server = rpc.serve(socket(), answering(caller -> answer(caller, list(3, 5))));
        try {
            PodNames names = PodNames.read(rpc, root, VF.resource()::equals);

            assertThat(names.of(VF)).contains(new Holder("edge", "dpdk-0", "main"));
            assertThat(names.of(new Holding("uid", "init", VF.resource(), VF.id())))
                    .contains(new Holder("edge", "dpdk-0", "init"));
            assertThat(names.of(new Holding("uid", "main", VF.resource(), "free")))
                    .isEmpty();
            assertThat(names.of(new Holding("uid", "main", "other.com/gpu", "xxxxx")))
                    .isEmpty();
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    @Test
    void answerOfMoreThan16MibIsRefused() throws Exception {
        Server server = rpc.serve(socket(), answering(caller -> answer(caller, list(17, 1 << 20))));
        try {
            assertThatIOException()
                    .isThrownBy(() -> PodNames.read(rpc, root, VF.resource()::equals))
                    .withMessageEndingWith("answers with more than 16 MiB");
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    @Test
    void listOfWhatAreNoPodsIsRefused() throws Exception {
        Server server = rpc.serve(
                socket(),
                answering(caller -> answer(
                        caller,
                        ListPodResourcesResponse.newBuilder()
                                .setUnknownFields(UnknownFieldSet.newBuilder()
                                        .addField(
                                                1,
                                                UnknownFieldSet.Field.newBuilder()
                                                        .addLengthDelimited(ByteString.copyFromUtf8("\u0007garbage"))
                                                        .build())
                                        .build())
                                .build())));
        try {
            assertThatIOException()
                    .isThrownBy(() -> PodNames.read(rpc, root, VF.resource()::equals))
                    .withMessageEndingWith("does not answer as a kubelet does");
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    @Test
    void answerOf12MibIsReadInTheDaemonsHeapTenTimes() throws Exception {
        ListPodResourcesResponse list = list(120, 100_000);
        assertThat(list.getSerializedSize()).isGreaterThan(11 << 20);
        Server server = rpc.serve(socket(), answering(caller -> answer(caller, list)));
        try {
            PackageJvm.End end = PackageJvm.run(Reader.class, root.toString());
            assertThat(end.output()).isEqualToIgnoringWhitespace("edge/dpdk-0 (main)");
            assertThat(end.exit()).isZero();
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    /** A pod of 1 MB that would become fifty times that, and names that would fill the memory. */
    @ParameterizedTest
    @ValueSource(strings = {"containers", "unknown fields", "names", "holders of one device"})
    void listThatBecomesLargeInMemoryIsReadInTheDaemonsHeap(String parts) throws Exception {
        ListPodResourcesResponse list =
                list(1, 1).toBuilder().addAllPodResources(large(parts)).build();
        Server server = rpc.serve(socket(), answering(caller -> answer(caller, list)));
        try {
            PackageJvm.End end = PackageJvm.run(Reader.class, root.toString());
            assertThat(end.exit()).as(end.output()).isZero();
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    private static List<PodResources> large(String parts) {
        PodResources.Builder pod = PodResources.newBuilder().setName("pod").setNamespace("edge");
        return switch (parts) {
            case "containers" ->
                List.of(pod.addAllContainers(Collections.nCopies(500_000, ContainerResources.getDefaultInstance()))
                        .build());
            case "unknown fields" -> {
                UnknownFieldSet.Builder fields = UnknownFieldSet.newBuilder();
                for (int i = 2000; i < 200_000; i++) {
                    fields.mergeVarintField(i, 1);
                }
                yield List.of(pod.setUnknownFields(fields.build()).build());
            }
            case "names" ->
                IntStream.range(0, 15)
                        .mapToObj(i -> pod.clone()
                                .setNamespace(i + "\u20ac" + "x".repeat(1_000_000))
                                .addContainers(container("main", VF.id()))
                                .build())
                        .toList();
            default ->
                IntStream.range(0, 20_000)
                        .mapToObj(i -> pod.clone()
                                .addContainers(container("c" + i, VF.id()))
                                .build())
                        .toList();
        };
    }

    private static ContainerResources container(String name, String device) {
        return ContainerResources.newBuilder()
                .setName(name)
                .addDevices(ContainerDevices.newBuilder()
                        .setResourceName(VF.resource())
                        .addDeviceIds(device))
                .build();
    }

    /** A daemon's heap, of which half is in use. */
    static final class Reader {

        private Reader() {}

        public static void main(String[] args) throws Exception {
            byte[] inUse = new byte[14 << 20];
            try (UnixRpc rpc = UnixRpc.open()) {
                Optional<Holder> holder = Optional.empty();
                for (int i = 0; i < 10; i++) {
                    holder = PodNames.read(rpc, Path.of(args[0]), VF.resource()::equals)
                            .of(VF);
                }
                System.out.println(holder.orElseThrow());
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
            if (inUse.length == 0) {
                throw new IllegalStateException();
            }
        }
    }
}
