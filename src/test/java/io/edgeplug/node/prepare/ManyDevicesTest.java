package io.edgeplug.node.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.PackageJvm;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.rules.Recipe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Far more devices than are prepared at once. */
@Timeout(120)
final class ManyDevicesTest {

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private PreparedNode prepared;

    @BeforeEach
    void open() throws IOException {
        prepared = PreparedNode.open(directory, "");
    }

    private List<Preparation> prepare(String name, int count, Recipe recipe) {
        return prepare(prepared, name, count, recipe);
    }

    private static List<Preparation> prepare(PreparedNode node, String name, int count, Recipe recipe) {
        List<Preparation> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(node.preparer.prepare(device(name + i), recipe));
        }
        return all;
    }

    private static Device device(String id) {
        return new PathDevice(
                id,
                List.of(new PathDevice.File("/etc/files/" + id, Optional.empty())),
                Optional.empty(),
                Health.HEALTHY);
    }

    /** Runs until a file is there. */
    private Recipe waiting(String more) throws Exception {
        return prepared.recipe(
                "path",
                "command = [\"/bin/sh\", \"-c\", \"until [ -e " + directory.resolve("go")
                        + " ]; do sleep 0.05; done\"]\n" + more);
    }

    private void awaitBegun(int count) {
        long late = System.nanoTime() + PreparedNode.PATIENCE.toNanos();
        while (begun() < count) {
            assertThat(System.nanoTime()).isLessThan(late);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private long begun() {
        return prepared.events.stream()
                .filter(event -> event instanceof PrepareEvent.Begun)
                .count();
    }

    @Test
    void hundredsArePreparedByAFewThreads() throws Exception {
        List<Preparation> all = prepare("device", 200, waiting(""));
        awaitBegun(16);

        long threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("prepare device"))
                .count();
        Files.createFile(directory.resolve("go"));
        for (Preparation one : all) {
            assertThat(one.await(PreparedNode.PATIENCE)).isTrue();
        }
        assertThat(threads).isEqualTo(16);
    }

    @Test
    void thousandArePreparedInThePackagesHeap() throws Exception {
        PackageJvm.End end = PackageJvm.run(Thousand.class, directory.toString());
        String said = end.output();
        assertThat(end.exit()).as(said).isZero();

        Matcher figures = Pattern.compile("prepared (\\d+) with (\\d+) threads").matcher(said);
        assertThat(figures.find()).as(said).isTrue();
        assertThat(figures.group(1)).isEqualTo("1000");
        // those that prepare, those that read output, the JDK's that wait for processes, and the JVM's own
        assertThat(Integer.parseInt(figures.group(2))).as(said).isLessThan(80);
    }

    /** A process that prepares a thousand devices, and says how many threads it had at most. */
    static final class Thousand {

        private static final int COUNT = 1000;

        public static void main(String[] args) throws Exception {
            Files.createDirectories(Path.of(args[0], "thousand"));
            int most = 0;
            int done = 0;
            try (PreparedNode node = PreparedNode.open(Path.of(args[0], "thousand"), "")) {
                Recipe recipe = node.recipe("path", "command = [\"/bin/echo\", \"{id}\"]");
                // as a kubelet does: those whose turn has not come in time are asked for again
                while (done < COUNT) {
                    done = 0;
                    for (Preparation one : prepare(node, "device", COUNT, recipe)) {
                        most = Math.max(most, threads());
                        done += hasEnded(one) ? 1 : 0;
                    }
                }
            }
            System.out.println("prepared " + done + " with " + most + " threads");
            Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("VmHWM"))
                    .forEach(System.out::println);
        }

        private static boolean hasEnded(Preparation one) throws InterruptedException {
            try {
                return one.await(PreparedNode.PATIENCE);
            } catch (PrepareException e) {
                return false;
            }
        }

        private static int threads() throws IOException {
            try (var tasks = Files.list(Path.of("/proc/self/task"))) {
                return (int) tasks.count();
            }
        }
    }

    @Test
    void thoseThatTakeTooLongArePassedByAndTheOthersHaveTheirTurn() throws Exception {
        List<Preparation> slow = prepare("slow", 16, waiting(""));
        awaitBegun(16);
        Preparation next = prepare("next", 1, prepared.recipe("path", "command = [\"/bin/true\"]"))
                .getFirst();

        assertThat(next.await(Duration.ofMillis(200))).isFalse();
        assertThat(next.progress()).isEqualTo("it waits for the preparation of another device, or for another process");
        slow.forEach(prepared.preparer::passBy);
        assertThat(next.await(PreparedNode.PATIENCE)).isTrue();
        Files.createFile(directory.resolve("go"));
        for (Preparation one : slow) {
            assertThat(one.await(PreparedNode.PATIENCE)).isTrue();
        }
    }

    @Test
    void deviceThatNobodyWaitsForAnyMoreIsLeftAlone() throws Exception {
        List<Preparation> slow = prepare("slow", 16, waiting(""));
        awaitBegun(16);
        Recipe recipe = prepared.recipe("path", "command = [\"/bin/true\"]\ntimeout = 1");
        Preparation forgotten = prepare("next", 1, recipe).getFirst();
        assertThat(forgotten.await(Duration.ofMillis(1200))).isFalse();

        slow.forEach(prepared.preparer::passBy);

        assertThatThrownBy(() -> forgotten.await(PreparedNode.PATIENCE))
                .hasMessage(
                        "Device next0 could not be prepared: its turn came later than the container's start waits.");
        assertThat(begun()).isEqualTo(16);
        assertThat(prepare("next", 1, recipe).getFirst().await(PreparedNode.PATIENCE))
                .isTrue();
        assertThat(begun()).isEqualTo(17);
    }

    @Test
    void deviceThatIsAskedForWithAnotherRecipeMeanwhileIsNotPreparedByTheFirst() throws Exception {
        List<Preparation> slow = prepare("slow", 16, waiting(""));
        awaitBegun(16);
        Path ran = directory.resolve("ran");
        Recipe first = prepared.recipe("path", "command = [\"/bin/touch\", \"" + ran + "\"]\ntimeout = 1");
        Preparation forgotten = prepare("next", 1, first).getFirst();
        Preparation wanted = prepare("next", 1, prepared.recipe("path", "command = [\"/bin/true\"]"))
                .getFirst();
        assertThat(forgotten.await(Duration.ofMillis(1200))).isFalse();

        slow.forEach(prepared.preparer::passBy);

        assertThat(wanted.await(PreparedNode.PATIENCE)).isTrue();
        assertThatThrownBy(() -> forgotten.await(PreparedNode.PATIENCE))
                .hasMessageContaining("its turn came later than the container's start waits");
        assertThat(ran).doesNotExist();
    }

    @Test
    void thoseThatHaveNotHadTheirTurnAtTheEndAreTold() throws Exception {
        List<Preparation> all = prepare("many", 40, waiting(""));
        awaitBegun(16);

        prepared.preparer.close();

        for (Preparation one : all) {
            assertThatThrownBy(() -> one.await(PreparedNode.PATIENCE)).hasMessageContaining("edgeplug is stopping");
        }
    }
}
