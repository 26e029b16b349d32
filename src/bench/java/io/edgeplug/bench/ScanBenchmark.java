package io.edgeplug.bench;

import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.scan.DeviceScan;
import io.edgeplug.system.files.Sysfs;
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

    @Param({"16", "256", "4096"})
    private int functions;

    private static final List<String> FILES = List.of(
            "vendor", "device", "subsystem_vendor", "subsystem_device", "class", "numa_node", "power_state", "config");

    private Path function = Path.of("");
    private Path root = Path.of("");
    private Sysfs sysfs = Sysfs.at(root);
    private PciAddress vf = BigNode.address(8);

    /** Makes the node. */
    @Setup
    public void makeNode() throws IOException {
        root = Files.createTempDirectory("edgeplug-bench");
        SimulatedNode.unpack(BigNode.tree(functions), root).close();
        sysfs = Sysfs.at(root);
        function = root.resolve("sys/bus/pci/devices/" + vf).toRealPath();
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

    /** What a scan of one VF reads, and no more: the floor of both. */
    @Benchmark
    public int filesOfOneVf() throws IOException {
        int bytes = 0;
        for (String name : FILES) {
            bytes += Files.readAllBytes(function.resolve(name)).length;
        }
        return bytes;
    }

    /** The scan after a uevent. */
    @Benchmark
    public List<PciDevice> oneVf() {
        return new DeviceScan(sysfs).function(vf);
    }
}
