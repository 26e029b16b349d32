package io.edgeplug.bench;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DriverBinding;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.PciIdentity;
import io.edgeplug.model.device.PciTopology;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.model.rules.Preference;
import io.edgeplug.node.supply.Affinity;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.Warmup;

/** What GetPreferredAllocation takes to choose, by how many devices are available; the kubelet waits for it. */
@State(Scope.Benchmark)
@BenchmarkMode({Mode.AverageTime, Mode.SampleTime})
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgs = {"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m"})
public class PreferredAllocationBenchmark {

    private static final int VFS_OF_A_PF = 64;

    @Param({"64", "4096"})
    private int available;

    @Param({"PACK", "SPREAD"})
    private Preference preference;

    private List<Device> devices = List.of();
    private List<Device> must = List.of();

    /** VFs of PFs on two NUMA nodes, in the random order in which the kubelet sends them. */
    @Setup
    public void makeDevices() {
        List<Device> all = new ArrayList<>();
        for (int i = 0; i < available; i++) {
            all.add(vf(i));
        }
        Collections.shuffle(all, new Random(1));
        devices = List.copyOf(all);
        must = devices.subList(0, 1);
    }

    /** Eight of the available, one of which is given. */
    @Benchmark
    public List<Device> chooseEight() {
        return Affinity.choose(devices, must, 8, preference);
    }

    private static Device vf(int number) {
        int pf = number / VFS_OF_A_PF;
        int index = number % VFS_OF_A_PF;
        PciAddress physical = new PciAddress(0, 2 * pf + 1, 0, 0);
        PciFunction function = new PciFunction(
                new PciAddress(0, 2 * pf + 1, 1 + index / 8, index % 8),
                new PciIdentity(0x8086, 0x1889, 0x8086, 0, 0x020000),
                new PciTopology(
                        OptionalInt.of(pf % 2),
                        false,
                        OptionalInt.of(number),
                        OptionalLong.empty(),
                        Optional.of(new PciAddress(0, 2 * pf, 0, 0)),
                        Optional.of(physical)),
                DriverBinding.of(Optional.of("vfio-pci")),
                0,
                OptionalInt.empty());
        return new VirtualFunction(
                function, physical, index, List.of("ens" + pf), List.of(), Optional.empty(), Health.HEALTHY);
    }
}
