package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.system.systemd.Datagrams;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole daemon, in a process of its own, which gets the signals that systemd would send. */
@Timeout(120)
final class ReloadTest {

    @TempDir
    private Path directory = Path.of("");

    private final List<String> log = new ArrayList<>();

    private Path systemd() {
        return directory.resolve("systemd");
    }

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
        ProcessBuilder command = new ProcessBuilder(
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
                .redirectErrorStream(true);
        command.environment().put("NOTIFY_SOCKET", systemd().toString());
        Process daemon = command.start();
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
    void stormOfReloadsWithAClassThatChangesLeavesFewThreads() throws Exception {
        SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node")).close();
        String files = "cdi_dir = \"" + directory.resolve("cdi") + "\"";
        Process daemon = start(configure(files));
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(daemon.getInputStream(), StandardCharsets.UTF_8))) {
            await(lines, "ready");
            int before = threads(daemon);
            int most = 0;
            for (int i = 0; i < 100; i++) {
                Path config = configure(files);
                Files.writeString(config, Files.readString(config) + "shares = " + (1 + i % 2) + "\n");
                signal(daemon, "HUP");
                most = Math.max(most, threads(daemon));
            }
            signal(daemon, "TERM");
            await(lines, "stopping");

            assertThat(log.stream().filter(line -> line.contains("configuration read again")))
                    .hasSizeBetween(1, 50);
            assertThat(most).isLessThan(before + 60);
        } finally {
            Process ignored = daemon.destroyForcibly();
        }
    }

    private static int threads(Process daemon) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(daemon.pid()), "task"))) {
            return Math.toIntExact(threads.count());
        }
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
            assertThat(loaded())
                    .contains("io.edgeplug.node.pods.PreparedClaims")
                    .doesNotContain(" io.edgeplug.api.dra.");
            Files.writeString(config, plain.replace("match =", "api = \"dra\"\nmatch ="));

            signal(daemon, "HUP");
            await(lines, "edgeplug.io: waiting for the kubelet: there is no " + directory.resolve("plugins"));
            assertThat(loaded()).contains(" io.edgeplug.api.dra.DraDriver");
            Files.writeString(config, plain);
            signal(daemon, "HUP");
            await(lines, "serving elsewhere");
            await(lines, "ready");
        } finally {
            daemon.destroyForcibly();
        }
    }

    /** A green line until the next boot would be the surprise of the night. */
    @Test
    void reloadWithAMistakeIsToldInBothStatusesUntilAConfigurationIsTakenUp() throws Exception {
        SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node")).close();
        Path config = configure("");
        String right = Files.readString(config);
        try (Datagrams told = Datagrams.on(systemd().toString())) {
            Process daemon = start(config);
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(daemon.getInputStream(), StandardCharsets.UTF_8))) {
                await(lines, "ready");
                String started = status().lines().findFirst().orElseThrow();
                Files.writeString(config, right + "knid = 3\n");

                signal(daemon, "HUP");
                await(lines, "error: configuration not taken up");

                assertThat(log).anyMatch(line -> line.startsWith("error: " + config + ": line 8: "));
                String problem = "configuration: the one on disk has mistakes (" + config
                        + ": line 8): this daemon runs the one of ";
                assertThat(next(told, "has mistakes")).contains("READY=1").contains(problem);
                assertThat(status())
                        .contains(problem)
                        .contains("and will not start again with what is on disk; see edgeplug check")
                        .contains("\n  " + config + ": line 8: ");

                // The daemon then serves elsewhere, and is the same process.
                Files.writeString(config, right.replace("\"" + directory.resolve("info"), "\"" + directory));
                assertThat(status()).contains("the one on disk was changed (" + config + ") and not loaded: ");
                signal(daemon, "HUP");
                await(lines, "serving elsewhere");
                await(lines, "ready");

                assertThat(next(told, "READY=1")).doesNotContain("configuration");
                assertThat(status())
                        .contains(started)
                        .doesNotContain("configuration: ")
                        .contains("configuration not taken up");
            } finally {
                daemon.destroyForcibly();
            }
        }
    }

    @Test
    void notesOfHoldersThatCannotBeReadAreToldInBothStatuses() throws Exception {
        SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node")).close();
        Path notes = Files.createDirectories(directory.resolve("kubelet")).resolve(HeldDevices.FILE);
        Files.writeString(notes, "no notes of a kubelet");
        try (Datagrams told = Datagrams.on(systemd().toString())) {
            Process daemon = start(configure(""));
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(daemon.getInputStream(), StandardCharsets.UTF_8))) {
                await(lines, "warning: " + notes + ": is not as a kubelet writes it, so ");
                await(lines, "ready");

                assertThat(next(told, "READY=1"))
                        .contains("STATUS=holders not known: " + notes + ": is not as a kubelet writes it");
                assertThat(status())
                        .contains("need you: ", "edgeplug (holders)", notes + ": is not as a kubelet writes it")
                        .contains("2 may be held, see below");
            } finally {
                daemon.destroyForcibly();
            }
        }
    }

    @Test
    void notesOfCheckAreLoggedOnceAfterAReload() throws Exception {
        SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node")).close();
        Path config = configure("");
        String plain = Files.readString(config);
        String nothing =
                "[[class]]\nresource = \"example.com/none\"\nkind = \"path\"\nmatch = { paths = [\"/none\"] }\n";
        String covered =
                "[[class]]\nresource = \"example.com/late\"\nkind = \"vf\"\nmatch = { pf_names = [\"ens1f0\"] }\n";
        Process daemon = start(config);
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(daemon.getInputStream(), StandardCharsets.UTF_8))) {
            await(lines, "ready");
            Files.writeString(config, plain + nothing);
            signal(daemon, "HUP");
            await(lines, "note: example.com/none: no device of this node matches");

            Files.writeString(config, plain + nothing + covered);
            signal(daemon, "HUP");
            await(lines, "note: example.com/late: it takes nothing: example.com/vf, which comes first");
            await(lines, "note: example.com/late: would also take what belongs to example.com/vf");

            assertThat(log.stream().filter(line -> line.contains("note: example.com/none: no device")))
                    .hasSize(1);
        } finally {
            daemon.destroyForcibly();
        }
    }

    /** The datagrams before it are about devices and plugins. */
    private static String next(Datagrams told, String text) throws InterruptedException {
        String next = told.next();
        while (!next.contains(text)) {
            next = told.next();
        }
        return next;
    }

    private String status() {
        Console console = new Console();
        int ignored =
                console.execute("status", "--sysroot", directory.resolve("node").toString());
        return console.text();
    }

    private String loaded() throws IOException {
        return Files.readString(directory.resolve("classes"));
    }
}
