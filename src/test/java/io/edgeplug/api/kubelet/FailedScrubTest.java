package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.FacePods.await;
import static io.edgeplug.api.kubelet.FacePods.awaitAll;
import static io.edgeplug.api.kubelet.FacePods.run;
import static io.edgeplug.api.kubelet.FacesNode.HOST;
import static io.edgeplug.api.kubelet.FacesNode.UIO;
import static io.edgeplug.api.kubelet.FacesNode.VFIO;
import static io.edgeplug.api.kubelet.FacesNode.acts;
import static io.edgeplug.api.kubelet.FacesNode.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.lab.localkubelet.AdmissionException;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.node.supply.Failures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A device that cannot be scrubbed after a pod, or of which nobody knows how. */
@Timeout(90)
final class FailedScrubTest extends OnFacesNode {

    private static final String OTHER = FacesNode.id(1);

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
            assertThat(daemon.view().read().failed()).containsEntry(Failures.Kind.SCRUB, 1L);

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
        assertThat(reason(after, UIO)).startsWith("is held as example.com/acc-vfio by pod pod-1");
        Files.write(checkpoint, good);
        await(kubelet, UIO, 0);
        assertThat(acts(after)).isEmpty();
    }
}
