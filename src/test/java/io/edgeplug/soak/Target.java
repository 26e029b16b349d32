package io.edgeplug.soak;

import io.edgeplug.PackageJvm;
import io.edgeplug.cli.Main;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** The daemon that is attacked: {@code edgeplug run} in a process of its own, with the flags of the package. */
final class Target implements AutoCloseable {

    /** What no program that the daemon starts may see. */
    static final String SECRET = "SOAK_SECRET";

    /** The heap has its bound and grows up to it. From its start on it has all of it, so what grows is something else. */
    private static final List<String> WHOLE_HEAP = List.of("-Xms48m", "-XX:+AlwaysPreTouch");

    private static final int MAX_READ = 8 << 20;
    private static final String READY = "ready";

    /** What a daemon of this node must not see of it. */
    private static final String MOUNTS = """
            sys=$1 ip=$2
            shift 2
            mkdir -p /run/edgeplug
            mount -t tmpfs none /run/edgeplug
            mount -t tmpfs none /var/lib
            mount --bind "$ip" "$(readlink -f /sbin/ip)"
            mount --bind "$sys" /sys
            exec "$@"
            """;

    private final Process process;
    private final Path log;
    private long read;
    private boolean isReady;

    private final Beats beats;

    private Target(Process process, Path log, Beats beats) {
        this.process = process;
        this.log = log;
        this.beats = beats;
    }

    /** What /proc says of it. */
    record Size(long residentKiB, int threads, int descriptors) {}

    /** Starts it there; it may end at once. */
    static Target start(Ground ground) throws IOException {
        return start(ground, List.of(), ground.sysroot());
    }

    /** Starts it as the daemon of this node, which has the ground's /sys and this program as its {@code ip}. */
    static Target startOnNode(Ground ground, Path ip) throws IOException {
        return start(
                ground,
                List.of(
                        "unshare",
                        "--mount",
                        "sh",
                        "-ec",
                        MOUNTS,
                        "sh",
                        ground.sysroot().resolve("sys").toString(),
                        ip.toString()),
                Path.of("/"));
    }

    private static Target start(Ground ground, List<String> before, Path sysroot) throws IOException {
        List<String> command = new ArrayList<>(before);
        command.addAll(PackageJvm.command(
                WHOLE_HEAP,
                Main.class,
                "run",
                "--config",
                ground.config().toString(),
                "--sysroot",
                sysroot.toString()));
        Files.deleteIfExists(ground.log());
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.appendTo(ground.log().toFile()));
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put(SECRET, "of the service");
        Beats beats = Beats.on(ground.root().resolve("notify"));
        builder.environment().put("NOTIFY_SOCKET", beats.socket());
        builder.environment().put("WATCHDOG_USEC", String.valueOf(Beats.PATIENCE.toSeconds() * 1_000_000));
        return new Target(builder.start(), ground.log(), beats);
    }

    int pid() {
        return (int) process.pid();
    }

    Beats beats() {
        return beats;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Its exit status; empty while it runs. */
    Optional<Integer> exit() {
        return isAlive() ? Optional.empty() : Optional.of(process.exitValue());
    }

    /** Waits until it serves, and says whether it does. */
    boolean awaitReady(long seconds) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!isReady && isAlive() && System.nanoTime() - end < 0) {
            isReady = Files.readString(log).lines().anyMatch(READY::equals);
            LockSupport.parkNanos(10_000_000);
        }
        return isReady;
    }

    void reload() {
        Libc.INSTANCE.kill(pid(), Libc.SIGHUP);
    }

    /** Asks it to end, as systemd does, and says whether it ended well in time. */
    boolean end(long seconds) {
        process.destroy();
        try {
            return process.waitFor(seconds, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** What it wrote since this was asked last; of very much only the first 8 MiB. */
    Log news() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            long length = file.length();
            byte[] bytes = new byte[(int) Math.min(MAX_READ, length - read)];
            file.seek(read);
            file.readFully(bytes);
            long all = length - read;
            read = length;
            return new Log(new String(bytes, StandardCharsets.UTF_8), all);
        }
    }

    /** A part of the log, and how many bytes there were. */
    record Log(String text, long bytes) {}

    /** The last lines of the log. */
    String lastWords() throws IOException {
        List<String> lines =
                Files.readString(log, StandardCharsets.ISO_8859_1).lines().toList();
        return String.join(" | ", lines.subList(Math.max(0, lines.size() - 4), lines.size()));
    }

    /** Where it is still, or nothing once it has ended. */
    Optional<Size> size() throws IOException {
        Path proc = Path.of("/proc", String.valueOf(pid()));
        try (Stream<Path> open = Files.list(proc.resolve("fd"))) {
            long resident = 0;
            int threads = 0;
            for (String line : Files.readAllLines(proc.resolve("status"))) {
                if (line.startsWith("VmRSS:")) {
                    resident = Long.parseLong(line.replaceAll("\\D", ""));
                } else if (line.startsWith("Threads:")) {
                    threads = Integer.parseInt(line.replaceAll("\\D", ""));
                }
            }
            return Optional.of(new Size(resident, threads, (int) open.count()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            if (isAlive()) {
                throw e;
            }
            return Optional.empty();
        }
    }

    /** Ends it with all that it has started, as no unit would: there is no cgroup here. */
    @Override
    public void close() {
        List<ProcessHandle> started = process.descendants().toList();
        process.destroyForcibly();
        started.forEach(ProcessHandle::destroyForcibly);
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        beats.close();
    }
}
