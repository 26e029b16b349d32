package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.model.device.PciAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the kubelet is told when much happens at once. */
@Timeout(60)
final class HotPlugTest {

    private static final PciAddress THIRD = new PciAddress(0, 0x3b, 1, 2);
    private static final int PAIRS = 10_000;

    @TempDir
    private Path directory = Path.of("");

    private final List<KubeletEvent> events = new CopyOnWriteArrayList<>();

    @Test
    void burstOfVfsIsOneMessage() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        String vfs = burst(256);
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
            long before = lists();

            daemon.node.plug(vfs);
            kubelet.await(NODE0, state -> state.allocatable() == 258, PATIENCE);

            assertThat(lists() - before).isEqualTo(1);
        }
    }

    @Test
    void tenThousandTimesPluggedAndPulledIsAFewMessagesAndTheLastIsRight() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            daemon.node.plug(DemoNode.thirdVf());
            kubelet.await(NODE0, state -> state.allocatable() == 3, PATIENCE);
            long before = lists();
            long begun = System.nanoTime();
            long heapBefore = heap();

            Path link = daemon.node.root().resolve("sys/bus/pci/devices/" + THIRD);
            Path device = Files.readSymbolicLink(link);
            for (int i = 0; i < PAIRS; i++) {
                daemon.node.announce("remove", THIRD);
                Files.delete(link);
                Files.createSymbolicLink(link, device);
                daemon.node.announce("add", THIRD);
            }

            long seconds = (System.nanoTime() - begun) / 1_000_000_000;
            kubelet.await(NODE0, state -> state.allocatable() == 3, PATIENCE);
            System.out.println(PAIRS + " pairs in " + seconds + " s: " + (lists() - before) + " messages");
            assertThat(lists() - before).isLessThanOrEqualTo(2 + 20 * (seconds + 1));
            assertThat(heap() - heapBefore).isLessThan(16 << 20);
            assertThat(kubelet.resource(NODE0).devices()).hasSize(3);
        }
    }

    private static long heap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private long lists() {
        return events.stream()
                .filter(event -> event instanceof KubeletEvent.DeviceList list
                        && list.resource().equals(NODE0))
                .count();
    }

    /** So many more VFs of the demo's first PF, which is found by offset and stride. */
    private static String burst(int count) {
        StringBuilder tree = new StringBuilder();
        for (int i = 0; i < count; i++) {
            int number = 16 + i;
            String address = new PciAddress(0, 0x3b + number / 256, number / 8 % 32, number % 8).toString();
            tree.append("""
                    [sys/devices/pci0000:3a/0000:3a:00.0/ADDRESS]
                    vendor = 0x8086
                    device = 0x1889
                    class = 0x020000
                    numa_node = 0
                    driver -> ../../../../bus/pci/drivers/iavf
                    physfn -> ../0000:3b:00.0
                    net/vNUMBER/operstate = up
                    [sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0]
                    virtfnNUMBER -> ../ADDRESS
                    [sys/bus/pci/devices]
                    ADDRESS -> ../../../devices/pci0000:3a/0000:3a:00.0/ADDRESS
                    """.replace("ADDRESS", address).replace("NUMBER", String.valueOf(3 + i)));
        }
        return tree.toString();
    }
}
