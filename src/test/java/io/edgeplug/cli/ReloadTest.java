package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.simulation.DemoNode;
import io.edgeplug.simulation.SimulatedNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole daemon, in a process of its own, which gets the signals that systemd would send. */
@Timeout(120)
final class ReloadTest {

    @TempDir
    private Path directory = Path.of("");

    private final List<String> log = new ArrayList<>();

    private Path configure(String lines) throws IOException {
        return Files.writeString(directory.resolve("edgeplug.toml"), """
                kubelet_dir = "%s"
                device_info_dir = "%s"
                %s
                [[class]]
                resource = "example.com/vf"
                kind = "vf"
                match = { pf_names = ["ens1f0"] }
                """.formatted(
                        directory.resolve("kubelet"), directory.resolve("info"), lines));
    }

    private Process start(Path config) throws IOException {
        // Java does not receive a signal that its parent process ignores.
        Process daemon = new ProcessBuilder(
                        "env",
                        "--default-signal=HUP",
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Djava.io.tmpdir=" + directory,
                        "-Xlog:class+load:file=" + directory.resolve("classes"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "run",
                        "--config=" + config,
                        "--sysroot=" + directory.resolve("node"))
                .redirectErrorStream(true)
                .start();
        // The end of the daemon ends a wait for its next line, which nothing else can interrupt.
        CompletableFuture.delayedExecutor(90, TimeUnit.SECONDS).execute(daemon::destroyForcibly);
        return daemon;
    }

    /** Reads what the daemon logs; its end is the end of the wait. */
    private void await(BufferedReader lines, String text) throws IOException {
        String line = lines.readLine();
        while (line != null) {
            log.add(line);
            if (line.contains(text)) {
                return;
            }
            line = lines.readLine();
        }
        throw new AssertionError("never logged " + text + ": " + String.join("\n", log));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void signal(Process daemon, String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(daemon.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    @Test
    void reloadThatMovesFilesAndTurnsMetricsOnServesThemOnce() throws Exception {
        SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node")).close();
        Process daemon = start(configure("cdi_dir = \"" + directory.resolve("cdi") + "\""));
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(daemon.getInputStream(), StandardCharsets.UTF_8))) {
            await(lines, "ready");
            Path ignored = configure("cdi_dir = \"" + directory.resolve("moved")
                    + "\"\n[metrics]\nlisten = \"127.0.0.1:" + freePort() + "\"");

            signal(daemon, "HUP");
            await(lines, "serving elsewhere");
            await(lines, "metrics: serving on");
            signal(daemon, "TERM");
            await(lines, "stopping");

            assertThat(log.stream().filter(line -> line.contains("metrics: serving on")))
                    .hasSize(1);
            assertThat(daemon.waitFor(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            daemon.destroyForcibly();
        }
    }

    /** Every node would pay for what few need. */
    @Test
    void classThatIsToBeClaimedIsTheFirstToHaveTheDriverLoaded() throws Exception {
        SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node")).close();
        String kubelet = "kubelet_root = \"" + directory + "\"\ncdi_dir = \"" + directory.resolve("cdi") + "\"";
        Path config = configure(kubelet);
        String plain = Files.readString(config);
        Process daemon = start(config);
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(daemon.getInputStream(), StandardCharsets.UTF_8))) {
            await(lines, "ready");
            assertThat(loaded()).contains("io.edgeplug.pods.PreparedClaims").doesNotContain(" io.edgeplug.dra.");
            Files.writeString(config, plain.replace("match =", "api = \"dra\"\nmatch ="));

            signal(daemon, "HUP");
            await(lines, "edgeplug.io: waiting for the kubelet: there is no " + directory.resolve("plugins"));
            assertThat(loaded()).contains(" io.edgeplug.dra.DraDriver");
            Files.writeString(config, plain);
            signal(daemon, "HUP");
            await(lines, "serving elsewhere");
            await(lines, "ready");
        } finally {
            daemon.destroyForcibly();
        }
    }

    private String loaded() throws IOException {
        return Files.readString(directory.resolve("classes"));
    }
}
