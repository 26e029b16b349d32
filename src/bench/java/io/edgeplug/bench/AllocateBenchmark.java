package io.edgeplug.bench;

import io.edgeplug.container.Allocation;
import io.edgeplug.container.ContainerDirectories;
import io.edgeplug.container.Equipment;
import io.edgeplug.container.IommuGroups;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.Kind;
import io.edgeplug.device.ResourceName;
import io.edgeplug.device.Selector;
import io.edgeplug.device.SelectorWord;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.kubelet.DevicePlugins;
import io.edgeplug.kubelet.Preparations;
import io.edgeplug.kubelet.Supplies;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.localkubelet.LocalKubelet;
import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.AllocateResponse;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.simulation.DemoNode;
import io.edgeplug.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
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
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow"
        })
public class AllocateBenchmark {

    private static final ResourceName VFS = ResourceName.parse("example.com/sriov_node0");
    private static final DeviceClass CLASS =
            DeviceClass.of(VFS, Kind.VF, new Selector(Map.of(SelectorWord.PF_NAMES, List.of("ens1f0"))));
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final AllocateRequest request = AllocateRequest.newBuilder()
            .addContainerRequests(ContainerAllocateRequest.newBuilder()
                    .addDevicesIds("0000:3b:01.0")
                    .addDevicesIds("0000:3b:01.1"))
            .build();
    private DevicePluginGrpc.DevicePluginBlockingStub plugin;
    private List<Equipment> equipment = List.of();

    @Setup
    public void serve() throws IOException, InterruptedException, TimeoutException {
        Path directory = Files.createTempDirectory("edgeplug-bench");
        SimulatedNode node = open(SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node")));
        Monitor monitor = open(Monitor.open(node.sysfs(), List.of(CLASS), node.uevents(), Duration.ZERO));
        Preparations preparations = open(new Preparations(node.sysfs(), monitor));
        Supplies supplies =
                open(Supplies.open(node.sysfs(), ContainerDirectories.below(directory), monitor, List.of(CLASS)));
        Path kubeletDir = directory.resolve("dp");
        LocalKubelet kubelet = open(LocalKubelet.open(kubeletDir, event -> {}));
        open(DevicePlugins.open(kubeletDir, supplies, preparations));
        String socket = kubelet.await(VFS, state -> state.allocatable() == 2, PATIENCE)
                .endpoint()
                .orElseThrow();
        UnixRpc rpc = open(UnixRpc.open());
        plugin = DevicePluginGrpc.newBlockingStub(rpc.dial(kubeletDir.resolve(socket)));
        IommuGroups groups = IommuGroups.of(monitor.current().devices(VFS));
        equipment = monitor.current().devices(VFS).stream()
                .map(device -> Equipment.of(CLASS, device, groups))
                .toList();
    }

    @TearDown
    public void close() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    private <T extends AutoCloseable> T open(T one) {
        opened.push(one);
        return one;
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
}
