package io.edgeplug.bench;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Face;
import io.edgeplug.model.custody.Verdict;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.Shares;
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

/** What an Allocate of a share spends on who has which, beside other shares of the same device that are held. */
@State(Scope.Benchmark)
@BenchmarkMode({Mode.SampleTime, Mode.Throughput})
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
        value = 1,
        jvmArgs = {"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m"})
public class HeldSharesBenchmark {

    private static final String CAMERA = "camera";
    private static final List<String> ASKED = List.of(share(999));

    @Param({"0", "100", "999"})
    private int held;

    private final Custodian custodian = new Custodian();
    private final Map<Face, Device> devices = Map.of(
            new Face(CAMERA, "example.com/camera", false, false, true, OptionalInt.empty()),
            new PathDevice(
                    CAMERA,
                    List.of(new PathDevice.File("/dev/video0", Optional.empty())),
                    Optional.empty(),
                    Health.HEALTHY));

    @Setup
    public void hold() {
        for (int number = 0; number < held; number++) {
            Optional<Map.Entry<Face, Verdict>> ignored = custodian.give(devices, List.of(share(number)));
        }
    }

    private static String share(int number) {
        return CAMERA + Shares.SEPARATOR + number;
    }

    @Benchmark
    public Optional<Map.Entry<Face, Verdict>> giveShare() {
        return custodian.give(devices, ASKED);
    }
}
