package io.edgeplug.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.io.TempDir;

/** A checkpoint with one pod, which nobody renews, and those who look at it. */
abstract class OnKubeletPods {

    static final ResourceName VF = ResourceName.parse("example.com/vf");
    static final Holding HELD = new Holding("dpdk-0", "main", "example.com/vf", "0000:3b:01.0");

    @TempDir
    Path root = Path.of("");

    @AutoClose
    final UnixRpc rpc;

    private final Semaphore changes = new Semaphore(0);

    OnKubeletPods() throws IOException {
        rpc = UnixRpc.open();
    }

    LocalKubelet kubelet() throws IOException {
        return LocalKubelet.open(root.resolve("dp"), KubeletOptions.DEFAULTS.withRoot(root), event -> {});
    }

    KubeletPods pods() throws IOException {
        noteHeld();
        return podsAsNoted();
    }

    void noteHeld() throws IOException {
        Files.writeString(Files.createDirectories(root.resolve("notes")).resolve(HeldDevices.FILE), """
                {"Data":{"PodDeviceEntries":[{"PodUID":"dpdk-0","ContainerName":"main","ResourceName":"example.com/vf",
                "DeviceIDs":{"0":["0000:3b:01.0"]},"AllocResp":""}],"RegisteredDevices":{}},"Checksum":1}
                """);
    }

    KubeletPods podsAsNoted() {
        return new KubeletPods(
                rpc,
                root,
                root.resolve("notes"),
                PreparedClaims.none(),
                root.resolve("cgroup"),
                VF.toString()::equals,
                changes::release);
    }

    /** Looks anew whenever there is news, until it is so. */
    void await(BooleanSupplier wanted) throws InterruptedException {
        while (!wanted.getAsBoolean()) {
            assertThat(changes.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    static List<Holding> look(KubeletPods pods) throws IOException {
        return pods.look().all(VF.toString()::equals).toList();
    }

    void ask(KubeletPods pods) throws InterruptedException {
        long before = pods.answers();
        pods.ask();
        await(() -> pods.answers() > before);
    }
}
