package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.node.scan.ChangeNote;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Functions with a note that something was begun with them. */
@Timeout(60)
final class HalfChangedTest {

    private static final ResourceName VFS = ResourceName.parse("example.com/vfs");
    private static final Duration SETTLE = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final PciAddress VF0 = new PciAddress(0, 0x3b, 1, 0);
    private static final List<DeviceClass> CLASSES =
            List.of(DeviceClass.of(VFS, Kind.VF, new Selector(Map.of(SelectorWord.PF_NAMES, List.of("ens1f0")))));

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private SimulatedNode node;

    private Path note = Path.of("");

    @BeforeEach
    void unpack() throws IOException {
        node = SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node"));
        note = node.root().resolve(ChangeNote.file(VF0));
        Files.createDirectories(note.getParent());
    }

    private Monitor open() throws IOException {
        return Monitor.open(node.sysfs(), CLASSES, node.uevents(), SETTLE);
    }

    private static String problem(Inventory inventory) {
        return inventory
                .device(VFS, VF0.toString())
                .flatMap(device -> device.health().problem())
                .orElse("none");
    }

    private static void await(Monitor monitor, String problem) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        Inventory now = monitor.current();
        while (!problem(now).equals(problem) && end - System.nanoTime() > 0) {
            now = monitor.inventories().awaitNewerThan(now.generation(), Duration.ofNanos(end - System.nanoTime()));
        }
        assertThat(problem(now)).isEqualTo(problem);
    }

    @Test
    void functionThatCouldNotBePutBackIsUnhealthyUntilItIs() throws Exception {
        try (Monitor monitor = open()) {
            Files.writeString(note, "driver=iavf\nproblem=write bind: Cannot allocate memory\n");
            node.announce("unbind", VF0);

            await(monitor, "was left half changed and cannot be restored: write bind: Cannot allocate memory");

            Files.delete(note);
            monitor.lookAgain(VF0.toString());
            await(monitor, "none");
        }
    }

    @Test
    void functionThatWasLeftByAKilledProcessIsUnhealthyFromTheStart() throws Exception {
        Files.writeString(note, "driver=iavf\n");

        try (Monitor monitor = open()) {
            await(monitor, "was left half changed by a process that has ended, and is not restored yet");
        }
    }

    @Test
    void noteHidesTheFunctionAsLongAsItsProcessLives() throws Exception {
        Process process = new ProcessBuilder("sleep", "600").start();
        try (Monitor monitor = open()) {
            String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
            String started = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[19];
            Files.writeString(note, "driver=iavf\nby=" + process.pid() + " " + started + "\n");
            node.fallOff(VF0);
            node.fallOff(new PciAddress(0, 0x3b, 1, 1));

            assertThat(problem(monitor.inventories().awaitNewerThan(1))).isEqualTo("none");

            process.destroyForcibly();
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            monitor.lookAgain(VF0.toString());
            await(monitor, "was left half changed by a process that has ended, and is not restored yet");
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void noteThatIsNoneHidesNothing() throws Exception {
        Files.createDirectory(note);

        try (Monitor monitor = open()) {
            await(
                    monitor,
                    "was left half changed, and its note /run/edgeplug/prepare/0000:3b:01.0 cannot be read: "
                            + "it is a directory");
        }
    }
}
