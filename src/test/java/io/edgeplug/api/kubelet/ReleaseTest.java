package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.node.pods.KubeletPods;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a device when its pod ends and the kubelet's checkpoint goes on noting it. */
@Timeout(90)
final class ReleaseTest {

    private static final String RETURNED = VF0 + ": returned to its host driver iavf";

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private Served served(int minor) throws Exception {
        return Served.open(
                closing,
                directory,
                "driver = \"vfio-pci\"",
                KubeletOptions.DEFAULTS.withMinorVersion(minor).withRoot(directory));
    }

    private static void run(Served served, String pod) throws Exception {
        served.kubelet().admit(PodSpec.of(pod, NODE0, 1).in("edge"));
        served.kubelet().startContainer(pod, "main");
    }

    @ParameterizedTest
    @ValueSource(ints = {33, 36, 37})
    void driverIsGivenBackWhenThePodIsDeletedThoughTheCheckpointStillNotesIt(int minor) throws Exception {
        try (LogLines log = LogLines.open()) {
            Served served = served(minor);
            run(served, "dpdk-0");
            log.await(VF0 + ": held by edge/dpdk-0 (main)");

            served.kubelet().delete("dpdk-0");

            log.await(RETURNED);
            log.await(VF0 + ": released by edge/dpdk-0 (main)");
            assertThat(directory.resolve("device-plugins").resolve(HeldDevices.FILE))
                    .content()
                    .contains("\"dpdk-0\"");
            run(served, "dpdk-1");
            log.await(VF0 + ": held by edge/dpdk-1 (main)");
            assertThat(served.daemon().node.acts()).endsWith(VF0 + " bound to vfio-pci");
            assertThat(log.with("held by edge/dpdk-0")).hasSize(1);
            assertThat(log.with("released by")).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {33, 36, 37})
    void podWhoseContainersHaveEndedIsReleased(int minor) throws Exception {
        try (LogLines log = LogLines.open()) {
            Served served = served(minor);
            run(served, "job");
            log.await("held by edge/job (main)");

            served.kubelet().end("job");

            log.await(RETURNED);
        }
    }

    /** As a static pod does, of which the last that the kubelet told is that it is gone. */
    @ParameterizedTest
    @ValueSource(ints = {33, 36, 37})
    void podThatComesAgainWithItsUidKeepsTheDriverThatItsDeviceIsPreparedWith(int minor) throws Exception {
        try (LogLines log = LogLines.open()) {
            Served served = served(minor);
            run(served, "dpdk-0");
            log.await("held by edge/dpdk-0 (main)");
            served.kubelet().delete("dpdk-0");
            log.await(RETURNED);
            log.await("released by edge/dpdk-0 (main)");

            run(served, "dpdk-0");

            Seen.untilSo(
                    "held again", () -> log.with("held by edge/dpdk-0 (main)").size() == 2);
            assertThat(log.with(RETURNED)).hasSize(1);
            assertThat(served.daemon().node.acts()).endsWith(VF0 + " bound to vfio-pci");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {33, 34})
    void podWhoseContainersHaveEndedHoldsNothingThoughItIsListedUpTo133(int minor) throws Exception {
        Served served = served(minor);
        run(served, "job");
        try (UnixRpc rpc = UnixRpc.open();
                KubeletPods pods = new KubeletPods(
                        rpc,
                        directory,
                        directory.resolve("device-plugins"),
                        PreparedClaims.none(),
                        KubeletPods.CGROUPS,
                        NODE0.toString()::equals,
                        () -> {})) {
            assertThat(held(pods)).isEqualTo(1);
            ask(pods);
            assertThat(held(pods)).isEqualTo(1);

            served.kubelet().end("job");
            ask(pods);

            assertThat(held(pods)).isZero();
        }
    }

    private static void ask(KubeletPods pods) {
        long before = pods.answers();
        pods.ask();
        Seen.untilSo("an answer of the kubelet", () -> pods.answers() > before);
    }

    private static long held(KubeletPods pods) throws IOException {
        return pods.look().all(NODE0.toString()::equals).count();
    }

    @ParameterizedTest
    @ValueSource(ints = {36, 37})
    void deviceThatHasGoneLeavesTheListWhenItsPodIsDeleted(int minor) throws Exception {
        try (LogLines log = LogLines.open()) {
            Served served = served(minor);
            run(served, "dpdk-0");
            log.await("held by edge/dpdk-0 (main)");
            served.daemon().node.pull(VF0);
            served.kubelet().await(NODE0, state -> state.allocatable() == 0 && state.capacity() == 1, PATIENCE);

            served.kubelet().delete("dpdk-0");

            served.kubelet().await(NODE0, state -> state.capacity() == 0, PATIENCE.multipliedBy(3));
        }
    }

    @Test
    void podThatTheKubeletDoesNotListAfterItsRestartKeepsItsDevice() throws Exception {
        try (LogLines log = LogLines.open()) {
            Served served = served(36);
            run(served, "dpdk-0");
            log.await("held by edge/dpdk-0 (main)");
            // the pods of a kubelet that has just started have not been given to it
            Files.delete(directory.resolve("pod-resources/kubelet.sock"));
            try (ListOfNoPods next = ListOfNoPods.serve(directory.resolve("pod-resources/kubelet.sock"))) {
                next.awaitAsked(2);
                served.kubelet().startContainer("dpdk-0", "main");
                assertThat(log.with("released by")).isEmpty();
                assertThat(log.with(RETURNED)).isEmpty();
            }
        }
    }
}
