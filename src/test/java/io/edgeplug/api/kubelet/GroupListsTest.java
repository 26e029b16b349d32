package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.pods.HeldDevices;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the kubelet is told of devices with IOMMU groups while pods have them. */
@Timeout(90)
final class GroupListsTest {

    private static final String A = "0000:43:00.0";
    private static final String B = "0000:43:00.1";
    private static final String ALONE = "0000:44:00.0";
    private static final ResourceName DPU = ResourceName.parse("example.com/dpu");
    private static final ResourceName OTHER = ResourceName.parse("example.com/other");
    private static final String CLASS = """
            [[class]]
            resource = "%s"
            kind = "nic"
            [class.match]
            pci_addresses = ["%s"]
            """;

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private final Seen<KubeletEvent> events = new Seen<>();
    private Path kubeletDir = Path.of("");
    private LocalKubelet kubelet;

    @BeforeEach
    void open() throws Exception {
        kubeletDir = directory.resolve("device-plugins");
        kubelet = closing.add(LocalKubelet.open(kubeletDir, events::add));
        SimulatedNode.unpack(Files.readString(Machine.file("vfio-groups", "tree")), directory.resolve("node"))
                .close();
    }

    private long lists() {
        return events.all().stream()
                .filter(KubeletEvent.DeviceList.class::isInstance)
                .count();
    }

    /** B1. Nothing is missing, scrubbed or claimed. */
    @Test
    void kubeletIsToldAFewTimesOfADeviceWithAGroupThatAPodHas() throws Exception {
        // The daemon knows who holds what before it is asked for anything.
        Files.writeString(
                kubeletDir.resolve(HeldDevices.FILE),
                "{\"Data\":{\"PodDeviceEntries\":null,\"RegisteredDevices\":{}},\"Checksum\":1}");
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, CLASS.formatted(DPU, ALONE)));
        kubelet.await(DPU, state -> state.allocatable() == 1, PATIENCE);
        daemon.learnHolders();
        kubelet.admit(PodSpec.of("pod", DPU, 1));

        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
        while (System.nanoTime() < end && lists() <= 20) {
            LockSupport.parkNanos(10_000_000);
        }

        assertThat(lists()).as("lists within 15 s of one Allocate").isLessThanOrEqualTo(20);
    }

    /** B7. The class that comes with the reload has a member of the group whose other member a pod already has. */
    @Test
    void podThatHasADeviceOfAClassThatComesWithAReloadKeepsItsGroup() throws Exception {
        try (TestDaemon before =
                TestDaemon.open(directory, kubeletDir, CLASS.formatted(DPU, A) + CLASS.formatted(OTHER, B))) {
            kubelet.await(DPU, state -> state.allocatable() == 1, PATIENCE);
            kubelet.await(OTHER, state -> state.allocatable() == 1, PATIENCE);
            kubelet.admit(PodSpec.of("pod", DPU, 1));
        }
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, CLASS.formatted(OTHER, B)));
        kubelet.await(
                OTHER, state -> state.registered() && state.capacity() == 1 && state.allocatable() == 0, PATIENCE);

        daemon.use(ConfigFiles.read(Files.writeString(
                        directory.resolve("edgeplug.toml"), CLASS.formatted(DPU, A) + CLASS.formatted(OTHER, B)))
                .classes());
        kubelet.await(DPU, state -> state.registered() && state.capacity() == 1, PATIENCE);

        PluginClient other = PluginClient.of(kubelet.resource(OTHER), kubeletDir, closing);
        StatusRuntimeException refused =
                catchThrowableOfType(StatusRuntimeException.class, () -> other.allocate(List.of(B)));
        assertThat(refused)
                .as("refusal of the group mate of a device that a pod has")
                .isNotNull();
    }
}
