package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.system.files.NeedsRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The kubelet's directory is the kubelet's: it may not be there, be another one, or let nobody write. */
@Timeout(60)
final class DirectoryContractTest {

    /** Far less than the safety net's 30 s: inotify must have told. */
    private static final Duration BY_INOTIFY = Duration.ofSeconds(5);

    @TempDir
    private Path directory = Path.of("");

    private Path kubeletDir = Path.of("");
    private final List<KubeletEvent> events = new CopyOnWriteArrayList<>();

    @BeforeEach
    void setUp() {
        kubeletDir = directory.resolve("device-plugins");
    }

    @Test
    void kubeletThatIsAbsentIsWaitedForAndToldOf() throws Exception {
        try (LogLines log = LogLines.open();
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            assertThat(log.await("waiting for the kubelet"))
                    .containsExactly("waiting for the kubelet: there is no " + kubeletDir + "/kubelet.sock");
            assertKubeletHasAll(kubeletDir);
            assertThat(log.warnings()).isEmpty();
        }
    }

    /** Directories that come within microseconds of each other, again and again, since each is watched in turn. */
    @Test
    void directoryThatIsMadeLaterWithAllAboveItIsFound() throws Exception {
        for (int i = 0; i < 10; i++) {
            Path deep = directory.resolve("no" + i + "/lib/kubelet/plugins");
            try (TestDaemon daemon = TestDaemon.open(directory, deep)) {
                assertKubeletHasAll(deep);
            }
        }
    }

    @Test
    void directoryThatIsReplacedByAnotherOfItsNameIsFollowed() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            assertKubeletHasAll(kubeletDir);
            for (int i = 0; i < 5; i++) {
                Files.move(kubeletDir, directory.resolve("old" + i));
                assertKubeletHasAll(kubeletDir);
            }
        }
    }

    @Test
    void directoryThatIsMovedAwayUnderARunningKubeletIsLeftAlone() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir);
                RoughKubelet first = RoughKubelet.open(kubeletDir, RoughKubelet::follow)) {
            first.watches().awaitCount(3);

            Files.move(kubeletDir, directory.resolve("old"));
            for (PluginClient.Watch watch : first.watches().all()) {
                watch.awaitEnd();
            }

            assertKubeletHasAll(kubeletDir);
        }
    }

    @Test
    void directoryThatIsASymbolicLinkIsFollowed() throws Exception {
        Path real = Files.createDirectory(directory.resolve("real"));
        Files.createSymbolicLink(kubeletDir, real);
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            try (LocalKubelet kubelet = LocalKubelet.open(real, events::add)) {
                kubelet.await(states -> TestDaemon.allHave(2, 3, states), BY_INOTIFY);
            }
        }
    }

    @Test
    @NeedsRoot("mounts a file system")
    void readOnlyFileSystemIsToldOnceAndServedInOnceItCanBeWritten() throws Exception {
        try (Mounted mounted = Mounted.open("tmpfs", kubeletDir);
                LogLines log = LogLines.open();
                RoughKubelet kubelet = RoughKubelet.open(kubeletDir, RoughKubelet::follow)) {
            mounted.remount("ro");
            try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
                log.await("example.com/gopher: cannot serve in");
                log.await("example.com/sriov_node0: cannot serve in");
                log.await("example.com/sriov_node1: cannot serve in");
                mounted.remount("rw");

                kubelet.watches().awaitCount(3);
                assertThat(log.warnings())
                        .hasSize(3)
                        .allMatch(line -> line.contains(": cannot serve in " + kubeletDir + ": ")
                                && line.contains("Read-only file system"));
            }
        }
    }

    private void assertKubeletHasAll(Path path) throws Exception {
        events.clear();
        try (LocalKubelet kubelet = LocalKubelet.open(path, events::add)) {
            kubelet.await(states -> TestDaemon.allHave(2, 3, states), BY_INOTIFY);
        }
        assertThat(events)
                .filteredOn(event -> event instanceof KubeletEvent.Registered)
                .hasSize(3);
    }
}
