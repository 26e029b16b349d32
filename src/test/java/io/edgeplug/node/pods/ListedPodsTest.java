package io.edgeplug.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.proto.podresources.ContainerDevices;
import io.edgeplug.proto.podresources.ContainerResources;
import io.edgeplug.proto.podresources.ListPodResourcesResponse;
import io.edgeplug.proto.podresources.PodResources;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a checkpoint that nobody renews is worth, beside a kubelet that lists the devices of its pods. */
@Timeout(60)
final class ListedPodsTest extends OnKubeletPods {

    private static final ListPodResourcesResponse LISTED = ListPodResourcesResponse.newBuilder()
            .addPodResources(PodResources.newBuilder()
                    .setName("dpdk-0")
                    .setNamespace("edge")
                    .addContainers(ContainerResources.newBuilder()
                            .setName("main")
                            .addDevices(ContainerDevices.newBuilder()
                                    .setResourceName("example.com/vf")
                                    .addDeviceIds("0000:3b:01.0"))))
            .build();
    private static final ListPodResourcesResponse NOTHING = ListPodResourcesResponse.getDefaultInstance();

    ListedPodsTest() throws IOException {}

    /** As those of a pod's init containers, which the kubelet never lists. */
    @Test
    void podWhoseDevicesWereNeverListedHoldsThem() throws Exception {
        try (ListServer kubelet = new ListServer();
                KubeletPods pods = pods()) {
            for (int i = 0; i < 3; i++) {
                ask(pods);
                assertThat(look(pods)).containsExactly(HELD);
            }
            assertThat(pods.areEnding()).isFalse();
            kubelet.answer(pods, LISTED);
            assertThat(look(pods)).containsExactly(HELD);
            kubelet.answer(pods, NOTHING);
            assertThat(look(pods)).isEmpty();
        }
    }

    @Test
    void podOfWhichNothingIsLeftIsHeldAsLongAsTheKubeletListsItsDevice() throws Exception {
        Path left = Files.createDirectories(root.resolve("pods/dpdk-0"));
        try (ListServer kubelet = new ListServer();
                KubeletPods pods = pods()) {
            kubelet.list = LISTED;
            assertThat(look(pods)).containsExactly(HELD);
            ask(pods);
            Files.delete(left);
            assertThat(look(pods)).containsExactly(HELD);
            assertThat(pods.areDoubtful()).isTrue();
            kubelet.answer(pods, NOTHING);
            assertThat(look(pods)).isEmpty();
            assertThat(pods.areDoubtful()).isFalse();
        }
    }

    /** The kubelet was last asked while the pod was there, and removes its directory last. */
    @Test
    void podThatIsGoneStaysSoWhenNothingOfItIsLeft() throws Exception {
        Path left = Files.createDirectories(root.resolve("pods/dpdk-0"));
        try (LocalKubelet kubelet = kubelet();
                ListServer lists = listingInsteadOf(kubelet);
                KubeletPods pods = pods()) {
            assertThat(look(pods)).containsExactly(HELD);
            kubelet.admit(PodSpec.of("dpdk-0", VF, 1));
            await(() -> pods.name(HELD).isPresent() && pods.areTold());
            lists.answer(pods, LISTED);
            assertThat(look(pods)).containsExactly(HELD);
            kubelet.delete("dpdk-0");
            await(() -> !areHeld(pods));

            Files.delete(left);

            assertThat(look(pods)).isEmpty();
        }
    }

    /** A static pod comes again with the UID that it had, and the checkpoint may have noted it all the time. */
    @Test
    void podThatWasNotListedHoldsADeviceThatIsGivenAnewUntilTheKubeletIsAskedAgain() throws Exception {
        try (ListServer kubelet = new ListServer();
                KubeletPods pods = pods()) {
            kubelet.answer(pods, LISTED);
            assertThat(look(pods)).containsExactly(HELD);
            kubelet.answer(pods, NOTHING);
            assertThat(look(pods)).isEmpty();

            pods.give(List.of(HELD.id()));

            assertThat(look(pods)).containsExactly(HELD);
            ask(pods);
            assertThat(look(pods)).isEmpty();
        }
    }

    @Test
    void whatAKubeletDidNotListIsHeldAgainOnceThereIsAnother() throws Exception {
        try (KubeletPods pods = pods()) {
            try (ListServer kubelet = new ListServer()) {
                kubelet.answer(pods, LISTED);
                assertThat(look(pods)).containsExactly(HELD);
                kubelet.answer(pods, NOTHING);
                assertThat(look(pods)).isEmpty();
            }
            assertThat(look(pods)).containsExactly(HELD);
        }
    }

    /** Which lists what the test says. */
    private final class ListServer implements AutoCloseable {

        private volatile ListPodResourcesResponse list = NOTHING;
        private final Server server;

        ListServer() throws IOException {
            Path socket = root.resolve(PodNames.SOCKET);
            Files.createDirectories(socket.resolveSibling(""));
            server = rpc.serve(
                    socket, PodResourcesAnswers.answering(caller -> PodResourcesAnswers.answer(caller, list)));
        }

        /** Lists that from now on, and waits until the pods have been asked for. */
        void answer(KubeletPods pods, ListPodResourcesResponse newest) throws InterruptedException {
            list = newest;
            ask(pods);
        }

        @Override
        public void close() throws InterruptedException {
            server.shutdownNow().awaitTermination();
        }
    }

    private static boolean areHeld(KubeletPods pods) {
        try {
            return !look(pods).isEmpty();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Which lists devices, while the kubelet reports pods. */
    private ListServer listingInsteadOf(LocalKubelet kubelet) throws IOException {
        assertThat(kubelet.resources()).isEmpty();
        Files.delete(root.resolve(PodNames.SOCKET));
        return new ListServer();
    }
}
