package io.edgeplug.api.status;

import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.api.kubelet.TestDaemon;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a node is labelled with, and the file that says so. */
@Timeout(60)
final class NodeLabelsTest {

    private static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    @Test
    void resourcesAreLabelledWithWhatTheirDevicesAre() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir));

        assertThat(NodeLabels.of(daemon.view().read()))
                .containsEntry("edgeplug.io/example.com_sriov_node0.count", "2")
                .containsEntry("edgeplug.io/example.com_sriov_node0.product-8086-1889", "2")
                .containsEntry("edgeplug.io/example.com_sriov_node0.driver-iavf", "2")
                .containsEntry("edgeplug.io/example.com_gopher.count", "2")
                .allSatisfy((name, value) -> {
                    assertThat(name).matches("edgeplug\\.io/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");
                    assertThat(value).matches("\\d+");
                });
    }

    @Test
    void nameThatKubernetesWouldRefuseIsLeftOut() throws Exception {
        String classes = TestDaemon.CLASSES.replace("example.com/gopher", "example.com/" + "gopher".repeat(10));
        Path kubeletDir = directory.resolve("device-plugins");
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, classes));

        assertThat(NodeLabels.of(daemon.view().read()).keySet()).noneMatch(name -> name.contains("gopher"));
    }

    @Test
    void fileIsWrittenWhenLabelsChangeAndBeforeItExpires() throws Exception {
        LabelFile file = new LabelFile(directory);
        Path path = directory.resolve(LabelFile.NAME);

        file.write(new TreeMap<>(Map.of("edgeplug.io/a.count", "1")), NOON);
        assertThat(path).hasContent("# +expiry-time=2026-11-23T14:00:00Z\nedgeplug.io/a.count=1\n");
        Files.delete(path);

        file.write(new TreeMap<>(Map.of("edgeplug.io/a.count", "1")), NOON.plus(Duration.ofMinutes(59)));
        assertThat(path).doesNotExist();

        file.write(new TreeMap<>(Map.of("edgeplug.io/a.count", "2")), NOON.plus(Duration.ofMinutes(59)));
        assertThat(path).content().contains("edgeplug.io/a.count=2");
        Files.delete(path);

        file.write(new TreeMap<>(Map.of("edgeplug.io/a.count", "2")), NOON.plus(Duration.ofMinutes(119)));
        assertThat(path).content().startsWith("# +expiry-time=2026-11-23T15:59:00Z");
    }

    @Test
    void clockThatWasSetBackRenewsTheFile() throws Exception {
        LabelFile file = new LabelFile(directory);
        file.write(new TreeMap<>(), NOON);

        file.write(new TreeMap<>(), NOON.minus(Duration.ofDays(1)));

        assertThat(directory.resolve(LabelFile.NAME)).content().startsWith("# +expiry-time=2026-11-22T14:00:00Z");
    }

    @Test
    void labelsFollowTheDevices() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir));
        Path features = Files.createDirectory(directory.resolve("features.d"));
        SimulatedNode node = daemon.node;
        closing.add(new LabelPublisher(daemon.view(), daemon.monitor, features, Clock.fixed(NOON, ZoneOffset.UTC)));
        await(features, "example.com_sriov_node0.count=2");

        node.pull(VF0);

        await(features, "example.com_sriov_node0.count=1");
    }

    @Test
    void changeThatComesWhileLabelsAreWrittenIsNotMissed() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir));
        Path features = Files.createDirectory(directory.resolve("features.d"));

        closing.add(new LabelPublisher(daemon.view(), daemon.monitor, features, new PullingClock(daemon)));

        await(features, "example.com_sriov_node0.count=1");
    }

    /** It is asked once the labels are known and before they are written, and pulls a VF the first time. */
    private static final class PullingClock extends Clock {

        private final TestDaemon daemon;
        private final AtomicBoolean hasPulled = new AtomicBoolean();

        PullingClock(TestDaemon daemon) {
            this.daemon = daemon;
        }

        @Override
        public Instant instant() {
            if (!hasPulled.getAndSet(true)) {
                try {
                    daemon.node.pull(VF0);
                    while (daemon.monitor
                            .current()
                            .device(TestDaemon.NODE0, VF0.toString())
                            .isPresent()) {
                        var ignored = daemon.monitor
                                .inventories()
                                .awaitNewerThan(daemon.monitor.current().generation(), Duration.ofMillis(100));
                    }
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            return NOON;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private static void await(Path features, String line) throws Exception {
        long end = System.nanoTime() + TestDaemon.PATIENCE.toNanos();
        Path file = features.resolve(LabelFile.NAME);
        while (System.nanoTime() < end
                && !(Files.exists(file) && Files.readString(file).contains(line))) {
            Thread.onSpinWait();
        }
        assertThat(file).content().contains(line);
    }
}
