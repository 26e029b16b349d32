package io.edgeplug.bench;

import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.model.rules.Step;
import io.edgeplug.node.container.Allocation;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.node.container.IommuGroups;
import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.AllocateResponse;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.proto.v1beta1.PreStartContainerRequest;
import io.edgeplug.proto.v1beta1.PreStartContainerResponse;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What Allocate of two VFs takes, on a real Unix socket; beside it a call that carries nothing, which is what gRPC alone
 * takes, and the computing alone. Pod admission on the whole node waits for it.
 */
@State(Scope.Benchmark)
@BenchmarkMode({Mode.SampleTime, Mode.Throughput})
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
        value = 1,
        jvmArgs = {
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xmx64m",
            "-Djnr.ffi.asm.enabled=false",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow"
        })
public class AllocateBenchmark {

    private static final ResourceName VFS = ResourceName.parse("example.com/sriov_node0");
    private static final DeviceClass CLASS =
            DeviceClass.of(VFS, Kind.VF, new Selector(Map.of(SelectorWord.PF_NAMES, List.of("ens1f0"))));
    /** Its VFs are reset before each container. */
    private static final DeviceClass RESET = with(
            new Recipe(List.of(new Step.Reset(Step.Reset.Method.FLR)), Recipe.USUAL_TIMEOUT),
            DeviceClass.of(
                    ResourceName.parse("example.com/sriov_node1"),
                    Kind.VF,
                    new Selector(Map.of(SelectorWord.PF_NAMES, List.of("ens2f0")))));

    private final AllocateRequest request = AllocateRequest.newBuilder()
            .addContainerRequests(ContainerAllocateRequest.newBuilder()
                    .addDevicesIds("0000:3b:01.0")
                    .addDevicesIds("0000:3b:01.1"))
            .build();
    private final PreStartContainerRequest start =
            PreStartContainerRequest.newBuilder().addDevicesIds("0000:3b:01.0").build();
    private final PreStartContainerRequest reset =
            PreStartContainerRequest.newBuilder().addDevicesIds("0000:af:01.0").build();
    private Optional<Rig> rig = Optional.empty();
    private Optional<UnixRpc> rpc = Optional.empty();
    private DevicePluginGrpc.DevicePluginBlockingStub plugin;
    private DevicePluginGrpc.DevicePluginBlockingStub resetting;
    private List<Equipment> equipment = List.of();

    @Setup
    public void serve() throws IOException, InterruptedException, TimeoutException {
        Rig opened =
                Rig.open(DemoNode.tree(), List.of(CLASS, RESET), SimulatedNode::uevents, Duration.ZERO, event -> {});
        rig = Optional.of(opened);
        UnixRpc dialler = UnixRpc.open();
        rpc = Optional.of(dialler);
        plugin = DevicePluginGrpc.newBlockingStub(dialler.dial(opened.socket(CLASS.resource(), 2)));
        resetting = DevicePluginGrpc.newBlockingStub(dialler.dial(opened.socket(RESET.resource(), 2)));
        List<Device> devices = opened.monitor().current().devices(CLASS.resource());
        IommuGroups groups = IommuGroups.of(devices);
        equipment = devices.stream()
                .map(device -> Equipment.of(CLASS, device, groups))
                .toList();
    }

    @TearDown
    public void close() throws Exception {
        rpc.ifPresent(UnixRpc::close);
        rig.orElseThrow().close();
    }

    @Benchmark
    public AllocateResponse allocate() {
        return plugin.allocate(request);
    }

    @Benchmark
    @Threads(8)
    public AllocateResponse allocateOfEightCallers() {
        return plugin.allocate(request);
    }

    @Benchmark
    public DevicePluginOptions emptyCall() {
        return plugin.getDevicePluginOptions(Empty.getDefaultInstance());
    }

    @Benchmark
    @Threads(8)
    public DevicePluginOptions emptyCallOfEightCallers() {
        return plugin.getDevicePluginOptions(Empty.getDefaultInstance());
    }

    @Benchmark
    public Allocation computingAlone() {
        return Allocation.of(CLASS, equipment);
    }

    /** Of a class without a recipe, for which the kubelet would not even ask. */
    @Benchmark
    public PreStartContainerResponse preStartOfNothing() {
        return plugin.preStartContainer(start);
    }

    /** Of a VF on its network driver: unbound, reset by a kernel that takes no time, and bound again. */
    @Benchmark
    public PreStartContainerResponse preStartOfReset() {
        return resetting.preStartContainer(reset);
    }

    static DeviceClass with(Recipe recipe, DeviceClass one) {
        return new DeviceClass(
                one.resource(),
                one.kind(),
                one.selectors(),
                one.groups(),
                one.container(),
                one.placement(),
                one.sharing(),
                one.needsVhostNet(),
                one.health(),
                recipe,
                one.release(),
                one.isFace(),
                one.trustOwner(),
                one.api(),
                one.claims(),
                one.identity());
    }
}
