package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.FacePods.await;
import static io.edgeplug.api.kubelet.FacePods.awaitAll;
import static io.edgeplug.api.kubelet.FacePods.run;
import static io.edgeplug.api.kubelet.FacesNode.HOST;
import static io.edgeplug.api.kubelet.FacesNode.UIO;
import static io.edgeplug.api.kubelet.FacesNode.VFIO;
import static io.edgeplug.api.kubelet.FacesNode.acts;
import static io.edgeplug.api.kubelet.FacesNode.reason;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.lab.localkubelet.ContainerStartException;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.rules.DeviceClass;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a device between two pods. */
@Timeout(90)
final class ScrubTest extends OnFacesNode {

    private static final String OTHER = FacesNode.id(1);

    /** A class to which it does not matter what a pod leaves. */
    private static final String PLAIN = """
            [[class]]
            resource = "example.com/acc-host"
            kind = "pci"
            match = { vendors = ["10ee"] }
            """;

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
        assertThatThrownBy(() -> daemon.monitor.publication().handOver(HOST, Set.of(ID), Set.of(ID)))
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
        TestDaemon daemon = open(PLAIN);
        await(kubelet, HOST, 1);
        run(kubelet, "pod-1", HOST);
        List<DeviceClass> faces = ConfigFiles.read(
                        Files.writeString(directory.resolve("faces.toml"), FacesNode.classes(FLR)))
                .classes();

        daemon.use(faces);

        kubelet.await(VFIO, ResourceState::registered, PATIENCE);
        assertThatThrownBy(() -> daemon.monitor.publication().handOver(VFIO, Set.of(ID), Set.of(ID)))
                .hasMessageContaining("is held as example.com/acc-host");
        assertThat(kubelet.resource(VFIO).allocatable()).isZero();
    }

    @Test
    void deviceOfAContainerThatStartedBeforeItsClassAskedForAScrubIsScrubbedToo() throws Exception {
        LocalKubelet kubelet = kubelet();
        FacesNode.make(directory, 1);
        TestDaemon daemon = open(PLAIN);
        await(kubelet, HOST, 1);
        run(kubelet, "pod-1", HOST);
        // as the kubelet does when it starts a container
        Files.createDirectories(directory.resolve("pods/pod-1/containers/main"));
        List<DeviceClass> scrubbed = ConfigFiles.read(
                        Files.writeString(directory.resolve("scrubbed.toml"), PLAIN + "release = { reset = \"flr\" }"))
                .classes();

        daemon.use(scrubbed);

        Seen.untilSo("a note", () -> Files.exists(note()));
        assertThat(note()).content().contains("pod-1");
        kubelet.remove("pod-1");
        Seen.untilSo("a scrub", () -> acts(daemon).contains(ID + " reset by flr"));
        await(kubelet, HOST, 1);
    }
}
