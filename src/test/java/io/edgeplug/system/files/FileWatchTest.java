package io.edgeplug.system.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which paths are told of, once they were looked at. */
@Timeout(60)
final class FileWatchTest {

    private static final long PATIENCE_SECONDS = 60;

    /** A thread that adds is between two adds more often than in one. */
    private static final int ROUNDS = 500;

    /** Where the kernel says how many events it keeps for who does not read. */
    private static final Path QUEUE = Path.of("/proc/sys/fs/inotify/max_queued_events");

    @TempDir
    private Path root = Path.of("");

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    @BeforeEach
    void make() throws IOException {
        root = root.toRealPath();
        Files.createDirectories(root.resolve("dev/cams"));
    }

    private Sysfs on(FileWatch watch) {
        return Sysfs.at(root).on(watch.trail());
    }

    private void await(String path) throws InterruptedException {
        Set<String> seen = new HashSet<>();
        while (!seen.contains(path)) {
            String next = told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(next).as("%s, but there was only %s", path, seen).isNotNull();
            seen.add(next);
        }
    }

    @Test
    void changeBehindALinkIsToldOfThePathThatWasAskedFor() throws Exception {
        Files.createFile(root.resolve("dev/tty0"));
        Files.createSymbolicLink(root.resolve("dev/cams/one"), Path.of("../tty0"));
        try (FileWatch watch = new FileWatch("files", told::addAll)) {
            assertThat(on(watch).follow("dev/cams/one")).isPresent();

            Files.delete(root.resolve("dev/tty0"));

            await("/dev/cams/one");
        }
    }

    @Test
    void namesThatNobodyAskedForAreNotTold() throws Exception {
        try (FileWatch watch = new FileWatch("files", told::addAll)) {
            assertThat(PathGlob.parse("/dev/cams/c?").files(on(watch), 10)).isEmpty();

            Files.createFile(root.resolve("dev/other"));
            Files.createFile(root.resolve("dev/cams/c10"));
            Files.createFile(root.resolve("dev/cams/c1"));

            assertThat(told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("/dev/cams/c1");
        }
    }

    @Test
    void whatIsOnNoWayAnyMoreIsNotTold() throws Exception {
        Files.createDirectory(root.resolve("dev/others"));
        try (FileWatch watch = new FileWatch("files", told::addAll)) {
            assertThat(PathGlob.parse("/dev/cams/*").files(on(watch), 10)).isEmpty();
            Trail second = watch.trail();
            assertThat(PathGlob.parse("/dev/others/*").files(Sysfs.at(root).on(second), 10))
                    .isEmpty();
            watch.keep(second);

            Files.createFile(root.resolve("dev/cams/c1"));
            Files.createFile(root.resolve("dev/others/o1"));

            assertThat(told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("/dev/others/o1");
        }
    }

    @Test
    void moreEventsThanTheKernelKeepsAreToldAsEverything() throws Exception {
        int most;
        // at once: the second of two reads finds nothing
        try (InputStream in = Files.newInputStream(QUEUE)) {
            most = Integer.parseInt(new String(in.readNBytes(64), StandardCharsets.US_ASCII).strip());
        }
        CountDownLatch overflown = new CountDownLatch(1);
        try (FileWatch watch = new FileWatch("files", paths -> {
            told.addAll(paths);
            await(overflown);
        })) {
            assertThat(PathGlob.parse("/dev/cams/*").files(on(watch), 10)).isEmpty();
            Path file = root.resolve("dev/cams/c1");
            // the first is told, and nobody reads until all of them have happened
            for (int i = 0; i < most + 1000; i++) {
                Files.createFile(file);
                Files.delete(file);
            }
            overflown.countDown();

            await(FileWatch.EVERYTHING);
        }
    }

    @Test
    void descriptorThatWasClosedWatchesNothingByItsNumberWhichIsAnothersNow() throws Exception {
        String cams = root.resolve("dev/cams").toString();
        for (int round = 0; round < ROUNDS; round++) {
            Inotify closed = Inotify.open();
            int number = closed.descriptor();
            Thread adding = Thread.ofPlatform().start(() -> {
                while (closed.add(cams, Inotify.NAMES) >= 0) {
                    Thread.onSpinWait();
                }
            });
            closed.close();
            Inotify other = Inotify.open();
            try {
                closed.remove(1);
                assertThat(adding.join(Duration.ofSeconds(PATIENCE_SECONDS)))
                        .as("in round %d, descriptor %d, the other is %d", round, number, other.descriptor())
                        .isTrue();
                Files.delete(Files.createFile(root.resolve("dev/cams/c1")));
                assertThat(other.read()).isEmpty();
            } finally {
                other.close();
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void pathIsConcernedByAllAboveIt() {
        assertThat(FileWatch.upFrom("/dev/cams/c1")).isEqualTo(List.of("/dev/cams/c1", "/dev/cams", "/dev", "/"));
        assertThat(FileWatch.concerns(Set.of("/dev"), "/dev/cams/c1")).isTrue();
        assertThat(FileWatch.concerns(Set.of("/dev/c"), "/dev/cams/c1")).isFalse();
    }
}
