package io.edgeplug.api.kubelet;

import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The local kubelet in a process of its own, which finds plugins in {@code plugins_registry} and can be killed. */
final class KubeletProcess implements AutoCloseable {

    private final Process process;

    private KubeletProcess(Process process) {
        this.process = process;
    }

    /**
     * What runs in the process; prints a line when all resources are registered.
     *
     * @param args the kubelet's directory, its registry, and how many resources of how many devices there are
     */
    public static void main(String[] args) throws Exception {
        KubeletOptions options = KubeletOptions.DEFAULTS.withPluginsRegistry(Path.of(args[1]));
        LocalKubelet kubelet = LocalKubelet.open(Path.of(args[0]), options, event -> {});
        kubelet.await(
                states -> TestDaemon.allHave(Integer.parseInt(args[3]), Integer.parseInt(args[2]), states),
                TestDaemon.PATIENCE);
        System.out.println("registered");
        new CountDownLatch(1).await();
    }

    /** Starts it, and waits until that many resources are registered with that many devices each. */
    static KubeletProcess start(Path kubeletDir, Path registry, int resources, int devices) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        KubeletProcess.class.getName(),
                        kubeletDir.toString(),
                        registry.toString(),
                        String.valueOf(resources),
                        String.valueOf(devices))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        KubeletProcess kubelet = new KubeletProcess(process);
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        if (!"registered".equals(out.readLine())) {
            throw new AssertionError("the kubelet's process has ended before all was registered");
        }
        return kubelet;
    }

    /** Kills it, and waits until it has ended. */
    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(TestDaemon.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("still runs: " + process);
        }
    }
}
