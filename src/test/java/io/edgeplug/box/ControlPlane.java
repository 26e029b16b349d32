package io.edgeplug.box;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A cluster without nodes, on this machine's loopback: etcd, API server, scheduler and controllers. It ends with this
 * process, however that ends.
 */
final class ControlPlane implements AutoCloseable {

    private static final String SCRIPT = "src/test/cluster/control-plane";
    private static final Duration READY_WITHIN = Duration.ofMinutes(3);

    private final Process process;
    private final Path directory;
    private final ClusterApi api;

    private ControlPlane(Process process, Path directory, ClusterApi api) {
        this.process = process;
        this.directory = directory;
        this.api = api;
    }

    /** Why this machine can have no control plane; empty if it can. */
    static Optional<String> missing() {
        return List.of("openssl openssl", "curl curl", "go golang-go").stream()
                .map(line -> line.split(" "))
                .filter(words -> !Box.isInstalled(words[0]))
                .map(words -> words[0] + " is missing: apt-get install " + words[1])
                .findFirst();
    }

    /** Starts one, and waits until its API server is ready. Its programs are built first if need be. */
    static ControlPlane start(Release release) throws IOException, InterruptedException, TimeoutException {
        Path programs = Path.of(Release.print("src/test/kubelets/build", "--cluster", release.minor()))
                .resolveSibling("");
        Path directory = Files.createTempDirectory("cluster");
        int port = freePort();
        Process process = new ProcessBuilder(
                        SCRIPT, directory.toString(), programs.toString(), "" + port, "" + freePort())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            BufferedReader reader = process.inputReader();
            String line =
                    CompletableFuture.supplyAsync(() -> line(reader)).get(READY_WITHIN.toSeconds(), TimeUnit.SECONDS);
            if (!"ready".equals(line)) {
                throw new IOException("the control plane says " + line);
            }
            return new ControlPlane(process, directory, new ClusterApi(port, directory.resolve("kubernetes/pki")));
        } catch (ExecutionException | IOException | TimeoutException e) {
            process.getOutputStream().close();
            throw new IOException("the control plane did not start, see " + directory, e);
        }
    }

    private static String line(BufferedReader reader) {
        try {
            return reader.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    ClusterApi api() {
        return api;
    }

    /** What its node needs in /etc/kubernetes. */
    Path identities() {
        return directory.resolve("kubernetes");
    }

    /** What its programs have logged, a file for each. */
    Path logs() {
        return directory.resolve("log");
    }

    /** Ends its programs. */
    @Override
    public void close() throws IOException {
        api.close();
        process.getOutputStream().close();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                throw new IOException("the control plane does not end, see " + directory);
            }
            new ProcessBuilder("rm", "-rf", "--one-file-system", directory.toString())
                    .start()
                    .waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
