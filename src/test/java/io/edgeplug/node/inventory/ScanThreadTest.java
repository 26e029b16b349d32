package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
final class ScanThreadTest {

    private static final long SLOW = 300_000_000;

    @TempDir
    Path root;

    /** As on a node whose disk is so busy that nothing is fast. */
    @Test
    void lookThatGoesOnSlowlyIsNotGivenUp() {
        AtomicInteger losses = new AtomicInteger();
        try (ScanThread thread = new ScanThread(Sysfs.at(root), losses::incrementAndGet, place -> {})) {
            int read = thread.run(() -> looked(thread));

            assertThat(read).isEqualTo(8);
            assertThat(losses).hasValue(0);
        }
    }

    private static int looked(ScanThread thread) {
        try {
            return thread.look("0000:3b:00.0", () -> {
                int read = 0;
                while (read < 8) {
                    assertThat(thread.sysfs().exists("file" + read)).isFalse();
                    read++;
                    LockSupport.parkNanos(SLOW);
                }
                return read;
            });
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
