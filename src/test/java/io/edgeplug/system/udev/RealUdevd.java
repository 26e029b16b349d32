package io.edgeplug.system.udev;

import io.edgeplug.system.kernel.OwnNamespaces;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** systemd's udevd, started for a test in its {@link OwnNamespaces}. */
final class RealUdevd implements AutoCloseable {

    private static final Path RULES = Path.of("/run/udev/rules.d");

    private final Process process;

    private RealUdevd(Process process) {
        this.process = process;
    }

    /** Has our rules where udevd looks for them. */
    static void installRules() throws IOException {
        Files.createDirectories(RULES);
        Files.copy(Path.of("udev/90-edgeplug.rules"), RULES.resolve("90-edgeplug.rules"));
    }

    /** Starts it, and waits until it answers. */
    static RealUdevd start() throws IOException, InterruptedException {
        Optional<Path> program = List.of("/lib/systemd/systemd-udevd", "/usr/lib/systemd/systemd-udevd").stream()
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
        Assumptions.assumeTrue(program.isPresent(), "needs udevd: apt-get install udev");
        RealUdevd udevd = new RealUdevd(new ProcessBuilder(program.orElseThrow().toString())
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start());
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (run("udevadm", "control", "--ping").exit() != 0) {
            if (System.nanoTime() - end > 0 || !udevd.process.isAlive()) {
                throw new IOException("udevd does not answer");
            }
        }
        return udevd;
    }

    /** Kills it, so that it leaves its socket's file behind. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                kill();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What a command wrote, and its exit status. */
    record Ran(int exit, String output) {}

    static Ran run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ran(process.waitFor(), output);
    }
}
