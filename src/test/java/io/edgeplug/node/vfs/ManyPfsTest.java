package io.edgeplug.node.vfs;

import static io.edgeplug.node.vfs.SriovNode.FUNCTIONS;
import static io.edgeplug.node.vfs.SriovNode.PF0;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.PackageJvm;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.model.rules.KeptFunctions;
import io.edgeplug.node.scan.PhysicalFunctionScan;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All PFs of a node are looked at together, on a node with many pods and in the daemon's heap. */
@Timeout(120)
final class ManyPfsTest extends OnSriovNode {

    private static final int PFS = 16;

    /** Prints who has a PF, as often as there are PFs. All looks at sysfs begin once each PF's notes were read. */
    static final class Planner {

        private Planner() {}

        public static void main(String[] args) throws Exception {
            Path root = Path.of(args[0]);
            CountDownLatch allRead = new CountDownLatch(PFS);
            ThreadLocal<Boolean> isCounted = ThreadLocal.withInitial(() -> false);
            Sysfs sysfs = Sysfs.at(root).announcing(path -> {
                if (path.startsWith(FUNCTIONS) && !isCounted.get()) {
                    isCounted.set(true);
                    allRead.countDown();
                    await(allRead);
                }
            });
            PciAddress address = PciAddress.parse(PF0).orElseThrow();
            PhysicalFunction pf =
                    new PhysicalFunctionScan(Sysfs.at(root)).of(address).orElseThrow();
            VfHolders holders =
                    new VfHolders(sysfs, new NodeVfs.Kubelet(Path.of(args[1]), root.resolve("kubelet")), false);
            List<Future<VfHolders.Found>> looks = new ArrayList<>();
            try (ExecutorService threads = Executors.newFixedThreadPool(PFS)) {
                for (int i = 0; i < PFS; i++) {
                    looks.add(threads.submit(() -> holders.of(pf, Set.of(address), KeptFunctions.NONE)));
                }
                for (Future<VfHolders.Found> look : looks) {
                    System.out.println(look.get().byFunction().get(address));
                }
            }
        }

        private static void await(CountDownLatch latch) {
            try {
                boolean ignored = latch.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void notesOfAllPodsAreInMemoryOnceForAllPfs() throws Exception {
        hold(IntStream.range(0, 10_000).mapToObj(i -> "g" + i).toList());

        PackageJvm.End end = PackageJvm.run(
                Planner.class, node.node().root().toString(), node.kubeletDir().toString());

        assertThat(end.exit()).as(end.output()).isZero();
        assertThat(end.output().lines())
                .hasSize(PFS)
                .containsOnly("container main of pod uid-of-pf has it, as " + PF0 + " of example.com/x");
    }

    private void hold(List<String> others) throws IOException {
        List<String> entries = new ArrayList<>();
        others.forEach(id -> entries.add(entry("a0e9a7f8-2f7c-4a4f-8a73-of-" + id, id)));
        entries.add(entry("uid-of-pf", PF0));
        Files.createDirectories(node.kubeletDir());
        Files.writeString(
                node.kubeletDir().resolve("kubelet_internal_checkpoint"),
                entries.stream()
                        .collect(Collectors.joining(
                                ",",
                                "{\"Data\":{\"PodDeviceEntries\":[",
                                "],\"RegisteredDevices\":{}},\"Checksum\":1}")));
    }

    private static String entry(String pod, String id) {
        return "{\"PodUID\":\"" + pod + "\",\"ContainerName\":\"main\",\"ResourceName\":\"example.com/x\","
                + "\"DeviceIDs\":{\"0\":[\"" + id + "\"]},\"AllocResp\":\"\"}";
    }
}
