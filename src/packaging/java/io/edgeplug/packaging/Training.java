package io.edgeplug.packaging;

import io.edgeplug.lab.localkubelet.AdmissionException;
import io.edgeplug.lab.localkubelet.ContainerStartException;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.ResourceName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs the daemon for the class cache: in the runtime that is installed and told of systemd, it goes through start,
 * registering, a file that goes and returns, allocating, a kubelet's restart, a reload and an orderly stop, and leaves what it loaded (JEP 483).
 */
final class Training {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** A child JVM writes the cache after the daemon has ended. */
    private static final Duration ASSEMBLY = Duration.ofMinutes(3);

    private static final int ROUNDS = 1000;

    private static final ResourceName GOPHERS = ResourceName.parse("example.com/gopher");

    private static final List<ResourceName> RESOURCES = List.of(
            ResourceName.parse("example.com/sriov_node0"), ResourceName.parse("example.com/sriov_node1"), GOPHERS);

    private Training() {}

    /** Trains on a demo node in {@code scratch} with a JVM whose options say what it shall leave in {@code result}. */
    static void run(List<String> jvm, Path result, Path scratch) throws IOException, InterruptedException {
        Files.createDirectories(scratch);
        Path kubeletDir = Files.createTempDirectory("edgeplug-training");
        Path config = config(scratch);
        Path log = scratch.resolve("log");
        Files.writeString(log, "");
        try (SimulatedNode node = SimulatedNode.unpack(DemoNode.tree(), Files.createTempDirectory(scratch, "node"));
                LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {});
                Notified systemd = Notified.open(kubeletDir.resolveSibling(kubeletDir.getFileName() + "-notify"))) {
            node.plug(virtualMachine());
            ProcessBuilder builder = new ProcessBuilder(command(jvm, config, kubeletDir, node.root()))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile());
            builder.environment().put("NOTIFY_SOCKET", systemd.path().toString());
            builder.environment().put("WATCHDOG_USEC", "3000000");
            // what it logs, about ten lines, goes to this machine's journal, as on a node; to the log where there is
            // none
            builder.environment()
                    .put(
                            "JOURNAL_STREAM",
                            Files.getAttribute(log, "unix:dev") + ":" + Files.getAttribute(log, "unix:ino"));
            Process daemon = builder.start();
            try {
                exercise(node, kubelet, daemon);
            } finally {
                daemon.destroy();
                if (!daemon.waitFor(ASSEMBLY.toSeconds(), TimeUnit.SECONDS)) {
                    daemon.destroyForcibly();
                }
            }
            if (daemon.exitValue() != 0 || !Files.exists(result)) {
                throw new IOException(
                        "training: ended with %d and without %s, see %s".formatted(daemon.exitValue(), result, log));
            }
        } catch (AdmissionException | ContainerStartException | TimeoutException e) {
            throw new IOException("training: " + e.getMessage(), e);
        } finally {
            Image.delete(kubeletDir);
        }
    }

    /** What the demo node does not have and most nodes do: functions that are near no NUMA node, virtio, routes. */
    private static String virtualMachine() throws IOException {
        String tree = Files.readString(Path.of("src/test/machines/vm-without-numa/tree"));
        int gophers = tree.indexOf("[etc/gophers]");
        String withoutGophers = tree.substring(0, gophers) + tree.substring(tree.indexOf("\n[", gophers) + 1);
        String routes = "Iface Destination\\nenp1s0 00000000 0102A8C0 0003 0 0 100 00000000 0 0 0\\n";
        return withoutGophers + "[proc/net]\nroute = " + routes + "\n";
    }

    /** Of its own: this machine's may be somebody else's, or closed to who builds. */
    private static String directories(Path scratch) {
        return "cdi_dir = \"%s\"\ndevice_info_dir = \"%s\"\n"
                .formatted(
                        scratch.resolve("cdi").toAbsolutePath(),
                        scratch.resolve("devinfo").toAbsolutePath());
    }

    /** The installed file, and classes beside it, as a node has them. */
    private static Path config(Path scratch) throws IOException {
        Path directory = Files.createDirectories(scratch.resolve("etc/class.d"));
        try (var in = Image.class.getResourceAsStream("/io/edgeplug/cli/demo/demo.toml")) {
            Files.write(directory.resolve("demo.toml"), in.readAllBytes());
        }
        String installed = Files.readString(Path.of("etc/edgeplug.toml"));
        return Files.writeString(directory.resolveSibling("edgeplug.toml"), directories(scratch) + installed);
    }

    private static List<String> command(List<String> jvm, Path config, Path kubeletDir, Path node) {
        List<String> command = new ArrayList<>(jvm);
        command.addAll(List.of("io.edgeplug.cli.Main", "run", "--config", config.toString()));
        command.addAll(List.of("--kubelet-dir", kubeletDir.toString(), "--sysroot", node.toString()));
        return command;
    }

    private static void exercise(SimulatedNode node, LocalKubelet kubelet, Process daemon)
            throws IOException, InterruptedException, TimeoutException, AdmissionException, ContainerStartException {
        awaitAll(kubelet);
        loseAndReturn(node, kubelet);
        for (int round = 0; round < ROUNDS; round++) {
            ResourceName resource = RESOURCES.get(round % RESOURCES.size());
            kubelet.admit(PodSpec.of("pod", resource, 1));
            kubelet.remove("pod");
        }
        kubelet.restart();
        awaitAll(kubelet);
        new ProcessBuilder("kill", "-HUP", Long.toString(daemon.pid())).start().waitFor();
    }

    private static void loseAndReturn(SimulatedNode node, LocalKubelet kubelet)
            throws IOException, InterruptedException, TimeoutException {
        Path gopher = node.sysfs().locate("etc/gophers/g1");
        Files.delete(gopher);
        kubelet.await(GOPHERS, state -> state.capacity() == 1, PATIENCE);
        Files.createFile(gopher);
        kubelet.await(GOPHERS, state -> state.capacity() == 2, PATIENCE);
    }

    private static void awaitAll(LocalKubelet kubelet) throws InterruptedException, TimeoutException {
        for (ResourceName resource : RESOURCES) {
            kubelet.await(resource, state -> state.registered() && state.capacity() > 0, PATIENCE);
        }
    }
}
