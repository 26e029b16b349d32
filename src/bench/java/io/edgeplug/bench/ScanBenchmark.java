package io.edgeplug.bench;

import io.edgeplug.device.DeviceScan;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it takes to look at everything, and at one VF after a uevent, by how many functions a node has: PFs with up to
 * 255 VFs each, bound to their network driver.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(
        value = 1,
        jvmArgs = {"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"})
public class ScanBenchmark {

    private static final int FUNCTIONS_OF_A_BUS = 256;

    @Param({"16", "256", "4096"})
    private int functions;

    private Path root = Path.of("");
    private Sysfs sysfs = Sysfs.at(root);
    private PciAddress vf = new PciAddress(0, 1, 1, 0);

    /** Makes the node. */
    @Setup
    public void makeNode() throws IOException {
        root = Files.createTempDirectory("edgeplug-bench");
        StringBuilder tree = new StringBuilder("[proc/net]\nroute = Iface\\neth0\t00000000\t0\t3\t0\t0\t0\t00000000\n");
        for (int i = 0; i < functions; i++) {
            tree.append(function(i));
        }
        SimulatedNode.unpack(tree.toString(), root).close();
        sysfs = Sysfs.at(root);
    }

    /** Takes it away. */
    @TearDown
    public void removeNode() throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    /** The first scan, and that of each minute. */
    @Benchmark
    public Inventory everything() throws IOException {
        return Inventory.scan(sysfs, List.of());
    }

    /** The scan after a uevent. */
    @Benchmark
    public List<PciDevice> oneVf() {
        return new DeviceScan(sysfs).function(vf);
    }

    private static PciAddress address(int number) {
        int inBus = number % FUNCTIONS_OF_A_BUS;
        return new PciAddress(0, 1 + number / FUNCTIONS_OF_A_BUS, inBus / 8, inBus % 8);
    }

    private static String function(int number) {
        PciAddress pf = address(number / FUNCTIONS_OF_A_BUS * FUNCTIONS_OF_A_BUS);
        int index = number % FUNCTIONS_OF_A_BUS - 1;
        String config = "\\x86\\x80" + "\\x00".repeat(62);
        String common = """
                [sys/devices/pci0000:00/%1$s]
                vendor = 0x8086
                device = 0x1889
                subsystem_vendor = 0x8086
                subsystem_device = 0x0000
                class = 0x020000
                numa_node = 0
                power_state = D0
                config = %2$s
                driver -> ../../../bus/pci/drivers/iavf
                iommu_group -> ../../../kernel/iommu_groups/%3$d
                net/eth%3$d/type = 1
                """.formatted(address(number), config, number);
        String own =
                index < 0 ? "sriov_numvfs = 255\nsriov_offset = 1\nsriov_stride = 1\n" : "physfn -> ../" + pf + "\n";
        return common
                + own
                + "[sys/class/net]\neth%1$d -> ../../devices/pci0000:00/%2$s/net/eth%1$d\n"
                        .formatted(number, address(number))
                + "[sys/bus/pci/devices]\n%1$s -> ../../../devices/pci0000:00/%1$s\n".formatted(address(number));
    }
}
