package io.edgeplug.api.kubelet;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What this process has open, as kernel and JVM count it. */
public final class Counts {

    private Counts() {}

    /** Descriptors but those of jars, which the JVM opens when it first needs a class of them. */
    public static int descriptors() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return (int) open.filter(descriptor -> !isJar(descriptor)).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isJar(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().endsWith(".jar");
        } catch (IOException e) {
            // that by which they are listed is gone
            return false;
        }
    }

    /** Threads whose name begins so, also virtual ones, of which only a dump tells. */
    static int threads(Path scratch, String prefix) {
        Path dump = scratch.resolve("threads.json").toAbsolutePath();
        try {
            Files.deleteIfExists(dump);
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(dump.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.JSON);
            return Files.readString(dump).split("\"name\": \"" + prefix, -1).length - 1;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
