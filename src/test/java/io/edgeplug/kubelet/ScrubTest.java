package io.edgeplug.kubelet;

import static io.edgeplug.kubelet.FacesNode.HOST;
import static io.edgeplug.kubelet.FacesNode.UIO;
import static io.edgeplug.kubelet.FacesNode.VFIO;
import static io.edgeplug.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.config.ConfigFiles;
import io.edgeplug.device.DeviceUnavailableException;
import io.edgeplug.device.ResourceName;
import io.edgeplug.localkubelet.AdmissionException;
import io.edgeplug.localkubelet.ContainerStartException;
import io.edgeplug.localkubelet.KubeletOptions;
import io.edgeplug.localkubelet.LocalKubelet;
import io.edgeplug.localkubelet.PodSpec;
import io.edgeplug.localkubelet.ResourceState;
import io.edgeplug.rules.DeviceClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a device between two pods. */
@Timeout(90)
final class ScrubTest {

    private static final String ID = FacesNode.id(0);
    private static final String OTHER = FacesNode.id(1);
    private static final String FUNCTION = "sys/bus/pci/devices/" + ID;
    private static final String FLR = "reset = \"flr\"";

    @TempDir
    private Path directory = Path.of("");

    private final Closing closing = new Closing();
    private Path kubeletDir = Path.of("");

    @AfterEach
    void close() throws Exception {
        closing.close();
    }

    private LocalKubelet kubelet() throws IOException {
        kubeletDir = directory.resolve("device-plugins");
        return closing.add(LocalKubelet.open(kubeletDir, KubeletOptions.DEFAULTS.withRoot(directory), event -> {}));
    }

    private TestDaemon daemon(String release, int devices) throws Exception {
        FacesNode.make(directory, devices);
        return open(FacesNode.classes(release));
    }

    private TestDaemon open(String classes) throws Exception {
        return closing.add(TestDaemon.open(directory, kubeletDir, classes));
    }

    private static void await(LocalKubelet kubelet, ResourceName face, int healthy) throws Exception {
        kubelet.await(face, state -> state.registered() && state.allocatable() == healthy, PATIENCE);
    }

    private static void awaitAll(LocalKubelet kubelet, int healthy) throws Exception {
        for (ResourceName face : FacesNode.FACES) {
            await(kubelet, face, healthy);
        }
    }

    private static void run(LocalKubelet kubelet, String pod, ResourceName face) throws Exception {
        kubelet.admit(PodSpec.of(pod, face, 1));
        kubelet.startContainer(pod, "main");
    }

    /** With a device that the test has chosen. */
    private static void run(LocalKubelet kubelet, String pod, ResourceName face, String id) throws Exception {
        PodSpec.Container container = new PodSpec.Container(
                "main", new TreeMap<>(Map.of(face, 1)), new TreeMap<>(Map.of(face, new TreeSet<>(Set.of(id)))));
        kubelet.admit(new PodSpec(pod, List.of(container)));
        kubelet.startContainer(pod, "main");
    }

    private static List<String> acts(TestDaemon daemon) {
        return daemon.node.acts().stream()
                .filter(act -> !act.contains("driver_override") && !act.contains("reset_method"))
                .toList();
    }

    private String reason(TestDaemon daemon, ResourceName face) {
        return daemon.monitor
                .current()
                .device(face, ID)
                .orElseThrow()
                .health()
                .problem()
                .orElse("");
    }

    private Path note() {
        return directory.resolve("node/var/lib/edgeplug/used").resolve(ID + ".used");
    }

    @Test
    void deviceIsHeldAsOneOfItsFacesAndScrubbedBeforeAllOfThemAreOfferedAgain() throws Exception {
        LocalKubelet kubelet = kubelet();
        TestDaemon daemon = daemon(FLR, 1);
        awaitAll(kubelet, 1);
        CountDownLatch scrubbed = new CountDownLatch(1);
        daemon.node.interfere(FUNCTION + "/reset", () -> Seen.awaitGoingOn(scrubbed));

        run(kubelet, "pod-1", VFIO);
        await(kubelet, UIO, 0);
        await(kubelet, HOST, 0);
        assertThat(kubelet.resource(VFIO).allocatable()).isEqualTo(1);
        assertThat(reason(daemon, UIO)).startsWith("is held as example.com/acc-vfio by ");
        assertThat(note()).content().contains("example.com/acc-vfio", "pod-1");

        kubelet.remove("pod-1");
        await(kubelet, VFIO, 0);
        Seen.untilSo("a scrub", () -> reason(daemon, HOST).startsWith("is being scrubbed since "));
        assertThatThrownBy(() -> daemon.monitor.handOver(HOST, Set.of(ID)))
                .isInstanceOf(DeviceUnavailableException.class)
                .hasMessageContaining("is being scrubbed since");

        scrubbed.countDown();
        awaitAll(kubelet, 1);
        assertThat(note()).doesNotExist();
        assertThat(acts(daemon))
                .containsExactly(
                        ID + " unbound from acc",
                        ID + " bound to vfio-pci",
                        ID + " reset by flr",
                        ID + " unbound from vfio-pci",
                        ID + " bound to acc");
        run(kubelet, "pod-2", HOST);
        await(kubelet, VFIO, 0);
    }

    @Test
    void startOfTheNextContainerWaitsForAScrubThatIsUnderWay() throws Exception {
        LocalKubelet kubelet = kubelet();
        TestDaemon daemon = daemon(FLR, 1);
        awaitAll(kubelet, 1);
        run(kubelet, "pod-1", HOST);
        CountDownLatch scrubbed = new CountDownLatch(1);
        AtomicInteger scrubs = new AtomicInteger();
        daemon.node.interfere(FUNCTION + "/reset", () -> {
            scrubs.incrementAndGet();
            Seen.awaitGoingOn(scrubbed);
        });

        kubelet.remove("pod-1");
        kubelet.admit(PodSpec.of("pod-2", HOST, 1));
        CompletableFuture<Void> start = CompletableFuture.runAsync(() -> {
            try {
                kubelet.startContainer("pod-2", "main");
            } catch (ContainerStartException e) {
                throw new AssertionError(e);
            }
        });
        Seen.untilSo("a scrub", () -> scrubs.get() == 1);
        assertThat(start).isNotDone();
        scrubbed.countDown();

        assertThat(start).succeedsWithin(PATIENCE);
        assertThat(scrubs).hasValue(1);
        assertThat(note()).content().contains("pod-2").doesNotContain("pod-1");
        await(kubelet, VFIO, 0);
    }

    @Test
    void nextContainerOfTheSamePodGetsItsDeviceAsItIs() throws Exception {
        LocalKubelet kubelet = kubelet();
        TestDaemon daemon = daemon(FLR, 1);
        awaitAll(kubelet, 1);
        run(kubelet, "pod-1", HOST);

        kubelet.startContainer("pod-1", "main");

        assertThat(acts(daemon)).isEmpty();
    }

    @Test
    void deviceThatCannotBeScrubbedIsNotOfferedUntilItCan() throws Exception {
        LocalKubelet kubelet = kubelet();
        TestDaemon daemon = daemon(FLR, 2);
        awaitAll(kubelet, 2);
        AtomicInteger tries = new AtomicInteger();
        daemon.node.interfere(FUNCTION + "/reset", () -> {
            if (tries.incrementAndGet() == 1) {
                throw new IOException("Input/output error");
            }
        });
        try (LogLines log = LogLines.open()) {
            run(kubelet, "pod-1", HOST, ID);
            run(kubelet, "pod-2", HOST, OTHER);
            kubelet.remove("pod-1");
            kubelet.remove("pod-2");

            log.await(ID + ": could not be scrubbed: reset: write reset: Input/output error; it is not offered");
            Seen.untilSo(
                    "a reason",
                    () -> reason(daemon, HOST).equals("could not be scrubbed: reset: write reset: Input/output error"));
            awaitAll(kubelet, 1);

            awaitAll(kubelet, 2);
            assertThat(tries).hasValue(2);
            log.await(ID + ": scrubbed in ");
        }
    }

    @Test
    void scrubThatNeverEndsLeavesOtherDevicesAlone() throws Exception {
        LocalKubelet kubelet = kubelet();
        TestDaemon daemon = daemon(FLR + "\ntimeout = 1", 3);
        awaitAll(kubelet, 3);
        CountDownLatch never = new CountDownLatch(1);
        daemon.node.interfere(FUNCTION + "/reset", () -> Seen.awaitGoingOn(never));
        try (LogLines log = LogLines.open()) {
            for (int i = 0; i < 3; i++) {
                run(kubelet, "pod-" + (i + 1), UIO, FacesNode.id(i));
            }
            for (String pod : List.of("pod-1", "pod-2", "pod-3")) {
                kubelet.remove(pod);
            }
            log.await(ID + ": is being scrubbed since ");
            assertThat(log.warnings()).anyMatch(line -> line.contains("reset has not returned since"));
            awaitAll(kubelet, 2);
            run(kubelet, "pod-4", HOST);
            run(kubelet, "pod-5", VFIO);
            assertThatThrownBy(() -> kubelet.admit(PodSpec.of("pod-6", VFIO, 1)))
                    .isInstanceOf(AdmissionException.class);
        } finally {
            never.countDown();
        }
        await(kubelet, HOST, 2);
    }

    @Test
    void daemonThatWasAwayWhenThePodEndedScrubsBeforeItOffersTheDevice() throws Exception {
        LocalKubelet kubelet = kubelet();
        TestDaemon before = daemon(FLR, 2);
        awaitAll(kubelet, 2);
        run(kubelet, "pod-1", VFIO, ID);
        run(kubelet, "pod-2", VFIO, OTHER);
        before.close();
        kubelet.remove("pod-1");

        TestDaemon after = open(FacesNode.classes(FLR));

        awaitAll(kubelet, 1);
        await(kubelet, VFIO, 2);
        assertThat(acts(after)).contains(ID + " reset by flr").doesNotContain(OTHER + " reset by flr");
        assertThat(after.monitor
                        .current()
                        .device(HOST, OTHER)
                        .orElseThrow()
                        .health()
                        .problem())
                .hasValueSatisfying(text -> assertThat(text).startsWith("is held as example.com/acc-vfio"));
    }

    @Test
    void faceThatAReloadAddsToAHeldDeviceIsNotOffered() throws Exception {
        LocalKubelet kubelet = kubelet();
        FacesNode.make(directory, 1);
        String plain = """
                [[class]]
                resource = "example.com/acc-host"
                kind = "pci"
                match = { vendors = ["10ee"] }
                """;
        TestDaemon daemon = open(plain);
        await(kubelet, HOST, 1);
        run(kubelet, "pod-1", HOST);
        List<DeviceClass> faces = ConfigFiles.read(
                        Files.writeString(directory.resolve("faces.toml"), FacesNode.classes(FLR)))
                .classes();

        daemon.use(faces);

        kubelet.await(VFIO, ResourceState::registered, PATIENCE);
        assertThatThrownBy(() -> daemon.monitor.handOver(VFIO, Set.of(ID)))
                .hasMessageContaining("is held as example.com/acc-host");
        assertThat(kubelet.resource(VFIO).allocatable()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "garbage",
                "",
                "resource=example.com/old\nkubelet_dir=/nowhere\n",
                "resource=example.com/acc-host\nkubelet_dir=/\\u0000\n",
                // of another card, which was in this slot before
                "resource=example.com/acc-host\nkubelet_dir=/nowhere\nidentity=8086 class 01\n"
            })
    void deviceOfWhichNobodyKnowsHowToScrubItIsKeptAndThatIsTold(String note) throws Exception {
        LocalKubelet kubelet = kubelet();
        FacesNode.make(directory, 2);
        Files.createDirectories(note().getParent());
        Files.writeString(note(), note);
        try (LogLines log = LogLines.open()) {
            TestDaemon daemon = open(FacesNode.classes(FLR));

            awaitAll(kubelet, 1);

            log.await(ID + ": is not offered: ");
            assertThat(log.warnings()).singleElement().asString().contains("run: edgeplug prepare --release " + ID);
            Files.delete(note());
            awaitAll(kubelet, 2);
            assertThat(acts(daemon)).isEmpty();
        }
    }

    @Test
    void checkpointThatCannotBeReadLeavesTheFaceOfTheLastUseAsItIs() throws Exception {
        LocalKubelet kubelet = kubelet();
        TestDaemon before = daemon(FLR, 1);
        awaitAll(kubelet, 1);
        run(kubelet, "pod-1", VFIO);
        before.close();
        Path checkpoint = kubeletDir.resolve("kubelet_internal_checkpoint");
        byte[] good = Files.readAllBytes(checkpoint);
        Files.writeString(checkpoint, "garbage");

        TestDaemon after = open(FacesNode.classes(FLR));

        assertThat(after.monitor
                        .current()
                        .device(VFIO, ID)
                        .orElseThrow()
                        .health()
                        .isHealthy())
                .isTrue();
        assertThat(reason(after, UIO)).startsWith("is held as example.com/acc-vfio by a pod");
        Files.write(checkpoint, good);
        await(kubelet, UIO, 0);
        assertThat(acts(after)).isEmpty();
    }
}
