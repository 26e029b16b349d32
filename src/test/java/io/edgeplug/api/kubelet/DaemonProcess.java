package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.system.files.Ownership;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The daemon's parts in a process of their own, on the files of a simulated node, so that it can be killed. */
final class DaemonProcess implements AutoCloseable {

    private static final String READY = "ready";
    private static final String HANGING = "hanging";

    /** The memory that the package gives the daemon, as in packaging/jvm.options. */
    private static final List<String> SMALL = List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xms7m",
            "-Xmx48m",
            "-Xmn2m",
            "-Xss512k",
            "-Djdk.virtualThreadScheduler.parallelism=2",
            "-XX:MaxMetaspaceSize=64m",
            "-XX:MaxDirectMemorySize=16m",
            "-XX:+ExitOnOutOfMemoryError",
            "-Dio.netty.allocator.type=unpooled");

    private final Process process;
    private final BufferedReader out;

    private final Path log;

    private DaemonProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * What runs in the process.
     *
     * @param args the directories of the node and of the kubelet, a file with classes, and the attributes whose writers
     *     never come back
     */
    public static void main(String[] args) throws Exception {
        TestDaemon daemon = TestDaemon.open(Path.of(args[0]), Path.of(args[1]), Files.readString(Path.of(args[2])));
        for (String attribute : List.of(args).subList(3, args.length)) {
            daemon.node.interfere(attribute, () -> {
                System.out.println(HANGING);
                hangForEver();
            });
        }
        System.out.println(READY);
        hangForEver();
    }

    private static void hangForEver() throws IOException {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** Starts it, and waits until it serves. */
    static DaemonProcess start(Path directory, Path kubeletDir, String classes, String... hanging) throws IOException {
        return start(List.of(), List.of(), directory, kubeletDir, classes, hanging);
    }

    /** Starts it with as much memory as the package gives it. */
    static DaemonProcess startSmall(Path directory, Path kubeletDir, String classes) throws IOException {
        return start(List.of(), SMALL, directory, kubeletDir, classes);
    }

    /** Starts it as a user to whom the permissions of files apply. */
    static DaemonProcess startUnprivileged(Path directory, Path kubeletDir, String classes) throws IOException {
        return start(
                Ownership.isRoot() ? List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search") : List.of(),
                List.of(),
                directory,
                kubeletDir,
                classes);
    }

    private static DaemonProcess start(
            List<String> before, List<String> jvm, Path directory, Path kubeletDir, String classes, String... hanging)
            throws IOException {
        Path file = Files.writeString(directory.resolve("classes.toml"), classes);
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        command.addAll(jvm);
        // it is killed, and what it has made for a while stays
        command.add("-Djava.io.tmpdir=" + directory);
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                DaemonProcess.class.getName(),
                directory.toString(),
                kubeletDir.toString(),
                file.toString()));
        command.addAll(List.of(hanging));
        Path log = directory.resolve("daemon.log");
        DaemonProcess daemon = new DaemonProcess(
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start(),
                log);
        daemon.await(READY);
        return daemon;
    }

    /** Waits until somebody writes to an attribute that hangs. */
    void awaitHanging() throws IOException {
        await(HANGING);
    }

    /** Waits until it has nothing left to do, or has ended. */
    void awaitRest() {
        long end = System.nanoTime() + 6 * TestDaemon.PATIENCE.toNanos();
        Duration before = Duration.ZERO;
        Duration spent = Duration.ofNanos(1);
        while (!spent.equals(before)) {
            assertThat(System.nanoTime()).as("the daemon rests").isLessThan(end);
            LockSupport.parkNanos(200_000_000);
            before = spent;
            spent = process.toHandle().info().totalCpuDuration().orElse(before);
        }
    }

    /** Why it has ended, which it should not have; empty while it runs. */
    Optional<String> end() throws IOException {
        return process.isAlive()
                ? Optional.empty()
                : Optional.of("exit status " + process.exitValue() + ": " + Files.readString(log));
    }

    /** How often it has logged that. */
    int logged(String text) {
        try {
            return Files.readString(log).split(Pattern.quote(text), -1).length - 1;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many entries its directory of that name in {@code /proc} has. */
    int count(String of) {
        try (Stream<Path> entries = Files.list(Path.of("/proc", Long.toString(process.pid()), of))) {
            return Math.toIntExact(entries.count());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it as the kernel does when there is no memory left. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(TestDaemon.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("still runs: " + process);
        }
    }

    /** The end of its output is the end of the wait; whoever waits has a deadline for the whole test. */
    private void await(String word) throws IOException {
        String line = out.readLine();
        while (line != null && !line.equals(word)) {
            line = out.readLine();
        }
        if (line == null) {
            throw new AssertionError("it has ended, and never was " + word + ": " + Files.readString(log));
        }
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
