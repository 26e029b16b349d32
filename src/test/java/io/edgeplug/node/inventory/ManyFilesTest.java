package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.system.files.Look;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many files, of which few change or all do at once. */
@Timeout(120)
final class ManyFilesTest {

    private static final Duration SETTLE = Duration.ofMillis(150);
    private static final Duration LONG = Duration.ofSeconds(System.getProperty("soak") == null ? 3 : 30);

    @TempDir
    private Path root = Path.of("");

    private Path cams = Path.of("");

    @BeforeEach
    void make() throws IOException {
        root = root.toRealPath();
        cams = Files.createDirectories(root.resolve("dev/cams"));
    }

    @Test
    void nothingIsLookedAtButTheFileThatHasChanged() throws Exception {
        for (int i = 0; i < 100; i++) {
            Files.createFile(cams.resolve("c" + i));
        }
        Set<String> looks = ConcurrentHashMap.newKeySet();
        Sysfs sysfs = Sysfs.at(root).witnessedBy(look -> looks.add(look.path()));
        try (WatchedFiles files = WatchedFiles.open(sysfs, SETTLE, "/dev/cams/c*")) {
            looks.clear();
            Files.createFile(cams.resolve("nobody's"));
            Files.delete(cams.resolve("c7"));
            files.await("99 files", now -> WatchedFiles.ids(now).size() == 99);

            assertThat(looks).allMatch(path -> path.endsWith("dev/cams/c7"));
        }
    }

    @Test
    void burstOfAThousandFilesIsAFewInventories() throws Exception {
        try (WatchedFiles files = WatchedFiles.open(Sysfs.at(root), SETTLE, "/dev/cams/*")) {
            for (int i = 0; i < 1000; i++) {
                Files.createFile(cams.resolve("c" + i));
            }
            files.await("1000 files", now -> now.devices().size() == 1000);
            long come = files.monitor().current().generation();
            assertThat(come).isLessThan(20);

            for (int i = 0; i < 1000; i++) {
                Files.delete(cams.resolve("c" + i));
            }
            files.await();
            assertThat(files.monitor().current().generation() - come).isLessThan(200);
        }
    }

    @Test
    void fileThatChangesWithoutEndIsLookedAtTwentyTimesASecondAndItsLastStateIsListed() throws Exception {
        Path busy = Files.createFile(cams.resolve("busy"));
        AtomicInteger looks = new AtomicInteger();
        Sysfs sysfs = Sysfs.at(root).witnessedBy(look -> looks.addAndGet(isAt(look, "dev/cams/busy") ? 1 : 0));
        try (WatchedFiles files = WatchedFiles.open(sysfs, SETTLE, "/dev/cams/*")) {
            long began = System.nanoTime();
            looks.set(0);
            for (int i = 0; i < 20_000; i++) {
                Files.setPosixFilePermissions(busy, PosixFilePermissions.fromString("rw-r--r--"));
                Files.delete(Files.createFile(cams.resolve("c" + i % 10)));
            }
            int during = looks.get();
            long seconds = Duration.ofNanos(System.nanoTime() - began).toSeconds();
            Files.createFile(cams.resolve("last"));
            files.await("busy", "last");

            assertThat(during).as("in %d s", seconds).isBetween(1, 20 + 20 * (int) (seconds + 1));
        }
    }

    private static boolean isAt(Look look, String path) {
        return look instanceof Look.Seen && look.path().endsWith(path);
    }

    @Test
    void filesThatComeAndGoWithoutEndAreAHundredLinesOfTheLog() throws Exception {
        try (LogLines log = LogLines.open();
                WatchedFiles files = WatchedFiles.open(Sysfs.at(root), SETTLE, "/dev/cams/*")) {
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 500; i++) {
                    Files.createFile(cams.resolve("c" + i));
                }
                files.await("500 files", now -> now.devices().size() == 500);
                for (int i = 0; i < 500; i++) {
                    Files.delete(cams.resolve("c" + i));
                }
                files.await();
            }

            assertThat(log.with("example.com/files")).hasSizeBetween(1, 200);
        }
    }

    /** More than a node may have, now and then: none is listed then. */
    @Test
    void tenThousandFilesThatComeAndGoAtRandomEndInTheListThatAScanFinds() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        DeviceClass deviceClass = WatchedFiles.ofPaths("/dev/cams/*");
        try (WatchedFiles files = WatchedFiles.open(Sysfs.at(root), SETTLE, deviceClass)) {
            long end = System.nanoTime() + LONG.toNanos();
            while (end - System.nanoTime() > 0) {
                toggle(cams.resolve("c" + random.nextInt(10_000)));
            }
            for (int i = 3000; i < 10_000; i++) {
                Files.deleteIfExists(cams.resolve("c" + i));
            }
            var wanted = WatchedFiles.scanned(root, deviceClass);
            assertThat(wanted).as("seed %d", seed).isNotEmpty();
            files.await(
                    "what a scan finds, seed " + seed,
                    now -> WatchedFiles.ids(now).equals(wanted));
        }
    }

    private static void toggle(Path file) throws IOException {
        if (!Files.deleteIfExists(file)) {
            Files.createFile(file);
        }
    }
}
