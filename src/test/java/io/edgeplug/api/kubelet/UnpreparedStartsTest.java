package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.node.prepare.PreparedStarts;
import io.edgeplug.node.supply.UnpreparedStarts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Containers that start while the kubelet, after its restart, does not know yet that it must have devices prepared. */
@Timeout(90)
final class UnpreparedStartsTest {

    private static final String CLASS = """
            [[class]]
            resource = "example.com/sriov_node0"
            kind = "vf"
            match = { pci_addresses = ["%s"] }
            %s
            """;
    private static final String PREPARED = CLASS.formatted(VF0, "[class.prepare]\ncommand = [\"/bin/true\"]");
    private static final String PROBLEM =
            "was not prepared for container main of pod pod, started before edgeplug was registered";

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private final Seen<KubeletEvent> events = new Seen<>();
    private Path kubeletDir = Path.of("");
    private Path pods = Path.of("");
    private LocalKubelet kubelet;

    @BeforeEach
    void open() throws Exception {
        kubeletDir = directory.resolve("device-plugins");
        pods = Files.createDirectory(directory.resolve("pods"));
        kubelet = closing.add(LocalKubelet.open(kubeletDir, events::add));
    }

    private TestDaemon daemon(String classes) throws Exception {
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, classes));
        kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);
        return daemon;
    }

    /** What a kubelet does for each start of a container, that far after its own start. */
    private void start(String container, long seconds) throws Exception {
        kubelet.startContainer("pod", container);
        Path own = Files.createDirectories(pods.resolve("pod/containers").resolve(container));
        Files.createFile(own.resolve(UUID.randomUUID().toString().substring(0, 8)));
        Instant begun =
                Files.getLastModifiedTime(kubeletDir.resolve("kubelet.sock")).toInstant();
        Files.setLastModifiedTime(own, FileTime.from(begun.plusSeconds(seconds)));
    }

    private long preparations() {
        return events.all().stream()
                .filter(KubeletEvent.PreStarted.class::isInstance)
                .count();
    }

    /** As where the daemon is updated while the kubelet is: the kubelet starts a container and knows no plugin. */
    private TestDaemon restartUnprepared() throws Exception {
        TestDaemon first = TestDaemon.open(directory, kubeletDir, PREPARED);
        try (first) {
            kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);
            // which has the device first, and is noted first
            PodSpec.Container init = new PodSpec.Container("init", Map.of(NODE0, 1));
            PodSpec.Container main = new PodSpec.Container("main", Map.of(NODE0, 1));
            kubelet.admit(new PodSpec("pod", List.of(init), List.of(main)));
            start("init", -2);
            start("main", -1);
            noteIsFrom(first, -100);
        }
        kubelet.restart();
        Files.setLastModifiedTime(
                pods.resolve("pod/containers/init"), FileTime.from(Instant.now().minusSeconds(99)));
        start("main", 1);
        assertThat(preparations()).isEqualTo(2);
        return closing.add(TestDaemon.open(directory, kubeletDir, PREPARED));
    }

    /** Ages what is noted, since a test is faster than the clock of the files. */
    private void noteIsFrom(TestDaemon daemon, long seconds) throws IOException {
        Path notes = daemon.node.root().resolve("run/edgeplug/prepared");
        FileTime then = FileTime.from(Instant.now().plusSeconds(seconds));
        try (Stream<Path> all = Files.list(notes)) {
            for (Path note : all.toList()) {
                Files.setLastModifiedTime(note, then);
            }
        }
    }

    private static Optional<String> problem(Inventory inventory) {
        return inventory.device(NODE0, VF0.toString()).orElseThrow().health().problem();
    }

    private void awaitHealth(int healthy) throws Exception {
        kubelet.await(
                NODE0,
                state -> state.devices().size() == 1 && state.allocatable() == healthy,
                PATIENCE.multipliedBy(2));
    }

    /** Another look at the same files, whose end a test sees. */
    private boolean look(TestDaemon daemon) throws IOException {
        return new UnpreparedStarts(kubeletDir, pods, daemon.monitor, new PreparedStarts(daemon.node.sysfs()))
                .look(daemon.classes, true, HeldDevices.read(kubeletDir));
    }

    @Test
    void containerThatStartedUnpreparedIsReportedAndItsDeviceUnhealthyUntilItIsPrepared() throws Exception {
        try (LogLines log = LogLines.open()) {
            TestDaemon daemon = restartUnprepared();
            awaitHealth(0);
            assertThat(problem(daemon.monitor.current())).contains(PROBLEM);
            daemon.node.announce("change", VF0);

            start("main", 2);
            awaitHealth(1);

            assertThat(preparations()).isEqualTo(3);
            assertThat(log.with(
                            VF0 + ": was not prepared before container main of pod pod started, because the restarted "
                                    + "kubelet did not know edgeplug yet; delete the pod to have its next container start with a "
                                    + "prepared device"))
                    .hasSize(1);
            assertThat(log.with("unhealthy: " + PROBLEM)).hasSize(1);
        }
    }

    @Test
    void deviceIsHealthyAgainOnceThePodIsGone() throws Exception {
        TestDaemon daemon = restartUnprepared();
        awaitHealth(0);

        // the kubelet deletes the directory, and has the pod in its notes for longer
        Files.move(pods.resolve("pod"), directory.resolve("gone"));
        awaitHealth(1);

        assertThat(problem(daemon.monitor.current())).isEmpty();
    }

    @Test
    void containerThatWasPreparedIsNotReportedHoweverOftenKubeletAndDaemonRestart() throws Exception {
        try (TestDaemon first = TestDaemon.open(directory, kubeletDir, PREPARED)) {
            kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);
            kubelet.admit(PodSpec.of("pod", NODE0, 1));
            noteIsFrom(first, -100);
            start("main", 1);
        }
        TestDaemon second = daemon(PREPARED);
        assertThat(look(second)).isTrue();
        assertThat(problem(second.monitor.current())).isEmpty();

        start("main", -1);
        noteIsFrom(second, -100);
        kubelet.restart();
        kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);
        Files.setLastModifiedTime(
                pods.resolve("pod/containers/main"), FileTime.from(Instant.now().minusSeconds(99)));
        assertThat(look(second)).isTrue();

        assertThat(problem(second.monitor.current())).isEmpty();
    }

    /** It may wait for its image for long. */
    @Test
    void containerThatHasItsDeviceAndWasNotStartedYetIsNotReported() throws Exception {
        TestDaemon daemon = daemon(PREPARED);
        kubelet.admit(PodSpec.of("pod", NODE0, 1));
        kubelet.restart();
        kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);

        assertThat(look(daemon)).isTrue();

        assertThat(problem(daemon.monitor.current())).isEmpty();
    }

    /** Whether a daemon before had it prepared is not known, if nothing was to be noted then. */
    @Test
    void containerThatStartedBeforePreparationsWereNotedIsNotReported() throws Exception {
        TestDaemon daemon = daemon(CLASS.formatted(VF0, ""));
        kubelet.admit(PodSpec.of("pod", NODE0, 1));
        start("main", 0);
        Path own = pods.resolve("pod/containers/main");
        Files.setLastModifiedTime(
                kubeletDir.resolve("kubelet.sock"), FileTime.from(Instant.now().minusSeconds(99)));
        Files.setLastModifiedTime(own, FileTime.from(Instant.now().minusSeconds(98)));
        daemon.close();

        TestDaemon next = daemon(PREPARED);
        assertThat(look(next)).isTrue();
        assertThat(problem(next.monitor.current())).isEmpty();
    }

    @Test
    void holdersAreNamedOnceForEachRestartWhereNothingTellsOfStarts() throws Exception {
        try (LogLines log = LogLines.open()) {
            Files.delete(pods);
            TestDaemon daemon = daemon(PREPARED);
            kubelet.admit(PodSpec.of("pod", NODE0, 1));
            kubelet.startContainer("pod", "main");
            noteIsFrom(daemon, -100);
            assertThat(log.with("unprepared")).isEmpty();

            kubelet.restart();

            String line = NODE0 + ": containers that started while the kubelet was restarted may have unprepared "
                    + "devices, and there is no " + pods + " to tell: " + VF0;
            assertThat(log.await(line)).hasSize(1);
            kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);
            assertThat(problem(daemon.monitor.current())).isEmpty();
            assertThat(log.with("unprepared")).hasSize(1);
        }
    }

    @Test
    void nothingIsNotedWhereNothingIsToBePrepared() throws Exception {
        TestDaemon daemon = daemon(CLASS.formatted(VF0, ""));

        assertThat(look(daemon)).isFalse();

        assertThat(daemon.node.root().resolve("run")).doesNotExist();
    }
}
