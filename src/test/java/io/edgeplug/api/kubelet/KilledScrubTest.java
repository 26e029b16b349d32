package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.ResourceName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A daemon that is killed in the middle of a scrub, in earnest: a process, SIGKILL, and another process. */
@Timeout(120)
final class KilledScrubTest {

    private static final String ID = FacesNode.id(0);
    private static final String FUNCTION = "sys/bus/pci/devices/" + ID;
    private static final String DRIVERS = "sys/bus/pci/drivers/";
    private static final String METHODS = "pm flr";

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    /** What the kubelet was told since a daemon was killed last. */
    private final List<Offer> offers = new CopyOnWriteArrayList<>();

    private Path kubeletDir = Path.of("");

    /**
     * A list that the kubelet was told.
     *
     * @param state of the device as the list came; empty if none of its devices is healthy
     */
    private record Offer(ResourceName face, String state) {}

    /** Where in the scrub the daemon is killed: at the write to an attribute that hangs, or while the command runs. */
    enum Place {
        BEFORE_THE_FIRST_CHANGE(FUNCTION + "/reset_method", "vfio-pci"),
        RESET(FUNCTION + "/reset", "vfio-pci"),
        COMMAND("", "vfio-pci"),
        UNBINDING(DRIVERS + "vfio-pci/unbind", "vfio-pci"),
        BINDING(DRIVERS + "acc/bind", "none");

        private final String hanging;
        private final String driver;

        Place(String hanging, String driver) {
            this.hanging = hanging;
            this.driver = driver;
        }
    }

    @BeforeEach
    void unpack() throws IOException {
        kubeletDir = directory.resolve("device-plugins");
        FacesNode.make(directory, 1);
        node().write(FUNCTION + "/reset_method", METHODS);
    }

    /** The command notes its begin and its end, and goes on until a file is there. */
    private String classes() {
        return FacesNode.classes("""
                reset = "flr"
                command = ["/bin/sh", "-c", "cd %s; echo begin >> log; until test -e go; do sleep 0.02; done; echo end >> log"]
                command_timeout = 60
                """.formatted(directory));
    }

    private DaemonProcess start(String... hanging) throws Exception {
        return closing.add(DaemonProcess.start(directory, kubeletDir, classes(), hanging));
    }

    private LocalKubelet kubelet() throws IOException {
        return closing.add(LocalKubelet.open(kubeletDir, KubeletOptions.DEFAULTS.withRoot(directory), event -> {
            if (event instanceof KubeletEvent.DeviceList list) {
                boolean isOffered = list.devices().getFirst().healthy();
                offers.add(new Offer(list.resource(), isOffered ? state() : ""));
            }
        }));
    }

    private static void awaitAllOffered(LocalKubelet kubelet) throws Exception {
        for (ResourceName face : FacesNode.FACES) {
            kubelet.await(face, state -> state.registered() && state.allocatable() == 1, PATIENCE);
        }
    }

    private SimulatedNode node() throws IOException {
        return closing.add(SimulatedNode.unpack("", directory.resolve("node")));
    }

    private Path go() {
        return directory.resolve("go");
    }

    private Path note() {
        return directory.resolve("node/var/lib/edgeplug/used").resolve(ID + ".used");
    }

    private List<String> log() throws IOException {
        Path log = directory.resolve("log");
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    private String driver() throws IOException {
        Path driver = directory.resolve("node").resolve(FUNCTION).resolve("driver");
        return Files.exists(driver) ? driver.toRealPath().getFileName().toString() : "none";
    }

    /** What the next pod would find. */
    private String state() {
        try {
            return driver() + (Files.exists(note()) ? ", not scrubbed" : ", scrubbed");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void nextDaemonFinishesTheScrubBeforeItOffersTheDevice(Place place) throws Exception {
        LocalKubelet kubelet = kubelet();
        useAndKill(kubelet, place);
        assertThat(driver()).isEqualTo(place.driver);
        assertThat(note()).content().contains("released");
        List<String> before = log();

        DaemonProcess next = start();
        awaitFirstLists();
        if (place == Place.COMMAND) {
            Seen.untilSo("a wait", () -> next.logged("still runs, started by a process that was killed") == 1);
            assertThat(log()).isEqualTo(before);
        } else {
            awaitLog(Stream.concat(before.stream(), Stream.of("begin")).toList());
        }
        assertThat(offers).extracting(Offer::state).containsOnly("");
        assertThat(note()).exists();

        Files.createFile(go());
        awaitAllOffered(kubelet);
        assertThat(offers).extracting(Offer::state).containsOnly("", "acc, scrubbed");
        assertAsBefore();
        assertThat(log()).hasSize(before.isEmpty() ? 2 : 4).endsWith("begin", "end");
        run(kubelet, "next", FacesNode.UIO);
        assertThat(driver()).isEqualTo("uio_pci_generic");
    }

    private static void run(LocalKubelet kubelet, String pod, ResourceName face) throws Exception {
        kubelet.admit(PodSpec.of(pod, face, 1));
        kubelet.startContainer(pod, "main");
    }

    /** Has a pod use the device, and kills the daemon at that place once the pod has gone; then the command may not end. */
    private void useAndKill(LocalKubelet kubelet, Place place) throws Exception {
        DaemonProcess daemon = place == Place.COMMAND ? start() : start(place.hanging);
        awaitAllOffered(kubelet);
        if (place == Place.UNBINDING || place == Place.BINDING) {
            Files.createFile(go());
        }
        run(kubelet, "pod", FacesNode.VFIO);
        assertThat(driver()).isEqualTo("vfio-pci");

        kubelet.remove("pod");
        if (place == Place.COMMAND) {
            awaitLog(List.of("begin"));
        } else {
            daemon.awaitHanging();
        }
        daemon.kill();
        for (ResourceName face : FacesNode.FACES) {
            kubelet.await(face, state -> state.allocatable() == 0, PATIENCE);
        }
        offers.clear();
        Files.deleteIfExists(go());
    }

    private void awaitFirstLists() {
        for (ResourceName face : FacesNode.FACES) {
            Seen.untilSo(
                    "a list of " + face,
                    () -> offers.stream().anyMatch(offer -> offer.face().equals(face)));
        }
    }

    private void awaitLog(List<String> lines) throws IOException {
        Seen.untilSo("the log is as awaited", () -> log().equals(lines));
    }

    private void assertAsBefore() throws IOException {
        assertThat(state()).isEqualTo("acc, scrubbed");
        assertThat(node().sysfs().read(FUNCTION + "/driver_override")).hasValue("(null)");
        assertThat(node().sysfs().read(FUNCTION + "/reset_method")).hasValue(METHODS);
        for (String notes : List.of("prepare", "rebound", "command")) {
            assertThat(directory.resolve("node/run/edgeplug").resolve(notes)).isEmptyDirectory();
        }
    }
}
