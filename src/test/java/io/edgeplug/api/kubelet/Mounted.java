package io.edgeplug.api.kubelet;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.edgeplug.system.files.NeedsRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A file system of a test's own. Where this machine does not allow that, the test is skipped and says so. */
public final class Mounted implements AutoCloseable {

    private final Path at;

    private Mounted(Path at) {
        this.at = at;
    }

    public static Mounted open(String type, Path at) throws IOException, InterruptedException {
        NeedsRoot.Condition.check();
        Files.createDirectories(at);
        String refusal = run("mount", "-t", type, "edgeplug-test", at.toString());
        assumeTrue(refusal.isEmpty(), "this machine lets nobody mount a " + type + ": " + refusal);
        return new Mounted(at);
    }

    public void remount(String how) throws IOException, InterruptedException {
        String refusal = run("mount", "-o", "remount," + how, at.toString());
        if (!refusal.isEmpty()) {
            throw new IOException(refusal);
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        run("umount", "-l", at.toString());
    }

    /** What the command says; nothing if it did as it was told. */
    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(TestDaemon.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IOException(String.join(" ", command) + ": does not end");
        }
        return said.strip();
    }
}
