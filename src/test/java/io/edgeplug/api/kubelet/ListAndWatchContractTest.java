package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.GOPHER;
import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.proto.v1beta1.Device;
import io.edgeplug.proto.v1beta1.ListAndWatchResponse;
import io.edgeplug.system.rpc.UnixRpc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is sent on ListAndWatch, and what a stream leaves behind. */
@Timeout(60)
final class ListAndWatchContractTest {

    private static final String A = "0000:3b:01.0";
    private static final String B = "0000:3b:01.1";

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private final List<KubeletEvent> events = new CopyOnWriteArrayList<>();

    private record Served(TestDaemon daemon, LocalKubelet kubelet, UnixRpc rpc, Path kubeletDir) {

        PluginClient dial() {
            return PluginClient.dial(
                    rpc,
                    kubeletDir
                            .resolve("edgeplug")
                            .resolve(kubelet.resource(NODE0).endpoint().orElseThrow()));
        }
    }

    private Served served() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, events::add));
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir));
        kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
        return new Served(daemon, kubelet, closing.add(UnixRpc.open()), kubeletDir);
    }

    @Test
    void eachMessageIsTheWholeList() throws Exception {
        Served served = served();
        PluginClient.Watch watch = closing.add(served.dial()).watch();
        watch.lists().awaitCount(1);
        assertThat(watch.newest()).isEqualTo(Map.of(A, "Healthy", B, "Healthy"));

        served.daemon().node.fallOff(VF0);
        watch.lists().awaitCount(2);
        assertThat(watch.newest()).isEqualTo(Map.of(A, "Unhealthy", B, "Healthy"));
    }

    @Test
    void nothingIsSentWithoutAChange() throws Exception {
        Served served = served();
        PluginClient.Watch watch = closing.add(served.dial()).watch();
        watch.lists().awaitCount(1);

        for (int i = 0; i < 20; i++) {
            served.daemon().node.announce("change", VF0);
        }
        Files.createFile(served.daemon().node.root().resolve("etc/gophers/g3"));
        served.daemon().lookAtFiles();
        served.kubelet().await(GOPHER, state -> state.allocatable() == 3, PATIENCE);
        served.daemon().node.fallOff(VF0);
        watch.lists().await(lists -> PluginClient.Watch.health(lists.getLast()).containsValue("Unhealthy"));

        assertThat(watch.lists().all()).hasSize(2);
    }

    @Test
    void burstOfChangesIsAFewMessagesAndTheLastIsRight() throws Exception {
        Served served = served();
        PluginClient.Watch watch = closing.add(served.dial()).watch();
        watch.lists().awaitCount(1);

        for (int i = 0; i < 32; i++) {
            served.daemon().node.fallOff(VF0);
            served.daemon().node.comeBack(VF0);
        }
        served.daemon().node.plug(DemoNode.thirdVf());

        watch.lists()
                .await(lists -> PluginClient.Watch.health(lists.getLast())
                        .equals(Map.of(A, "Healthy", B, "Healthy", "0000:3b:01.2", "Healthy")));
        System.out.println("burst of 64 changes: " + (watch.lists().count() - 1) + " messages");
        assertThat(watch.lists().count()).isLessThan(12);
    }

    @Test
    void twoStreamsOfAResourceBothGetEachChange() throws Exception {
        Served served = served();
        PluginClient client = closing.add(served.dial());
        PluginClient.Watch one = client.watch();
        PluginClient.Watch other = closing.add(served.dial()).watch();
        one.lists().awaitCount(1);
        other.lists().awaitCount(1);

        served.daemon().node.fallOff(VF0);

        assertThat(one.lists().awaitCount(2).getLast())
                .isEqualTo(other.lists().awaitCount(2).getLast());
        assertThat(served.kubelet()
                        .await(NODE0, state -> state.allocatable() == 1, PATIENCE)
                        .capacity())
                .isEqualTo(2);
    }

    /** Someone who looks with grpcurl is not the kubelet, whose own stream must not suffer for it. */
    @Test
    void streamOfSomeoneElseThatEndsCostsTheKubeletNothing() throws Exception {
        Served served = served();
        String socket = served.kubelet().resource(NODE0).endpoint().orElseThrow();
        int before = Counts.threads(directory, "list example.com/sriov_node0");
        PluginClient.Watch watch = closing.add(served.dial()).watch();
        watch.lists().awaitCount(1);

        watch.cancel();
        Seen.untilSo("its writer has ended", () -> Counts.threads(directory, "list example.com/sriov_node0") == before);
        served.daemon().node.fallOff(VF0);
        served.kubelet().await(NODE0, state -> state.allocatable() == 1, PATIENCE);

        assertThat(served.kubelet().resource(NODE0).endpoint()).contains(socket);
    }

    @Test
    void twoHundredStreamsThatEndLeaveNoThreadAndNoDescriptorBehind() throws Exception {
        Served served = served();
        int threads = Counts.threads(directory, "list ");
        try (PluginClient first = served.dial()) {
            first.options();
        }
        Seen.untilSo("three streams", () -> Counts.threads(directory, "list ") == 3);
        int descriptors = Counts.descriptors();

        for (int i = 0; i < 200; i++) {
            try (PluginClient client = served.dial()) {
                PluginClient.Watch watch = client.watch();
                watch.lists().awaitCount(1);
                watch.cancel();
            }
        }

        assertThat(threads).isEqualTo(3);
        Seen.untilSo("no stream is left", () -> Counts.threads(directory, "list ") == threads);
        Seen.untilSo("no descriptor is left", () -> Counts.descriptors() <= descriptors);
    }

    @Test
    void thereIsNoFarewellListAtStopAndNoThreadStays() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        try (RoughKubelet kubelet = RoughKubelet.open(kubeletDir, RoughKubelet::follow)) {
            try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
                for (PluginClient.Watch watch : kubelet.watches().awaitCount(3)) {
                    watch.lists().awaitCount(1);
                }
            }
            assertThat(Counts.threads(directory, "list ")).isZero();
            assertThat(Counts.threads(directory, "plugin example")).isZero();
            for (PluginClient.Watch watch : kubelet.watches().all()) {
                watch.awaitEnd();
                assertThat(watch.lists().all()).hasSize(1);
                assertThat(watch.newest()).hasSize(2);
            }
        }
    }

    @Test
    void streamThatIsNotReadBlocksNobodyAndGetsTheNewestListWhenItIs() throws Exception {
        Path gophers = directory.resolve("node/etc/gophers");
        Files.createDirectories(gophers);
        for (int i = 0; i < 3000; i++) {
            Files.createFile(gophers.resolve("gopher-%s-%04d".formatted("x".repeat(50), i)));
        }
        Path kubeletDir = directory.resolve("device-plugins");
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, events::add));
        TestDaemon daemon = closing.add(
                TestDaemon.open(directory, kubeletDir, TestDaemon.filesClass("example.com/gopher", "gophers")));
        ResourceState registered = kubelet.await(GOPHER, state -> state.allocatable() == 3000, PATIENCE);
        PluginClient.Watch lazy =
                PluginClient.of(registered, kubeletDir, closing).watchWithoutReading();

        for (int i = 1; i <= 20; i++) {
            int wanted = 3000 + i;
            Files.createFile(gophers.resolve("one-more-" + i));
            daemon.lookAtFiles();
            kubelet.await(GOPHER, state -> state.allocatable() == wanted, PATIENCE);
        }
        assertThat(lazy.lists().all()).isEmpty();
        lazy.read(100);

        List<ListAndWatchResponse> read =
                lazy.lists().await(lists -> !lists.isEmpty() && lists.getLast().getDevicesCount() == 3020);
        System.out.println("20 changes, none read: " + read.size() + " messages afterwards");
        assertThat(read).hasSizeLessThan(12);
    }

    @Test
    void listIsWithinWhatAKubeletReceives() throws Exception {
        ListAndWatchResponse.Builder list = ListAndWatchResponse.newBuilder();
        List<Device> devices = new ArrayList<>();
        for (int i = 0; i < 4096; i++) {
            Device.Builder device = Device.newBuilder().setID("x".repeat(63)).setHealth("Unhealthy");
            for (int node = 0; node < 64; node++) {
                device.getTopologyBuilder().addNodesBuilder().setID(node);
            }
            devices.add(device.build());
        }
        assertThat(list.addAllDevices(devices.subList(0, 4096)).build().getSerializedSize())
                .isLessThan(4 << 20);
    }
}
