package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.GOPHER;
import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A device belongs to the resource as which a pod has it, whatever can be seen of it meanwhile. */
@Timeout(90)
final class HeldClassTest {

    private static final ResourceName OTHER = ResourceName.parse("example.com/other");
    private static final String ETHERNET = """
            [[class]]
            resource = "%s"
            kind = "vf"
            [class.match]
            vendors = ["8086"]
            link_types = ["ether"]
            pf_names = ["ens1f0"]
            """;

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private Path kubeletDir = Path.of("");
    private LocalKubelet kubelet;

    @BeforeEach
    void open() throws Exception {
        kubeletDir = directory.resolve("device-plugins");
        kubelet = closing.add(LocalKubelet.open(kubeletDir, KubeletOptions.DEFAULTS.withRoot(directory), event -> {}));
    }

    @BeforeEach
    void giveInterfacesAType() throws Exception {
        try (SimulatedNode node = SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node"))) {
            Path functions = node.root().resolve("sys/bus/pci/devices");
            Files.writeString(functions.resolve(VF0 + "/net/ens1f0v0/type"), "1\n");
            Files.writeString(functions.resolve("0000:3b:01.1/net/ens1f0v1/type"), "1\n");
        }
    }

    private static void moveInterfaceAway(TestDaemon daemon) throws Exception {
        Path function = daemon.node.root().resolve("sys/bus/pci/devices/" + VF0).toRealPath();
        Files.move(function.resolve("net"), daemon.node.root().resolve("elsewhere"));
        daemon.node.announce("change", VF0);
    }

    private static PodSpec pod() {
        return new PodSpec(
                "pod",
                List.of(new PodSpec.Container(
                        "main",
                        new TreeMap<>(Map.of(NODE0, 1)),
                        new TreeMap<>(Map.of(NODE0, new TreeSet<>(Set.of(VF0.toString())))))));
    }

    private void awaitVfs(ResourceName resource, int count) throws Exception {
        kubelet.await(
                resource,
                state -> state.registered() && state.capacity() == count && state.allocatable() == count,
                PATIENCE);
    }

    private List<DeviceClass> classes(String toml) throws Exception {
        return ConfigFiles.read(Files.writeString(directory.resolve("other.toml"), toml))
                .classes();
    }

    @Test
    void vfWhoseInterfaceIsWithItsPodStaysInItsResourceOverARestart() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir, ETHERNET.formatted(NODE0))) {
            awaitVfs(NODE0, 2);
            kubelet.admit(pod());
            daemon.learnHolders();
            moveInterfaceAway(daemon);
            daemon.monitor.awaitScans();
            assertThat(daemon.monitor.current().devices(NODE0)).hasSize(2);
        }

        TestDaemon after = closing.add(TestDaemon.open(directory, kubeletDir, ETHERNET.formatted(NODE0)));
        awaitVfs(NODE0, 2);
        after.use(classes(ETHERNET.formatted(NODE0).replace("kind", "prefer = \"spread\"\nkind")));
        awaitVfs(NODE0, 2);

        kubelet.remove("pod");
        kubelet.await(NODE0, state -> state.capacity() == 1, PATIENCE.multipliedBy(2));
    }

    @Test
    void deviceThatAReloadGivesToAnotherClassStaysUntilItsPodHasEnded() throws Exception {
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, ETHERNET.formatted(NODE0)));
        awaitVfs(NODE0, 2);
        kubelet.admit(pod());
        daemon.learnHolders();

        daemon.use(classes(ETHERNET.formatted(OTHER)
                + ETHERNET.formatted(NODE0).replace("vendors = [\"8086\"]", "vendors = [\"15b3\"]")));

        awaitVfs(NODE0, 1);
        awaitVfs(OTHER, 1);
        kubelet.remove("pod");
        awaitVfs(OTHER, 2);
    }

    @Test
    void deviceOfAClassThatIsGoneIsNotGivenToAnotherPodAsAnotherResource() throws Exception {
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, ETHERNET.formatted(NODE0)));
        awaitVfs(NODE0, 2);
        kubelet.admit(pod());
        daemon.learnHolders();

        daemon.use(classes(ETHERNET.formatted(OTHER)));

        kubelet.await(OTHER, state -> state.capacity() == 2 && state.allocatable() == 1, PATIENCE);
        assertThat(daemon.monitor
                        .current()
                        .device(OTHER, VF0.toString())
                        .orElseThrow()
                        .health()
                        .problem())
                .hasValueSatisfying(text -> assertThat(text).startsWith("is held as " + NODE0));
        kubelet.remove("pod");
        awaitVfs(OTHER, 2);
    }

    /** Else an administrator who reads the log gives the device to something else. */
    @Test
    void podOfAClassThatIsMovedAwayIsNotSaidToHaveReleasedItsDevice() throws Exception {
        String gophers = TestDaemon.filesClass(GOPHER.toString(), "gophers");
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, ETHERNET.formatted(NODE0) + gophers));
        awaitVfs(NODE0, 2);
        kubelet.await(GOPHER, state -> state.registered() && state.allocatable() == 2, PATIENCE);
        String gopher = kubelet.admit(PodSpec.of("s1", GOPHER, 1))
                .container("main")
                .devices(GOPHER)
                .iterator()
                .next();
        kubelet.admit(pod());
        try (LogLines log = LogLines.open()) {
            daemon.learnHolders();
            log.await(gopher + ": held by ");
            log.await(VF0 + ": held by ");

            daemon.use(classes(ETHERNET.formatted(OTHER)));
            kubelet.await(OTHER, state -> state.capacity() == 2 && state.allocatable() == 1, PATIENCE);
            daemon.learnHolders();
            daemon.use(classes(ETHERNET.formatted(OTHER) + gophers));
            kubelet.await(GOPHER, state -> state.registered() && state.allocatable() == 2, PATIENCE);
            daemon.learnHolders();
            assertThat(log.with("released by")).isEmpty();

            kubelet.remove("s1");
            kubelet.remove("pod");

            assertThat(log.await(gopher + ": released by ")).hasSize(1);
            assertThat(log.await(VF0 + ": released by ")).hasSize(1);
        }
    }
}
