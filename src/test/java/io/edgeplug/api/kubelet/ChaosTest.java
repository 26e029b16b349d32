package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.AdmissionException;
import io.edgeplug.lab.localkubelet.ListedDevice;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kubelet restarts, device changes and Allocate at once and at random: for 5 s, or 60 s with {@code -Dsoak}; {@code
 * -Dseed=N} repeats a run as far as threads allow.
 */
@Timeout(180)
final class ChaosTest {

    private static final long NANOS = TimeUnit.SECONDS.toNanos(System.getProperty("soak") == null ? 5 : 60);
    private static final long SEED = Long.getLong("seed", System.nanoTime());
    private static final PciAddress THIRD = new PciAddress(0, 0x3b, 1, 2);
    private static final List<PciAddress> VFS =
            List.of(TestDaemon.VF0, new PciAddress(0, 0x3b, 1, 1), THIRD, new PciAddress(0, 0x3b, 1, 3));
    /** What a caller may be told when the plugin's socket goes, besides a refusal. */
    private static final Set<Status.Code> GONE = EnumSet.of(Status.Code.UNAVAILABLE, Status.Code.CANCELLED);

    /** Devices that change all the time would else hardly ever be offered. */
    private static final String SETTLING_AT_ONCE = "settle = \"1ms\"\n" + TestDaemon.CLASSES;

    @TempDir
    private Path directory = Path.of("");

    private final Map<Long, Inventory> inventories = new ConcurrentHashMap<>();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger gone = new AtomicInteger();
    private final AtomicInteger unsure = new AtomicInteger();
    private final AtomicInteger changes = new AtomicInteger();
    private final AtomicInteger restarts = new AtomicInteger();
    private final AtomicInteger pods = new AtomicInteger();

    @Test
    void kubeletsViewEqualsTheInventoryAndNoAllocateGaveADeviceThatWasNotThere() throws Exception {
        System.out.println("chaos: -Dseed=" + SEED);
        Path kubeletDir = directory.resolve("device-plugins");
        long end = System.nanoTime() + NANOS;
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {});
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir, SETTLING_AT_ONCE);
                UnixRpc rpc = UnixRpc.open();
                Closing closing = new Closing()) {
            ExecutorService threads = Executors.newCachedThreadPool();
            closing.add(threads::shutdownNow);
            kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
            Future<?> recorder = threads.submit(() -> record(daemon));
            List<Future<?>> actors = List.of(
                    threads.submit(() -> restart(kubelet, new Random(SEED), end)),
                    threads.submit(() -> change(daemon, new Random(SEED + 1), end)),
                    threads.submit(() -> allocate(daemon, kubelet, rpc, kubeletDir, new Random(SEED + 2), end)),
                    threads.submit(() -> allocate(daemon, kubelet, rpc, kubeletDir, new Random(SEED + 3), end)),
                    threads.submit(() -> admit(kubelet, new Random(SEED + 4), end)));
            for (Future<?> actor : actors) {
                actor.get(NANOS + 2 * PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
            }
            assertKubeletSeesTheInventory(daemon, kubelet);
            recorder.cancel(true);
        }
        System.out.printf(
                "chaos: %s restarts, %s device changes, %s pods; Allocate: %s answered (%s of them unsure), %s refused,"
                        + " %s cut off%n",
                restarts, changes, pods, answered, unsure, refused, gone);
        assertThat(pods).hasPositiveValue();
        assertThat(answered.get() - unsure.get()).isPositive();
        assertThat(refused).hasPositiveValue();
    }

    private Void record(TestDaemon daemon) throws InterruptedException {
        long generation = 0;
        while (!Thread.currentThread().isInterrupted()) {
            Inventory inventory = daemon.monitor.inventories().awaitNewerThan(generation);
            generation = inventory.generation();
            inventories.put(generation, inventory);
        }
        return null;
    }

    /** Whether it is not yet time to end. On a busy machine it takes longer until each thread has had some luck. */
    private boolean goesOn(long end) {
        long left = end - System.nanoTime();
        boolean hasAll = pods.get() > 0 && answered.get() > unsure.get() && refused.get() > 0;
        return left > 0 || (!hasAll && left > -PATIENCE.toNanos());
    }

    private Void restart(LocalKubelet kubelet, Random random, long end) throws Exception {
        while (goesOn(end)) {
            kubelet.restart();
            restarts.incrementAndGet();
            // sometimes before all plugins are back
            if (random.nextInt(3) > 0) {
                kubelet.await(
                        states -> states.size() == 3 && states.values().stream().allMatch(ResourceState::registered),
                        PATIENCE);
            }
            LockSupport.parkNanos(random.nextInt(200_000_000));
        }
        return null;
    }

    private Void change(TestDaemon daemon, Random random, long end) throws Exception {
        Set<PciAddress> fallen = new TreeSet<>();
        boolean plugged = false;
        while (goesOn(end)) {
            long before = daemon.monitor.current().generation();
            PciAddress address = VFS.get(random.nextInt(2));
            if (random.nextBoolean() || fallen.contains(THIRD)) {
                plugged = !plugged;
                if (plugged) {
                    daemon.node.plug(DemoNode.thirdVf());
                } else {
                    daemon.node.pull(THIRD);
                }
            } else if (fallen.remove(address)) {
                daemon.node.comeBack(address);
            } else {
                fallen.add(address);
                daemon.node.fallOff(address);
            }
            changes.incrementAndGet();
            if (random.nextInt(4) > 0) {
                awaitChange(daemon, before);
            }
        }
        return null;
    }

    /** Not for ever: a change that is undone before it was seen is none. */
    private static void awaitChange(TestDaemon daemon, long generation) {
        long late = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
        while (daemon.monitor.current().generation() <= generation && System.nanoTime() < late) {
            LockSupport.parkNanos(100_000);
        }
    }

    private Void allocate(
            TestDaemon daemon, LocalKubelet kubelet, UnixRpc rpc, Path kubeletDir, Random random, long end)
            throws Exception {
        while (goesOn(end)) {
            Optional<String> endpoint = kubelet.resource(NODE0).endpoint();
            if (endpoint.isEmpty()) {
                LockSupport.parkNanos(1_000_000);
                continue;
            }
            try (PluginClient plugin =
                    PluginClient.dial(rpc, kubeletDir.resolve("edgeplug").resolve(endpoint.orElseThrow()))) {
                for (int i = 0; i < 20; i++) {
                    allocate(daemon, plugin, some(random));
                }
            } catch (StatusRuntimeException e) {
                assertThat(e.getStatus().getCode()).isIn(GONE);
                gone.incrementAndGet();
            }
        }
        return null;
    }

    private static List<String> some(Random random) {
        List<String> ids =
                new ArrayList<>(VFS.stream().map(PciAddress::toString).toList());
        Collections.shuffle(ids, random);
        return List.copyOf(ids.subList(0, 1 + random.nextInt(2)));
    }

    private void allocate(TestDaemon daemon, PluginClient plugin, List<String> ids) {
        Inventory before = daemon.monitor.current();
        try {
            plugin.allocate(ids);
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() != Status.Code.FAILED_PRECONDITION) {
                throw e;
            }
            assertThat(e.getStatus().getDescription())
                    .startsWith("Device 0000:3b:01.")
                    .doesNotEndWith(".");
            refused.incrementAndGet();
            return;
        }
        answered.incrementAndGet();
        Inventory after = daemon.monitor.current();
        inventories.put(before.generation(), before);
        inventories.put(after.generation(), after);
        boolean all = true;
        for (long generation = before.generation(); generation <= after.generation(); generation++) {
            Optional<Inventory> inventory = Optional.ofNullable(inventories.get(generation));
            if (inventory.filter(one -> had(one, ids)).isPresent()) {
                return;
            }
            all &= inventory.isPresent();
        }
        assertThat(all)
                .as("%s given between %d and %d", ids, before.generation(), after.generation())
                .isFalse();
        unsure.incrementAndGet();
    }

    private static boolean had(Inventory inventory, List<String> ids) {
        return ids.stream()
                .allMatch(id -> inventory
                        .device(NODE0, id)
                        .filter(device -> device.health().isHealthy())
                        .isPresent());
    }

    private Void admit(LocalKubelet kubelet, Random random, long end) {
        for (int i = 0; goesOn(end); i++) {
            try {
                kubelet.admit(PodSpec.of("pod" + i, NODE0, 1 + random.nextInt(2)));
                pods.incrementAndGet();
            } catch (AdmissionException e) {
                assertThat(e).hasMessageStartingWith("Allocate failed due to ");
            }
            // or this thread would have the kubelet's lock to itself
            LockSupport.parkNanos(1_000_000);
            kubelet.remove("pod" + (i - 1));
            if (random.nextBoolean()) {
                kubelet.remove("pod" + i);
            }
        }
        return null;
    }

    private static void assertKubeletSeesTheInventory(TestDaemon daemon, LocalKubelet kubelet) throws Exception {
        for (DeviceClass deviceClass : daemon.classes) {
            kubelet.await(
                    deviceClass.resource(),
                    state -> state.registered() && state.devices().equals(inventory(daemon, deviceClass)),
                    PATIENCE);
        }
    }

    private static List<ListedDevice> inventory(TestDaemon daemon, DeviceClass deviceClass) {
        Inventory now = daemon.monitor.current();
        return new Listing(deviceClass)
                .of(now.devices(deviceClass.resource()), now.listedShares(deviceClass), now.numaNodes()).stream()
                        .map(one -> new ListedDevice(
                                one.id(),
                                one.healthy(),
                                one.numaNodes().stream().map(Integer::longValue).toList()))
                        .sorted(java.util.Comparator.comparing(ListedDevice::id))
                        .toList();
    }
}
