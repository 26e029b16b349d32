package io.edgeplug.node.supply;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A containerd with its runc, in the test's network namespace and in other ones of its own. Ends with all its containers. */
final class ContainerRuntime implements AutoCloseable {

    private static final String SOCKET = "unix:///run/containerd.sock";
    private static final int SECONDS = 90;

    private final Process process;
    private final Path programs;
    private final Path directory;
    private int containers;

    private ContainerRuntime(Process process, Path programs, Path directory) {
        this.process = process;
        this.programs = programs;
        this.directory = directory;
    }

    /** Starts that of {@code src/test/interface}, which reads specifications in a directory. */
    static ContainerRuntime start(Path directory, Path specifications) throws IOException {
        String built = System.getProperty("runtime", "");
        Assumptions.assumeFalse(built.isEmpty(), "src/test/interface/run builds the container runtime that this needs");
        Path programs = Path.of(built).toAbsolutePath();
        List<String> command = new ArrayList<>(
                List.of("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation"));
        command.addAll(List.of("private", "src/test/interface/containerd"));
        Stream.of(programs, directory, specifications).map(Path::toString).forEach(command::add);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        ContainerRuntime runtime = new ContainerRuntime(process, programs, directory);
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        StringBuilder told = new StringBuilder();
        for (String line = lines.readLine(); !"ready".equals(line); line = lines.readLine()) {
            if (line == null) {
                runtime.close();
                throw new IOException("containerd does not start: " + told);
            }
            told.append(line).append('\n');
        }
        return runtime;
    }

    /** Runs a program where the containers' namespaces can be seen. */
    String run(String... command) throws IOException, InterruptedException {
        Ran ran = tryTo(command);
        assertThat(ran.status()).as(ran.output()).isZero();
        return ran.output();
    }

    private record Ran(int status, String output) {}

    private Ran tryTo(String... command) throws IOException, InterruptedException {
        long first = process.children().findFirst().orElseThrow().pid();
        List<String> all = new ArrayList<>(List.of("timeout", String.valueOf(SECONDS), "nsenter", "-m", "-p"));
        all.addAll(List.of("-t", String.valueOf(first), command[0]));
        all.addAll(List.of(command).subList(1, command.length));
        Path output = Files.createTempFile(directory, "ran", "");
        Process ran = new ProcessBuilder(all)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        int status = ran.waitFor();
        return new Ran(status, Files.readString(output).strip());
    }

    private String[] crictl(String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(programs.resolve("crictl").toString(), "--config"));
        command.addAll(List.of(directory.resolve("crictl.yaml").toString(), "-r", SOCKET, "-i", SOCKET));
        command.addAll(List.of(arguments));
        return command.toArray(String[]::new);
    }

    private static String last(String output) {
        return output.substring(output.lastIndexOf('\n') + 1);
    }

    /** Makes a pod's sandbox, and returns its ID. */
    String sandbox(String pod) throws IOException, InterruptedException {
        Files.writeString(sandboxFile(pod), """
                {"metadata": {"name": "%1$s", "namespace": "default", "uid": "%1$s"}, "log_directory": "%2$s", "linux": {}}
                """.formatted(pod, directory.resolve("logs")));
        return last(run(crictl("runp", sandboxFile(pod).toString())));
    }

    private Path sandboxFile(String pod) {
        return directory.resolve(pod + ".json");
    }

    /** Starts a container with a CDI device, which runs a shell's command; returns what it or the runtime has said at its end. */
    String start(String sandbox, String pod, String device, String shell) throws IOException, InterruptedException {
        containers++;
        Path file = directory.resolve("container.json");
        Files.writeString(file, """
                {"metadata": {"name": "c%1$s"}, "image": {"image": "localhost/busybox:1"}, "log_path": "%1$s.log",
                 "command": ["/bin/sh", "-c", "%3$s"], "CDI_devices": [{"name": "%2$s"}], "linux": {}}
                """.formatted(containers, device, shell));
        String id = last(
                run(crictl("create", sandbox, file.toString(), sandboxFile(pod).toString())));
        Ran started = tryTo(crictl("start", id));
        if (started.status() != 0) {
            return started.output();
        }
        String ended = run(
                "sh",
                "-c",
                "until " + String.join(" ", crictl("ps", "-a", "--state", "Exited", "-q")) + " | grep -q " + id
                        + "; do sleep 0.1; done");
        return ended + run(crictl("logs", id));
    }

    /** The file with the network namespace of a sandbox, as {@link #run} sees it. */
    String namespace(String sandbox) throws IOException, InterruptedException {
        return run(
                "sh",
                "-c",
                String.join(" ", crictl("inspectp", sandbox)) + " | grep -o '/[a-z/]*run/netns/[^\"]*' | head -n 1");
    }

    void kill(String sandbox) throws IOException, InterruptedException {
        String ignored = run(
                "sh",
                "-c",
                "kill -9 $(" + String.join(" ", crictl("inspectp", sandbox))
                        + " | sed -n 's/^ *\"pid\": \\([0-9]*\\),/\\1/p' | head -n 1)");
    }

    void remove(String sandbox) throws IOException, InterruptedException {
        String ignored = run(crictl("rmp", "-f", sandbox));
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        boolean ignored;
        try {
            ignored = process.destroyForcibly().waitFor(SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
