package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kubelet after kubelet; 50 in a row, or 1,000 with {@code -Dsoak}. */
@Timeout(600)
final class RestartSoakTest {

    private static final int RESTARTS = System.getProperty("soak") == null ? 50 : 1000;
    private static final int RESOURCES = 3;

    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @ValueSource(ints = {36, 37})
    void everyResourceIsAllocatableAfterEachRestartAndNothingPilesUp(int minorVersion) throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        KubeletOptions options = KubeletOptions.DEFAULTS.withMinorVersion(minorVersion);
        AtomicInteger registrations = new AtomicInteger();
        AtomicInteger refusals = new AtomicInteger();
        long[] nanos = new long[RESTARTS];
        try (LogLines log = LogLines.open();
                LocalKubelet kubelet = LocalKubelet.open(kubeletDir, options, event -> {
                    if (event instanceof KubeletEvent.Registered) {
                        registrations.incrementAndGet();
                    } else if (event instanceof KubeletEvent.RegistrationRefused) {
                        refusals.incrementAndGet();
                    }
                });
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(states -> TestDaemon.allHave(2, RESOURCES, states), PATIENCE);
            int descriptors = Integer.MAX_VALUE;
            int threads = Integer.MAX_VALUE;
            for (int i = 0; i < RESTARTS; i++) {
                if (i == 10) {
                    descriptors = Counts.descriptors();
                    threads = Counts.threads(directory, "");
                }
                assertThat(registrations).as("before restart %d", i).hasValue(RESOURCES * (i + 1));
                long before = System.nanoTime();
                kubelet.restart();
                kubelet.await(states -> TestDaemon.allHave(2, RESOURCES, states), PATIENCE);
                nanos[i] = System.nanoTime() - before;
            }
            assertNoMoreThan(descriptors, threads);
            assertThat(registrations).hasValue(RESOURCES * (RESTARTS + 1));
            assertThat(refusals).hasValue(0);
            assertThat(log.warnings()).isEmpty();
            try (Stream<Path> sockets = Files.walk(kubeletDir)) {
                assertThat(sockets.filter(path -> path.toString().endsWith(".sock")))
                        .hasSize(RESOURCES + 1);
            }
        }
        print(minorVersion, nanos);
    }

    private void assertNoMoreThan(int descriptors, int threads) {
        Seen.untilSo("no more than " + descriptors + " descriptors", () -> Counts.descriptors() <= descriptors);
        Seen.untilSo("no more than " + threads + " threads", () -> Counts.threads(directory, "") <= threads);
    }

    private static void print(int minorVersion, long[] nanos) {
        Arrays.sort(nanos);
        System.out.printf(
                "1.%d: %d restarts of the kubelet, ms until all is allocatable: p50 %.1f, p99 %.1f, max %.1f%n",
                minorVersion,
                nanos.length,
                nanos[nanos.length / 2] / 1e6,
                nanos[Math.min(nanos.length - 1, nanos.length * 99 / 100)] / 1e6,
                nanos[nanos.length - 1] / 1e6);
    }
}
