package io.edgeplug.bench;

import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.model.rules.Step;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * How long a VF waits for its host driver once its pod is deleted, while the kubelet's checkpoint goes on noting the pod: by
 * the Pods API, and by pod-resources where there is none.
 */
final class ReleaseFigures implements Section {

    private static final ResourceName VFS = ResourceName.parse("example.com/vf");
    private static final PciAddress VF = new PciAddress(0, 0x3b, 1, 0);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long POLL = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int ROUNDS = 100;

    /** pod-resources is asked at most once a second, and a pod that came and went in between is waited for ten minutes. */
    private static final int SHORTEST_RUN_MILLIS = 1500;

    /** So that pods end at any time between two questions. */
    private static final int LONGEST_RUN_MILLIS = SHORTEST_RUN_MILLIS + 2000;

    private final Random random = new Random(1);

    @Override
    public String name() {
        return "release";
    }

    @Override
    public void measure(Consumer<Figure> figures) throws Exception {
        figures.accept(
                measure(37).millis("pod deleted -> host driver, Pods API").with(Target.p99(1000)));
        figures.accept(
                measure(36).millis("pod deleted -> host driver, pod-resources").with(Target.p99(3000)));
    }

    private Samples measure(int minor) throws Exception {
        Samples samples = new Samples();
        DeviceClass vfs = AllocateBenchmark.with(
                new Recipe(List.of(new Step.Driver("vfio-pci")), Recipe.USUAL_TIMEOUT),
                DeviceClass.of(VFS, Kind.VF, new Selector(Map.of(SelectorWord.PCI_ADDRESSES, List.of(VF.toString())))));
        try (Scratch scratch = Scratch.make();
                SimulatedNode node = SimulatedNode.unpack(
                        DemoNode.tree(), scratch.directory().resolve("node"));
                LocalKubelet kubelet = LocalKubelet.open(
                        Parts.kubeletDir(scratch.directory()),
                        KubeletOptions.DEFAULTS.withMinorVersion(minor).withRoot(scratch.directory()),
                        event -> {});
                Parts parts =
                        Parts.open(node.sysfs(), scratch.directory(), List.of(vfs), node.uevents(), Duration.ZERO)) {
            Path driver = node.root().resolve("sys/bus/pci/drivers/iavf/" + VF);
            for (int i = 0; i < ROUNDS; i++) {
                kubelet.await(VFS, state -> state.allocatable() == 1, PATIENCE);
                String pod = "pod-" + i;
                kubelet.admit(PodSpec.of(pod, VFS, 1));
                kubelet.startContainer(pod, "main");
                LockSupport.parkNanos(
                        TimeUnit.MILLISECONDS.toNanos(random.nextInt(SHORTEST_RUN_MILLIS, LONGEST_RUN_MILLIS)));
                long deleted = System.nanoTime();
                kubelet.delete(pod);
                await(driver);
                samples.add(System.nanoTime() - deleted);
            }
        }
        return samples;
    }

    private static void await(Path driver) throws TimeoutException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!Files.exists(driver)) {
            if (System.nanoTime() > end) {
                throw new TimeoutException(driver + ": is not back after " + PATIENCE);
            }
            LockSupport.parkNanos(POLL);
        }
    }
}
