package io.edgeplug.system.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class DirectoryWatchTest {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    @TempDir
    private Path scratch = Path.of("");

    /** Each level may be made before the one above it is watched; many times, since it takes a race. */
    @Test
    void directoriesMadeWithinMicrosecondsOfEachOtherAreAllSeen() throws Exception {
        for (int i = 0; i < 200; i++) {
            Path top = Files.createDirectory(scratch.resolve("top" + i));
            Path directory = top.resolve("a/b/c/d");
            try (DirectoryWatch watch = DirectoryWatch.open(directory)) {
                Thread maker = Thread.ofPlatform()
                        .start(() -> assertThat(directory.toFile().mkdirs()).isTrue());
                long end = System.nanoTime() + PATIENCE.toNanos();
                while (!Files.isDirectory(directory)) {
                    watch.await(PATIENCE);
                }
                assertThat(System.nanoTime()).as("round %d: seen in time", i).isLessThan(end);
                maker.join(TimeUnit.SECONDS.toMillis(5));
            }
        }
    }

    @Test
    void filesThatComeAndGoAreNamed() throws Exception {
        Path child = Files.createDirectory(scratch.resolve("child"));
        try (DirectoryWatch watch = DirectoryWatch.open(scratch, "child")) {
            Files.createFile(scratch.resolve("one"));
            assertThat(watch.await(PATIENCE)).contains(Set.of(scratch.resolve("one")));
            Files.createFile(child.resolve("two"));
            Files.delete(scratch.resolve("one"));
            assertThat(watch.await(PATIENCE)).contains(Set.of(scratch.resolve("one"), child.resolve("two")));
        }
    }

    /** Otherwise a pod that renames files in a loop would keep the thread for ever, and fill the heap. */
    @Test
    void moreEventsThanAreReadAtOnceAreNotNamed() throws Exception {
        try (DirectoryWatch watch = DirectoryWatch.open(scratch)) {
            Path old = Files.createFile(scratch.resolve("0"));
            for (int i = 1; i <= 2000; i++) {
                old = Files.move(old, scratch.resolve(String.valueOf(i)));
            }
            assertThat(watch.await(PATIENCE)).isEmpty();
            assertThat(watch.await(Duration.ZERO))
                    .as("the next events, which no poll waits for")
                    .isEmpty();
        }
    }

    @Test
    void anyFileMayHaveChangedInADirectoryThatIsReplaced() throws Exception {
        Path directory = Files.createDirectory(scratch.resolve("directory"));
        try (DirectoryWatch watch = DirectoryWatch.open(directory)) {
            Files.createFile(directory.resolve("one"));
            Files.move(directory, scratch.resolve("old"));
            Files.createDirectory(directory);
            assertThat(watch.await(PATIENCE)).isEmpty();
            // what was heard of the directory above meanwhile
            assertThat(watch.await(PATIENCE)).isEmpty();
            Files.createFile(scratch.resolve("old/two"));
            Files.createFile(directory.resolve("three"));
            assertThat(watch.await(PATIENCE)).contains(Set.of(directory.resolve("three")));
        }
    }

    @Test
    void closeEndsTheWait() throws Exception {
        DirectoryWatch watch = DirectoryWatch.open(scratch);
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread waiting = Thread.ofPlatform().start(() -> {
            try {
                while (true) {
                    watch.await(Duration.ofDays(1));
                }
            } catch (InterruptedException e) {
                end.complete(e);
            }
        });
        watch.close();
        assertThat(end.get(5, TimeUnit.SECONDS)).hasMessageContaining("no longer watched");
        waiting.join(TimeUnit.SECONDS.toMillis(5));
        // a second time is of no consequence
        watch.close();
    }
}
