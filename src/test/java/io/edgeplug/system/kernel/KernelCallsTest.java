package io.edgeplug.system.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.PackageJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KernelCallsTest {

    /** Loads the calls first of all on a thread that is interrupted, and then on one that is not. */
    static final class Interrupted {

        private Interrupted() {}

        public static void main(String[] args) {
            Thread.currentThread().interrupt();
            String first = KernelCalls.strerror(KernelCalls.ENOENT);
            boolean isInterrupted = Thread.interrupted();
            System.out.println(first + ", " + isInterrupted + ", " + KernelCalls.strerror(KernelCalls.ENOENT));
        }
    }

    /** As when the daemon ends just as one of its threads reads its first file: other threads still need the calls. */
    @Test
    void callsCanBeLoadedByAThreadThatIsInterrupted() throws Exception {
        PackageJvm.End end = PackageJvm.run(Interrupted.class);
        assertThat(end.output()).contains("No such file or directory, true, No such file or directory");
        assertThat(end.exit()).isZero();
    }

    /** The bit that asks for this is another one on each architecture. */
    @Test
    void linkInPlaceOfADeviceNodeIsNotOpened(@TempDir Path directory) throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("dfl-fme.0"), Path.of("/dev/null"));
        int flags = KernelCalls.O_RDWR | KernelCalls.O_CLOEXEC;

        assertThat(KernelCalls.open(link.toString(), flags | KernelCalls.O_NOFOLLOW))
                .isNegative();
        int followed = KernelCalls.open(link.toString(), flags);
        assertThat(followed).isNotNegative();
        KernelCalls.close(followed);
    }

    @Test
    void timeSinceTheBootIsThatOfTheKernel() throws IOException {
        Duration before = uptime();
        Duration now = KernelCalls.sinceBoot();
        assertThat(now).isBetween(before, uptime().plusMillis(10));
    }

    /** In the kernel's file, which has hundredths of a second. */
    private static Duration uptime() throws IOException {
        String seconds = Files.readString(Path.of("/proc/uptime")).split(" ", 2)[0];
        return Duration.ofMillis(Math.round(1000 * Double.parseDouble(seconds)));
    }
}
