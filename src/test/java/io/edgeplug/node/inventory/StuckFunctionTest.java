package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions of which the kernel keeps whoever reads an attribute: here a FIFO is in its place, which nobody writes to. */
@Timeout(120)
final class StuckFunctionTest {

    private static final ResourceName VFS = ResourceName.parse("example.com/vfs");
    private static final Duration SETTLE = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String FUNCTIONS = "sys/bus/pci/devices/";
    private static final PciAddress VF0 = new PciAddress(0, 0x3b, 1, 0);
    private static final PciAddress VF1 = new PciAddress(0, 0x3b, 1, 1);
    private static final DeviceClass CLASS =
            DeviceClass.of(VFS, Kind.VF, new Selector(Map.of(SelectorWord.PF_NAMES, List.of("ens1f0"))));

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private SimulatedNode node;

    @BeforeEach
    void unpack() throws IOException {
        node = SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node"));
    }

    /** On a thread that may be lost with it: a read that blocks obeys no interrupt. */
    private static <T> T inTime(Callable<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(call);
        Thread.ofPlatform().daemon().start(task);
        return task.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private Monitor open() throws Exception {
        return inTime(() -> Monitor.open(node.sysfs(), List.of(CLASS), node.uevents(), SETTLE));
    }

    private Path attribute(PciAddress address, String name) {
        return node.root().resolve(FUNCTIONS + address + "/" + name);
    }

    /** Has whoever reads it wait; the file that was there is beside it. */
    private void block(Path attribute) throws Exception {
        Files.move(attribute, beside(attribute, ".sound"));
        assertThat(new ProcessBuilder("mkfifo", attribute.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
    }

    /** Lets go of who reads it, and has it as it was. */
    private void unblock(Path attribute) throws Exception {
        Path fifo = Files.move(attribute, beside(attribute, ".fifo"));
        Files.move(beside(attribute, ".sound"), attribute);
        inTime(() -> {
            Files.newOutputStream(fifo).close();
            return fifo;
        });
    }

    private static Path beside(Path attribute, String suffix) {
        return attribute.resolveSibling(attribute.getFileName() + suffix);
    }

    private static Inventory await(Monitor monitor, Predicate<Inventory> isSo) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        Inventory now = monitor.current();
        while (!isSo.test(now) && end - System.nanoTime() > 0) {
            now = monitor.inventories().awaitNewerThan(now.generation(), Duration.ofNanos(end - System.nanoTime()));
        }
        assertThat(isSo.test(now)).as("%s", now.devices(VFS)).isTrue();
        return now;
    }

    private static String problem(Inventory inventory, PciAddress address) {
        return inventory.devices().stream()
                .filter(device -> device.id().equals(address.toString()))
                .map(device -> device.health().problem().orElse("none"))
                .findFirst()
                .orElse("absent");
    }

    @Test
    void functionWhoseConfigBlocksAtTheStartIsUnhealthyInItsResourceAndAllOthersAreServed() throws Exception {
        block(attribute(VF0, "config"));

        try (Monitor monitor = open()) {
            assertThat(monitor.current().devices(VFS))
                    .extracting(Device::id)
                    .containsExactly(VF0.toString(), VF1.toString());
            assertThat(problem(monitor.current(), VF0)).startsWith("read config has not returned since ");
            assertThat(problem(monitor.current(), VF1)).isEqualTo("none");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"vendor", "class", "numa_node"})
    void functionOfWhichNothingCanBeReadIsUnhealthyAndAllOthersAreServed(String name) throws Exception {
        block(attribute(VF0, name));

        try (Monitor monitor = open()) {
            assertThat(problem(monitor.current(), VF0)).matches("read [a-z_]+ has not returned since .*");
            assertThat(monitor.current().devices(VFS)).extracting(Device::id).contains(VF1.toString());
            assertThat(problem(monitor.current(), VF1)).isEqualTo("none");
        }
    }

    @Test
    void listAndExplainTellOfAFunctionThatBlocks() throws Exception {
        block(attribute(VF0, "config"));

        Inventory inventory = inTime(() -> Inventory.scan(node.sysfs(), List.of(CLASS)));

        assertThat(problem(inventory, VF0)).startsWith("read config has not returned since ");
        assertThat(problem(inventory, VF1)).isEqualTo("none");
    }

    @Test
    void functionThatBlocksLaterKeepsNoChangeOfAnotherFromBeingSeen() throws Exception {
        try (Monitor monitor = open()) {
            block(attribute(VF0, "config"));
            node.announce("change", VF0);
            node.fallOff(VF1);

            Inventory after = await(
                    monitor,
                    now -> !problem(now, VF0).equals("none")
                            && !problem(now, VF1).equals("none"));

            assertThat(problem(after, VF0)).startsWith("read config has not returned since ");
            assertThat(problem(after, VF1)).startsWith("does not answer on PCI");
            node.comeBack(VF1);
            await(monitor, now -> problem(now, VF1).equals("none"));
        }
    }

    @Test
    void functionThatBlocksHoldsUpNeitherAReloadNorAPreparation() throws Exception {
        try (Monitor monitor = open()) {
            block(attribute(VF0, "config"));
            node.announce("change", VF0);
            ResourceName renamed = ResourceName.parse("example.com/renamed");

            inTime(() -> {
                monitor.freeze(monitor.current().devices().getFirst());
                Device device = monitor.current().device(VFS, VF0.toString()).orElseThrow();
                monitor.freeze(device);
                monitor.thaw(device);
                monitor.use(List.of(DeviceClass.of(
                        renamed, Kind.VF, new Selector(Map.of(SelectorWord.PF_NAMES, List.of("ens1f0"))))));
                return true;
            });

            assertThat(monitor.current().devices(renamed)).hasSize(2);
        }
    }

    @Test
    void functionThatAnswersAgainIsLookedAtAgain() throws Exception {
        block(attribute(VF0, "config"));
        try (Monitor monitor = open()) {
            unblock(attribute(VF0, "config"));

            await(monitor, now -> problem(now, VF0).equals("none"));
            assertThat(monitor.current().devices(VFS)).hasSize(2);
        }
    }

    @Test
    void functionThatIsPulledWhileItBlocksIsGoneAndItsSuccessorIsLookedAt() throws Exception {
        PciAddress third = new PciAddress(0, 0x3b, 1, 2);
        try (Monitor monitor = open()) {
            node.plug(DemoNode.thirdVf());
            await(monitor, now -> problem(now, third).equals("none"));
            block(attribute(third, "config"));
            node.announce("change", third);
            await(monitor, now -> problem(now, third).startsWith("read config has not returned"));

            node.pull(third);
            await(monitor, now -> problem(now, third).equals("absent"));
            node.plug(DemoNode.thirdVf());

            await(monitor, now -> problem(now, third).equals("none"));
        }
    }

    @Test
    void busOnWhichManyFunctionsBlockCostsFewThreadsAndNoOtherBusAnything() throws Exception {
        SimulatedNode big = SimulatedNode.unpack(
                Files.readString(Path.of("src/test/machines/pf-256-vfs/tree")), directory.resolve("big"));
        List<PciAddress> all = inTime(() -> Inventory.scan(big.sysfs(), List.of())).devices().stream()
                .flatMap(device -> PciAddress.parse(device.id()).stream())
                .toList();
        PciAddress sound = all.getFirst();
        List<PciAddress> stuck =
                all.stream().filter(one -> one.bus() == all.getLast().bus()).toList();
        assertThat(sound.bus()).isNotEqualTo(all.getLast().bus());
        for (PciAddress address : stuck) {
            block(big.root().resolve(FUNCTIONS + address + "/class"));
        }

        long before = lostThreads();
        try (Monitor monitor = inTime(() -> Monitor.open(big.sysfs(), List.of(CLASS), big.uevents(), SETTLE))) {
            assertThat(problem(monitor.current(), sound)).isEqualTo("none");
            assertThat(stuck)
                    .allSatisfy(address -> assertThat(problem(monitor.current(), address))
                            .matches("read class has not returned since .*"
                                    + "|is not looked at: 8 others of its bus do not answer"));
            assertThat(lostThreads() - before).isEqualTo(8);
            big.write(FUNCTIONS + sound + "/vendor", "none");
            big.announce("change", sound);
            await(monitor, now -> problem(now, sound).startsWith("vendor is not a number"));
        }
    }

    private static long lostThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("lost at "))
                .count();
    }
}
