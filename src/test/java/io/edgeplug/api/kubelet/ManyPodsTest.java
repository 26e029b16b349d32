package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.Pod;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.model.device.ResourceName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hundreds of pods come and go at random, and forty kubelets; {@code -Dseed=N} repeats what was printed. */
@Timeout(600)
final class ManyPodsTest {

    /** The log has a line for the start and one for the end of each, and at most a thousand in a minute. */
    private static final int PODS = 400;

    private static final int RESTARTS = 40;
    private static final int VFS = 4;
    private static final ResourceName VF = ResourceName.parse("example.com/vf");

    private static final String RENAMED = ", which was logged as ";

    private static final String CLASS = """
            [[class]]
            resource = "example.com/vf"
            kind = "vf"
            [class.match]
            vendors = ["8086"]
            [class.prepare]
            driver = "vfio-pci"
            """;

    @TempDir
    private Path directory = Path.of("");

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);

    /** By ID, the pod that was given the device and has not been deleted. */
    private final Map<String, String> given = new HashMap<>();

    private final List<String> running = new ArrayList<>();
    private int admitted;

    @ParameterizedTest
    @ValueSource(ints = {36, 37})
    void everyDeviceIsFreeInTheEndAndEveryReleaseIsSeenOnce(int minor) throws Exception {
        System.out.println("1." + minor + ": -Dseed=" + seed);
        KubeletOptions options = KubeletOptions.DEFAULTS.withMinorVersion(minor).withRoot(directory);
        Path kubeletDir = directory.resolve("device-plugins");
        Files.createDirectory(directory.resolve("pods"));
        try (LogLines log = LogLines.open();
                LocalKubelet kubelet = LocalKubelet.open(kubeletDir, options, event -> {});
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir, CLASS)) {
            kubelet.await(VF, state -> state.allocatable() == VFS, PATIENCE);
            while (admitted < PODS) {
                step(kubelet);
            }
            while (!running.isEmpty()) {
                delete(kubelet);
            }
            // has the kubelet note that all before it are gone
            admit(kubelet);
            List<String> ignored = log.await(": held by default/" + running.getFirst() + " (main)");
            delete(kubelet);

            Seen.untilSo("every device is on the host's driver", () -> hostDriver(daemon) == VFS);
            Seen.untilSo(
                    "every hold is released", () -> pods(log, ": released by ").equals(pods(log, ": held by ")));
            assertThat(pods(log, ": held by ")).isNotEmpty().doesNotHaveDuplicates();
            assertThat(log.warnings()).isEmpty();
            kubelet.admit(PodSpec.of("all", VF, VFS));
        }
    }

    private void step(LocalKubelet kubelet) throws Exception {
        if (running.size() < VFS && random.nextBoolean()) {
            admit(kubelet);
            if (admitted % (PODS / RESTARTS) == 0) {
                kubelet.restart();
                kubelet.await(VF, state -> state.allocatable() == VFS, PATIENCE);
            }
        } else if (!running.isEmpty()) {
            delete(kubelet);
        }
    }

    private void admit(LocalKubelet kubelet) throws Exception {
        String name = "pod-" + admitted++;
        Pod pod = kubelet.admit(PodSpec.of(name, VF, 1));
        for (String id : pod.container("main").devices(VF)) {
            assertThat(given.put(id, name)).as("holder of " + id).isNull();
        }
        kubelet.startContainer(name, "main");
        running.add(name);
    }

    private void delete(LocalKubelet kubelet) {
        String name = running.remove(random.nextInt(running.size()));
        given.values().remove(name);
        kubelet.delete(name);
    }

    private static long hostDriver(TestDaemon daemon) {
        try (Stream<Path> bound = Files.list(daemon.node.root().resolve("sys/bus/pci/drivers/iavf"))) {
            return bound.filter(Files::isSymbolicLink)
                    .filter(link -> link.getFileName().toString().contains(":"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The device and the pod of each such line, under the name that was known last: the kubelet may tell it late. */
    private static List<String> pods(LogLines log, String event) {
        List<String> pods = new ArrayList<>();
        for (String line : log.with(event)) {
            String device = line.substring(0, line.indexOf(event)) + " ";
            String[] names =
                    line.substring(line.indexOf(event) + event.length()).split(RENAMED, -1);
            if (names.length > 1) {
                assertThat(pods.remove(device + names[1])).isTrue();
            }
            pods.add(device + names[0]);
        }
        return pods.stream().sorted().toList();
    }
}
