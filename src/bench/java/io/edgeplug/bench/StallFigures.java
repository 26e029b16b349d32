package io.edgeplug.bench;

import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.system.rpc.UnixRpc;
import io.edgeplug.system.systemd.Journal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Level;

/**
 * Allocate beside what could stall it, which would stall the admission of every pod on the node: collections of garbage,
 * and other work on all processors.
 */
final class StallFigures implements Section {

    private static final ResourceName VFS = ResourceName.parse("example.com/sriov_node0");
    private static final long NANOS = TimeUnit.SECONDS.toNanos(8);
    private static final long COLLECTION_EVERY_MILLIS = 50;
    private static final String ALONE = "Allocate in the heap of the packages, alone";

    @Override
    public String name() {
        return "stall";
    }

    @Override
    public void measure(Consumer<Figure> figures) throws Exception {
        ChildJvm.run(List.of(), StallFigures.class).forEach(figures);
    }

    /** Measures in the JVM that it is started in, and writes to a file. */
    public static void main(String[] args) throws Exception {
        Journal.toStderr(Level.SEVERE);
        Report report = Report.comparedWith(Optional.empty());
        DeviceClass vfs = DeviceClass.of(VFS, Kind.VF, new Selector(Map.of(SelectorWord.PF_NAMES, List.of("ens1f0"))));
        try (Rig rig = Rig.open(DemoNode.tree(), List.of(vfs), SimulatedNode::uevents, Duration.ZERO, event -> {});
                UnixRpc rpc = UnixRpc.open()) {
            DevicePluginGrpc.DevicePluginBlockingStub plugin =
                    DevicePluginGrpc.newBlockingStub(rpc.dial(rig.socket(VFS, 2)));
            Samples ignored = allocate(plugin);
            report.add(allocate(plugin).millis(ALONE));
            report.add(beside(plugin, 1, StallFigures::collect)
                    .millis("Allocate, a full collection each 50 ms")
                    .above(ALONE));
            report.add(beside(plugin, Runtime.getRuntime().availableProcessors(), StallFigures::burn)
                    .millis("Allocate, each processor busy with something else")
                    .above(ALONE));
        }
        report.write(Path.of(args[0]));
    }

    private static Samples beside(
            DevicePluginGrpc.DevicePluginBlockingStub plugin, int threads, Disturbance disturbance)
            throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        List<Thread> others = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            others.add(Thread.ofPlatform().start(() -> disturbance.until(end)));
        }
        try {
            return allocate(plugin);
        } finally {
            end.countDown();
            for (Thread other : others) {
                other.join();
            }
        }
    }

    private interface Disturbance {
        void until(CountDownLatch end);
    }

    private static void collect(CountDownLatch end) {
        try {
            while (!end.await(COLLECTION_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
                System.gc();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void burn(CountDownLatch end) {
        while (end.getCount() > 0) {
            Thread.onSpinWait();
        }
    }

    private static Samples allocate(DevicePluginGrpc.DevicePluginBlockingStub plugin) {
        AllocateRequest request = AllocateRequest.newBuilder()
                .addContainerRequests(ContainerAllocateRequest.newBuilder()
                        .addDevicesIds("0000:3b:01.0")
                        .addDevicesIds("0000:3b:01.1"))
                .build();
        Samples samples = new Samples();
        long end = System.nanoTime() + NANOS;
        while (System.nanoTime() < end) {
            long began = System.nanoTime();
            plugin.allocate(request);
            samples.add(System.nanoTime() - began);
        }
        return samples;
    }
}
