package io.edgeplug.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
}
