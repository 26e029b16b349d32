package io.edgeplug.system.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.cli.Main;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When the daemon, in a process of its own, feeds systemd's watchdog. */
@Timeout(120)
final class WatchdogTest {

    private static final String BEAT = "WATCHDOG=1";

    /** Beats are a second apart. */
    private static final Duration SILENCE = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofSeconds(40);

    @TempDir
    private Path directory = Path.of("");

    private final List<AutoCloseable> opened = new ArrayList<>();

    private Path go = directory;
    private Path end = directory;

    /** The process: the daemon, whose virtual threads all wait in the kernel from one byte on until another. */
    static final class Deaf {

        private static final int CARRIERS = 8;

        public static void main(String[] args) {
            Thread.ofPlatform().daemon().start(() -> {
                read(args[0]);
                for (int i = 0; i < CARRIERS; i++) {
                    Thread.ofVirtual().start(() -> read(args[1]));
                }
            });
            Main.main(Arrays.copyOfRange(args, 2, args.length));
        }

        private static void read(String fifo) {
            try (var in = Files.newInputStream(Path.of(fifo))) {
                int ignored = in.read();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @BeforeEach
    void makeFifos() throws Exception {
        go = directory.resolve("go");
        end = directory.resolve("end");
        new ProcessBuilder("mkfifo", go.toString(), end.toString()).start().waitFor();
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
    }

    private Datagrams start() throws Exception {
        SimulatedNode node = SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node"));
        opened.add(node);
        Path config = Files.writeString(directory.resolve("edgeplug.toml"), """
                cdi_dir = "%s"
                device_info_dir = "%s"
                [[class]]
                resource = "example.com/vfs"
                kind = "vf"
                [class.match]
                pf_names = ["ens1f0"]
                """.formatted(
                        directory.resolve("cdi"), directory.resolve("devinfo")));
        Path kubelet = Files.createDirectories(directory.resolve("k"));
        Datagrams systemd = Datagrams.on(directory.resolve("notify").toString());
        opened.add(systemd);
        ProcessBuilder daemon = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=2",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Deaf.class.getName(),
                        go.toString(),
                        end.toString(),
                        "run",
                        "--config=" + config,
                        "--kubelet-dir=" + kubelet,
                        "--sysroot=" + node.root())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile());
        daemon.environment().put("NOTIFY_SOCKET", directory.resolve("notify").toString());
        daemon.environment().put("WATCHDOG_USEC", "3000000");
        daemon.environment().remove("WATCHDOG_PID");
        Process process = daemon.start();
        opened.add(() -> {
            process.destroyForcibly();
            process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        });
        return systemd;
    }

    private static void await(Datagrams systemd, String message) throws InterruptedException {
        String next = systemd.next();
        while (!next.startsWith(message)) {
            next = systemd.next();
        }
    }

    @Test
    void daemonWhoseVirtualThreadsDoNotRunIsNotCalledAlive() throws Exception {
        Datagrams systemd = start();
        await(systemd, "READY=1");
        await(systemd, BEAT);
        await(systemd, BEAT);

        // so that it can be opened by any number of readers, each of which waits for a byte
        FileChannel held = FileChannel.open(end, StandardOpenOption.READ, StandardOpenOption.WRITE);
        opened.add(held);
        Files.write(go, new byte[1]);

        long late = System.nanoTime() + PATIENCE.toNanos();
        Optional<String> next = systemd.next(SILENCE);
        while (next.isPresent()) {
            assertThat(System.nanoTime()).as("it goes on: " + next).isLessThan(late);
            next = systemd.next(SILENCE);
        }
        held.write(ByteBuffer.allocate(Deaf.CARRIERS));
        await(systemd, BEAT);
        await(systemd, BEAT);
    }
}
