package io.edgeplug.lab.localkubelet;

import static io.edgeplug.lab.localkubelet.TestPlugin.healthy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.podresources.AllocatableResourcesRequest;
import io.edgeplug.proto.podresources.GetPodResourcesRequest;
import io.edgeplug.proto.podresources.ListPodResourcesRequest;
import io.edgeplug.proto.podresources.PodResources;
import io.edgeplug.proto.podresources.PodResourcesListerGrpc;
import io.edgeplug.proto.pods.PodIdentity;
import io.edgeplug.proto.pods.PodsGrpc;
import io.edgeplug.proto.pods.WatchPodsEvent;
import io.edgeplug.proto.pods.WatchPodsRequest;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a kubelet tells of its pods, as a client on its sockets sees it. */
@Timeout(60)
final class PodApisTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");

    @TempDir
    private Path directory = Path.of("");

    private final UnixRpc rpc;
    private final List<ManagedChannel> channels = new ArrayList<>();

    PodApisTest() throws IOException {
        rpc = UnixRpc.open();
    }

    @BeforeEach
    void keepPathsShort() {
        assertThat(directory.toString()).hasSizeLessThan(60);
    }

    @AfterEach
    void hangUp() {
        channels.forEach(ManagedChannel::shutdownNow);
        rpc.close();
    }

    private TestNode node(int minor) throws Exception {
        TestNode node = TestNode.open(
                directory.resolve("plugins"),
                KubeletOptions.DEFAULTS.withMinorVersion(minor).withRoot(directory));
        node.registered(VF, "vf.sock", healthy("a"), healthy("b"));
        return node;
    }

    private ManagedChannel channel(String socket) {
        ManagedChannel channel = rpc.dial(directory.resolve(socket));
        channels.add(channel);
        return channel;
    }

    private PodResourcesListerGrpc.PodResourcesListerBlockingStub resources() {
        return PodResourcesListerGrpc.newBlockingStub(channel("pod-resources/kubelet.sock"))
                .withDeadlineAfter(TestNode.DEADLINE);
    }

    private List<PodResources> list() {
        return resources().list(ListPodResourcesRequest.getDefaultInstance()).getPodResourcesList();
    }

    private PodsGrpc.PodsBlockingStub pods() {
        return PodsGrpc.newBlockingStub(channel("pods-api/pods-api.sock")).withDeadlineAfter(TestNode.DEADLINE);
    }

    private static String text(WatchPodsEvent event) throws IOException {
        var pod = PodIdentity.parseFrom(event.getPod()).getMetadata();
        return "%s %s/%s %s".formatted(event.getType(), pod.getNamespace(), pod.getName(), pod.getUid());
    }

    @Test
    void podIsListedByNameAndNamespaceWithTheDevicesOfItsContainers() throws Exception {
        try (TestNode node = node(37)) {
            node.kubelet().admit(PodSpec.of("dpdk-0", VF, 1).in("edge"));

            PodResources pod = list().getFirst();
            assertThat(pod.getNamespace() + "/" + pod.getName()).isEqualTo("edge/dpdk-0");
            assertThat(pod.getContainers(0).getName()).isEqualTo("main");
            assertThat(pod.getContainers(0).getDevices(0).getResourceName()).isEqualTo("example.com/vf");
            assertThat(pod.getContainers(0).getDevices(0).getDeviceIdsList())
                    .hasSize(1)
                    .isSubsetOf("a", "b");
            assertThat(resources()
                            .get(GetPodResourcesRequest.newBuilder()
                                    .setPodName("dpdk-0")
                                    .setPodNamespace("edge")
                                    .build())
                            .getPodResources())
                    .isEqualTo(pod);
            assertThat(resources()
                            .getAllocatableResources(AllocatableResourcesRequest.getDefaultInstance())
                            .getDevicesList())
                    .flatExtracting(devices -> devices.getDeviceIdsList())
                    .containsExactly("a", "b");

            node.kubelet().remove("dpdk-0");
            assertThat(list()).isEmpty();
        }
    }

    @Test
    void endedPodIsListedUpTo133AndNotFrom134On() throws Exception {
        try (TestNode node = node(33)) {
            node.kubelet().admit(PodSpec.of("done", VF, 1));
            node.kubelet().end("done");

            assertThat(list()).extracting(PodResources::getName).containsExactly("done");
        }
        try (TestNode node = node(34)) {
            node.kubelet().admit(PodSpec.of("done", VF, 1));
            node.kubelet().end("done");

            assertThat(list()).isEmpty();
        }
    }

    @Test
    void listFreesWhatEndedPodsHeldAndLeavesTheCheckpointAsItIs() throws Exception {
        try (TestNode node = node(37)) {
            node.kubelet().admit(PodSpec.of("done", VF, 2));
            node.kubelet().end("done");
            assertThat(node.kubelet().resource(VF).allocated()).hasSize(2);

            list();
            assertThat(node.kubelet().resource(VF).allocated()).isEmpty();
            assertThat(directory.resolve("plugins/kubelet_internal_checkpoint"))
                    .content()
                    .contains("\"PodUID\":\"done\"");
        }
    }

    @Test
    void nextPodGetsWhatAnEndedOneHeld() throws Exception {
        try (TestNode node = node(37)) {
            node.kubelet().admit(PodSpec.of("done", VF, 2));
            node.kubelet().end("done");

            node.kubelet().admit(PodSpec.of("next", VF, 2));
            assertThat(directory.resolve("plugins/kubelet_internal_checkpoint"))
                    .content()
                    .doesNotContain("\"PodUID\":\"done\"");
        }
    }

    @Test
    void clientsThatAskTooOftenAreRefused() throws Exception {
        try (TestNode ignored = node(37)) {
            var stub = resources();
            assertThatExceptionOfType(StatusRuntimeException.class)
                    .isThrownBy(() -> {
                        for (int i = 0; i < 10_000; i++) {
                            stub.list(ListPodResourcesRequest.getDefaultInstance());
                        }
                    })
                    .extracting(e -> e.getStatus().getCode())
                    .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        }
    }

    @Test
    void watcherIsToldOfEveryPodThenThatThisWasAllThenOfEachChange() throws Exception {
        try (TestNode node = node(37)) {
            node.kubelet().admit(PodSpec.of("first", VF, 1));
            Iterator<WatchPodsEvent> events = pods().watchPods(WatchPodsRequest.getDefaultInstance());

            assertThat(text(events.next())).isEqualTo("ADDED default/first first");
            assertThat(text(events.next())).isEqualTo("INITIAL_SYNC_COMPLETE / ");
            node.kubelet().admit(PodSpec.of("second", VF, 1).in("edge"));
            assertThat(text(events.next())).isEqualTo("ADDED edge/second second");
            node.kubelet().end("first");
            assertThat(text(events.next())).isEqualTo("MODIFIED default/first first");
            node.kubelet().remove("first");
            assertThat(text(events.next())).isEqualTo("DELETED default/first first");
        }
    }

    @Test
    void thereIsNoPodsApiBefore137() throws Exception {
        try (TestNode ignored = node(36)) {
            assertThat(directory.resolve("pod-resources/kubelet.sock")).exists();
            assertThat(directory.resolve("pods-api")).doesNotExist();
        }
    }

    @Test
    void podsAreNotToldWhileTheKubeletStarts() throws Exception {
        try (TestNode node = TestNode.open(
                directory.resolve("plugins"),
                KubeletOptions.DEFAULTS.withRoot(directory).withSocketPause(Duration.ofSeconds(2)))) {
            node.kubelet().stop();
            Thread starting = Thread.startVirtualThread(() -> {
                try {
                    node.kubelet().start();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            try {
                assertThatExceptionOfType(StatusRuntimeException.class)
                        .isThrownBy(() -> pods().withWaitForReady()
                                .watchPods(WatchPodsRequest.getDefaultInstance())
                                .next())
                        .extracting(e -> e.getStatus().getCode())
                        .isEqualTo(Status.Code.FAILED_PRECONDITION);
            } finally {
                starting.join();
            }
            assertThat(pods().watchPods(WatchPodsRequest.getDefaultInstance()).next())
                    .isNotNull();
        }
    }
}
