package io.edgeplug.lab.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.node.scan.DeviceScan;
import io.edgeplug.system.udev.Uevent;
import io.edgeplug.system.udev.UeventSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(10)
class SimulatedNodeTest {

    private static final PciAddress ROOT_PORT = address("0000:3a:00.0");
    private static final PciAddress PF = address("0000:3b:00.0");
    private static final PciAddress FIRST = address("0000:3b:01.0");
    private static final PciAddress SECOND = address("0000:3b:01.1");
    private static final PciAddress THIRD = address("0000:3b:01.2");
    private static final String SLOT = "/devices/pci0000:3a/0000:3a:00.0";

    @TempDir
    Path root;

    @AutoClose
    private SimulatedNode node;

    private DeviceScan scan;

    @BeforeEach
    void unpack() throws IOException {
        node = SimulatedNode.unpack(DemoNode.tree(), root);
        scan = new DeviceScan(node.sysfs());
    }

    @Test
    void pluggedVfIsScannedAndAnnounced() throws IOException {
        try (UeventSource uevents = node.uevents()) {
            node.plug(DemoNode.thirdVf());
            assertThat(uevents.next()).contains(new Uevent("add", SLOT + "/0000:3b:01.2", "pci"));
        }
        VirtualFunction vf = (VirtualFunction) scanned(THIRD);
        assertThat(vf.health().problem()).isEmpty();
        assertThat(vf.index()).isEqualTo(2);
        assertThat(vf.physicalFunction()).isEqualTo(PF);
        assertThat(vf.physicalNetNames()).containsExactly("ens1f0");
        assertThat(vf.numaNode()).hasValue(0);
        assertThat(node.sysfs().linkName("sys/bus/pci/devices/" + PF + "/virtfn2"))
                .contains("0000:3b:01.2");
    }

    @Test
    void pulledVfLeavesNothingBehind() throws IOException {
        try (UeventSource uevents = node.uevents()) {
            node.pull(SECOND);
            assertThat(uevents.next()).contains(new Uevent("remove", SLOT + "/0000:3b:01.1", "pci"));
        }
        assertThat(scan.function(SECOND)).isEmpty();
        assertThat(scan.functions()).contains(PF, FIRST).doesNotContain(SECOND);
        assertThat(node.sysfs().names("sys/bus/pci/devices/" + PF))
                .contains("virtfn0")
                .doesNotContain("virtfn1");
        try (Stream<Path> all = Files.walk(node.root())) {
            List<Path> left = all.toList();
            assertThat(left).noneMatch(path -> path.toString().contains("0000:3b:01.1"));
            assertThat(left).allMatch(Files::exists, "leads somewhere");
        }
        assertThat(scanned(FIRST).health().isHealthy()).isTrue();
    }

    @Test
    void pulledVfCanBePluggedAgain() throws IOException {
        node.plug(DemoNode.thirdVf());
        node.fallOff(THIRD);
        node.pull(THIRD);
        node.plug(DemoNode.thirdVf());
        assertThat(scanned(THIRD).health().isHealthy()).isTrue();
        node.fallOff(THIRD);
        assertThat(scanned(THIRD).health().isHealthy()).isFalse();
    }

    @Test
    void whatDependsOnAFunctionIsPulledBeforeIt() throws IOException {
        try (UeventSource uevents = node.uevents()) {
            node.pull(ROOT_PORT);
            assertThat(Stream.generate(() -> uevents.next().orElseThrow()).limit(4))
                    .extracting(Uevent::devpath)
                    .containsExactly(SLOT + "/0000:3b:01.1", SLOT + "/0000:3b:01.0", SLOT + "/0000:3b:00.0", SLOT);
        }
        assertThat(scan.functions()).hasSize(4).doesNotContain(ROOT_PORT, PF, FIRST, SECOND);
    }

    @Test
    void pulledPfTakesItsVfsWithIt() throws IOException {
        node.pull(PF);
        assertThat(scan.functions()).hasSize(5).contains(ROOT_PORT).doesNotContain(PF, FIRST, SECOND);
    }

    @Test
    void functionThatFellOffIsUnhealthyUntilItComesBack() throws IOException {
        Path config = root.resolve("sys/bus/pci/devices/" + FIRST + "/config");
        byte[] before = Files.readAllBytes(config);
        try (UeventSource uevents = node.uevents()) {
            node.fallOff(FIRST);
            assertThat(uevents.next()).contains(new Uevent("change", SLOT + "/0000:3b:01.0", "pci"));
            assertThat(scanned(FIRST).health().problem())
                    .hasValueSatisfying(why -> assertThat(why).contains("does not answer on PCI"));
            assertThat(config).hasSize(256);
            assertThat(scanned(SECOND).health().isHealthy()).isTrue();

            node.comeBack(FIRST);
            assertThat(uevents.next()).contains(new Uevent("change", SLOT + "/0000:3b:01.0", "pci"));
            assertThat(scanned(FIRST).health().isHealthy()).isTrue();
            assertThat(config).hasBinaryContent(before);
        }
    }

    @Test
    void functionFallsOffOnceAndComesBackOnce() throws IOException {
        assertThatThrownBy(() -> node.comeBack(FIRST)).hasMessage("0000:3b:01.0: has not fallen off its bus");
        node.fallOff(FIRST);
        assertThatThrownBy(() -> node.fallOff(FIRST)).hasMessage("0000:3b:01.0: has fallen off its bus already");
    }

    @Test
    void writeChangesAnAttributeSilently() throws IOException {
        try (UeventSource uevents = node.uevents()) {
            node.write("sys/bus/pci/devices/" + FIRST + "/numa_node", "1");
            assertThat(scanned(FIRST).numaNode()).hasValue(1);
            assertThat(root.resolve("sys" + SLOT + "/0000:3b:01.0/numa_node")).hasContent("1\n");
            node.announce("bind", FIRST);
            assertThat(uevents.next()).map(Uevent::action).contains("bind");
        }
    }

    @Test
    void writeStaysInTheNodeAndMakesNoFile() throws IOException {
        Path outside = Files.createFile(root.resolveSibling(root.getFileName() + "-outside"));
        Files.createSymbolicLink(root.resolve("way-out"), outside);
        assertThatThrownBy(() -> node.write("way-out", "1")).hasMessage("way-out leads out of the node");
        assertThatThrownBy(() -> node.write("../x", "1")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> node.write("sys/bus", "1")).hasMessage("sys/bus is no file");
        assertThatThrownBy(() -> node.write("sys/none", "1")).isInstanceOf(NoSuchFileException.class);
        assertThat(outside).isEmptyFile();
        Files.delete(outside);
    }

    @Test
    void readerNeverSeesHalfAValue() throws IOException {
        String path = "sys/bus/pci/devices/" + PF + "/local_cpulist";
        String small = "0";
        String large = "0-".repeat(1000);
        List<String> names = node.sysfs().names("sys/bus/pci/devices/" + PF);
        node.write(path, small);
        CompletableFuture<Void> done = new CompletableFuture<>();
        try (ExecutorService writer = Executors.newSingleThreadExecutor()) {
            writer.execute(() -> {
                try {
                    for (int i = 0; i < 500; i++) {
                        node.write(path, i % 2 == 0 ? large : small);
                    }
                    done.complete(null);
                } catch (IOException e) {
                    done.completeExceptionally(e);
                }
            });
            do {
                assertThat(node.sysfs().read(path).orElseThrow()).isIn(small, large);
                assertThat(node.sysfs().names("sys/bus/pci/devices/" + PF)).isEqualTo(names);
            } while (!done.isDone());
        }
        assertThat(done).isCompleted();
    }

    @Test
    void plugWithAMistakeChangesAndAnnouncesNothing() throws IOException {
        String existing = "etc/gophers/g3 =\nsys" + SLOT + "/vendor = 0x8086\n";
        String throughLink = "etc/gophers/g3 =\nsys/bus/pci/devices/0000:3b:00.0/x = 1\n";
        try (UeventSource uevents = node.uevents()) {
            assertThatThrownBy(() -> node.plug(existing)).hasMessage("line 2: sys" + SLOT + "/vendor is there already");
            assertThatThrownBy(() -> node.plug(throughLink))
                    .hasMessage("line 2: sys/bus/pci/devices/0000:3b:00.0/x leads through"
                            + " sys/bus/pci/devices/0000:3b:00.0, which is no directory");
            assertThat(root.resolve("etc/gophers/g3")).doesNotExist();
            node.announce("change", PF);
            assertThat(uevents.next()).map(Uevent::action).contains("change");
        }
    }

    @Test
    void unknownFunctionIsNamed() {
        assertThatThrownBy(() -> node.pull(THIRD))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("0000:3b:01.2: no such function");
        assertThatThrownBy(() -> node.announce("change", THIRD)).hasMessage("0000:3b:01.2: no such function");
    }

    @Test
    void ueventsComeInOrderToEveryListener() throws IOException {
        try (UeventSource one = node.uevents();
                UeventSource other = node.uevents()) {
            node.plug(DemoNode.thirdVf());
            node.fallOff(THIRD);
            node.pull(THIRD);
            for (UeventSource uevents : List.of(one, other)) {
                assertThat(Stream.generate(() -> uevents.next().orElseThrow()).limit(3))
                        .extracting(Uevent::action)
                        .containsExactly("add", "change", "remove");
            }
        }
    }

    @Test
    void closeEndsAWaitingNextFromAnotherThread() throws Exception {
        UeventSource uevents = node.uevents();
        CompletableFuture<Optional<Uevent>> next = new CompletableFuture<>();
        Thread reader = Thread.ofPlatform().start(() -> next.complete(uevents.next()));
        while (reader.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        uevents.close();
        assertThat(next.get(10, TimeUnit.SECONDS)).isEmpty();
    }

    @Test
    void closedNodeEndsAllItsSources() throws IOException {
        UeventSource before = node.uevents();
        node.announce("change", PF);
        node.close();
        assertThat(before.next()).isEmpty();
        assertThat(node.uevents().next()).isEmpty();
    }

    private PciDevice scanned(PciAddress address) {
        return scan.function(address).getFirst();
    }

    private static PciAddress address(String text) {
        return PciAddress.parse(text).orElseThrow();
    }
}
