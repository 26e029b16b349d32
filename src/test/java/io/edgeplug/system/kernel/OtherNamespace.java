package io.edgeplug.system.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.system.flow.Condition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A network namespace of another process, as that of a pod. */
public final class OtherNamespace implements AutoCloseable {

    private final Process process;

    public OtherNamespace() throws IOException, InterruptedException {
        this.process = new ProcessBuilder("unshare", "-n", "sleep", "100").start();
        Path own = Path.of("/proc/thread-self/ns/net");
        Path other = Path.of("/proc/" + process.pid() + "/ns/net");
        assertThat(Condition.await(
                        () -> !Files.readSymbolicLink(own).equals(Files.readSymbolicLink(other)),
                        Duration.ofSeconds(20)))
                .isTrue();
    }

    /** What the container runtime does. */
    public void take(String name, String inside) throws IOException, InterruptedException {
        IpProgram.run("link set " + name + " netns " + process.pid() + " name " + inside);
        ip("link set " + inside + " up");
    }

    /** What is left of that if the name is taken, or if the runtime fails right after the move. */
    public void takeHalf(String name, String inside) throws IOException, InterruptedException {
        IpProgram.run("link set " + name + " netns " + process.pid() + " name " + inside);
    }

    /** What the kernel does with hardware when the namespace ends. */
    public void giveBack(String name) throws IOException, InterruptedException {
        String thread = String.valueOf(
                Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName());
        ip("link set " + name + " netns " + thread);
    }

    public void ip(String arguments) throws IOException, InterruptedException {
        Process ip = new ProcessBuilder(("nsenter -t " + process.pid() + " -n ip " + arguments).split(" "))
                .redirectErrorStream(true)
                .start();
        String output = new String(ip.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(ip.waitFor()).as(output).isZero();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
