package io.edgeplug.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.model.device.ResourceName;
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
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a checkpoint that nobody renews is worth, beside a kubelet that tells of its pods. */
@Timeout(60)
final class KubeletPodsTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");
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
    private static final Holding HELD = new Holding("dpdk-0", "main", "example.com/vf", "0000:3b:01.0");

    @TempDir
    private Path root = Path.of("");

    private final UnixRpc rpc;
    private final Semaphore changes = new Semaphore(0);

    KubeletPodsTest() throws IOException {
        rpc = UnixRpc.open();
    }

    @AfterEach
    void close() {
        rpc.close();
    }

    private LocalKubelet kubelet() throws IOException {
        return LocalKubelet.open(root.resolve("dp"), KubeletOptions.DEFAULTS.withRoot(root), event -> {});
    }

    private KubeletPods pods() throws IOException {
        noteHeld();
        return podsAsNoted();
    }

    private void noteHeld() throws IOException {
        Files.writeString(Files.createDirectories(root.resolve("notes")).resolve(HeldDevices.FILE), """
                {"Data":{"PodDeviceEntries":[{"PodUID":"dpdk-0","ContainerName":"main","ResourceName":"example.com/vf",
                "DeviceIDs":{"0":["0000:3b:01.0"]},"AllocResp":""}],"RegisteredDevices":{}},"Checksum":1}
                """);
    }

    private KubeletPods podsAsNoted() {
        return new KubeletPods(
                rpc,
                root,
                root.resolve("notes"),
                PreparedClaims.none(),
                root.resolve("cgroup"),
                VF.toString()::equals,
                changes::release);
    }

    /** Looks anew whenever there is news, until it is so. */
    private void await(BooleanSupplier wanted) throws InterruptedException {
        while (!wanted.getAsBoolean()) {
            assertThat(changes.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static List<Holding> look(KubeletPods pods) throws IOException {
        return pods.look().all(VF.toString()::equals).toList();
    }

    @Test
    void podIsKnownByNameAndFreeOnceThePodsApiSaysThatItIsGone() throws Exception {
        try (LocalKubelet kubelet = kubelet();
                KubeletPods pods = pods()) {
            List<Holding> ignored = look(pods);
            kubelet.admit(PodSpec.of("dpdk-0", VF, 1).in("edge"));
            await(() -> pods.name(HELD).isPresent() && pods.areTold());
            assertThat(pods.name(HELD)).contains(new Holder("edge", "dpdk-0", "main"));
            assertThat(look(pods)).containsExactly(HELD);

            kubelet.delete("dpdk-0");

            await(() -> pods.name(HELD).isEmpty());
            assertThat(look(pods)).isEmpty();
        }
    }

    @Test
    void podThatIsSaidToBeGoneIsHeldAsLongAsItsCgroupIsThere() throws Exception {
        Path cgroup = Files.createDirectories(root.resolve("cgroup/kubepods/burstable/poddpdk-0"));
        try (LocalKubelet kubelet = kubelet();
                KubeletPods pods = pods()) {
            List<Holding> ignored = look(pods);
            kubelet.admit(PodSpec.of("dpdk-0", VF, 1));
            await(() -> pods.name(HELD).isPresent() && pods.areTold());
            kubelet.delete("dpdk-0");
            await(() -> pods.name(HELD).isEmpty());

            assertThat(look(pods)).containsExactly(HELD);
            assertThat(pods.areEnding()).isTrue();
            Files.delete(cgroup);

            assertThat(look(pods)).isEmpty();
            assertThat(pods.areEnding()).isFalse();
        }
    }

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
    void podThatIsSaidToBeGoneHoldsADeviceThatIsGivenAnewUntilItIsSaidAgain() throws Exception {
        try (LocalKubelet kubelet = kubelet();
                KubeletPods pods = pods()) {
            for (int i = 0; i < 2; i++) {
                kubelet.admit(PodSpec.of("dpdk-0", VF, 1));
                await(() -> pods.name(HELD).isPresent() && pods.areTold());
                assertThat(look(pods)).containsExactly(HELD);
                kubelet.delete("dpdk-0");
                await(() -> pods.name(HELD).isEmpty());
                assertThat(look(pods)).isEmpty();

                pods.give(List.of(HELD.id()));

                assertThat(look(pods)).containsExactly(HELD);
            }
        }
    }

    /** One that only an init container had is never listed. */
    @Test
    void deviceThatWasNeverListedIsFreeOnceItsPodsContainersHaveEnded() throws Exception {
        try (LocalKubelet kubelet = kubelet();
                KubeletPods pods = pods()) {
            List<Holding> ignored = look(pods);
            kubelet.admit(PodSpec.of("dpdk-0", VF, 1));
            await(() -> pods.name(HELD).isPresent() && pods.areTold());
            ask(pods);
            assertThat(look(pods)).containsExactly(HELD);

            kubelet.end("dpdk-0");

            await(pods::areDoubtful);
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

    private void ask(KubeletPods pods) throws InterruptedException {
        long before = pods.answers();
        pods.ask();
        await(() -> pods.answers() > before);
    }

    @Test
    void podThatWentWhileNobodyListenedIsFreeOnceAllOthersAreTold() throws Exception {
        try (LocalKubelet kubelet = kubelet();
                KubeletPods pods = podsAsNoted()) {
            await(pods::areTold);
            noteHeld();
            // noted after the kubelet has told all pods, and gone before it could tell this one
            assertThat(look(pods)).containsExactly(HELD);
            kubelet.stop();
            await(() -> !pods.areTold());
            kubelet.start();

            await(pods::areTold);

            assertThat(look(pods)).isEmpty();
        }
    }

    /** As after a restart of edgeplug, while the kubelet still notes a pod that has ended. */
    @Test
    void podThatWentBeforeItWasFollowedIsFreeOnceAllOthersAreTold() throws Exception {
        try (LocalKubelet kubelet = kubelet();
                KubeletPods pods = pods()) {
            await(pods::areTold);

            assertThat(look(pods)).isEmpty();
        }
    }
}
