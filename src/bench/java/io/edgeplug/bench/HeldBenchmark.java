package io.edgeplug.bench;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Face;
import io.edgeplug.model.custody.Verdict;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PathDevice;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
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

/** What an Allocate of two VFs, each in an IOMMU group, spends on who has which device, beside others that are held. */
@State(Scope.Benchmark)
@BenchmarkMode({Mode.SampleTime, Mode.Throughput})
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
        value = 1,
        jvmArgs = {"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m"})
public class HeldBenchmark {

    @Param({"0", "1000", "4000"})
    private int held;

    private final Custodian custodian = new Custodian();
    private Map<Face, Device> devices = Map.of();
    private List<String> ids = List.of();

    @Setup
    public void hold() {
        for (int number = 0; number < held; number++) {
            Optional<Map.Entry<Face, Verdict>> ignored = custodian.give(
                    faces(number, 1), List.of(BigNode.address(number).toString()));
        }
        devices = faces(held, 2);
        ids = devices.keySet().stream().map(Face::device).toList();
    }

    private static Map<Face, Device> faces(int first, int count) {
        Map<Face, Device> faces = new LinkedHashMap<>();
        for (int number = first; number < first + count; number++) {
            String id = BigNode.address(number).toString();
            faces.put(
                    new Face(id, "example.com/vf", true, false, false, OptionalInt.of(number)),
                    new PathDevice(
                            id,
                            List.of(new PathDevice.File("/dev/" + id, Optional.empty())),
                            Optional.empty(),
                            Health.HEALTHY));
        }
        return faces;
    }

    @Benchmark
    public Optional<Map.Entry<Face, Verdict>> give() {
        return custodian.give(devices, ids);
    }
}
