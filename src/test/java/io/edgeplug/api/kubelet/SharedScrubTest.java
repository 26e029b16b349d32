package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.FacePods.await;
import static io.edgeplug.api.kubelet.FacePods.run;
import static io.edgeplug.api.kubelet.FacesNode.HOST;
import static io.edgeplug.api.kubelet.FacesNode.UIO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.system.flow.Deadline;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Devices that several pods have at a time or one after the other, and what is left of those before. */
@Timeout(90)
final class SharedScrubTest extends OnFacesNode {

    private static final String RESET = ID + FacesNode.RESET;

    @BeforeEach
    void make() throws IOException {
        FacesNode.make(directory, 1);
    }

    private static List<String> resets(TestDaemon daemon) {
        return daemon.node.acts().stream().filter(RESET::equals).toList();
    }

    @Test
    void sharedDeviceIsScrubbedOnceItsLastPodHasGone() throws Exception {
        LocalKubelet kubelet = kubelet();
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, """
                [[class]]
                resource = "example.com/acc-host"
                kind = "pci"
                shares = 3
                match = { vendors = ["10ee"] }
                release = { reset = "flr" }
                """));
        await(kubelet, HOST, 3);
        try (LogLines log = LogLines.open()) {
            run(kubelet, "pod-1", HOST);
            run(kubelet, "pod-2", HOST);
            log.await("held by default/pod-1");
            kubelet.remove("pod-1");
            log.await("released by default/pod-1");
            run(kubelet, "pod-3", HOST);
            log.await("held by default/pod-2");
            kubelet.remove("pod-2");
            log.await("released by default/pod-2");
            assertThat(resets(daemon)).isEmpty();

            kubelet.remove("pod-3");

            log.await(ID + ": scrubbed in ");
            assertThat(resets(daemon)).hasSize(1);
            await(kubelet, HOST, 3);
        }
    }

    @Test
    void whatWasPreparedForThePodBeforeHelpsNobodyAfterTheScrub() throws Exception {
        LocalKubelet kubelet = kubelet();
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, """
                [[class]]
                resource = "example.com/acc-uio"
                kind = "pci"
                match = { vendors = ["10ee"] }
                prepare = { driver = "uio_pci_generic", timeout = 1 }
                release = { reset = "flr" }
                """));
        await(kubelet, UIO, 1);
        CountDownLatch goesOn = new CountDownLatch(1);
        daemon.node.interfere("sys/bus/pci/drivers/uio_pci_generic/bind", () -> Seen.awaitGoingOn(goesOn));
        kubelet.admit(PodSpec.of("pod-1", UIO, 1));
        assertThatThrownBy(() -> kubelet.startContainer("pod-1", "main")).hasMessageContaining("after 1 s");
        try (LogLines log = LogLines.open()) {
            kubelet.remove("pod-1");
            goesOn.countDown();
            log.await(ID + ": scrubbed in ");
        }
        await(kubelet, UIO, 1);

        run(kubelet, "pod-2", UIO);

        assertThat(daemon.node.sysfs().linkName("sys/bus/pci/devices/" + ID + "/driver"))
                .contains("uio_pci_generic");
    }

    /** A restarted kubelet starts a container unseen. Its pod may be the one for which that was prepared. */
    @Test
    void whatWasPreparedForThePodBeforeIsPreparedAgainForTheNext() throws Exception {
        LocalKubelet kubelet = kubelet();
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, """
                [[class]]
                resource = "example.com/acc-host"
                kind = "pci"
                match = { vendors = ["10ee"] }
                prepare = { reset = "flr", timeout = 1 }
                """));
        await(kubelet, HOST, 1);
        CountDownLatch goesOn = new CountDownLatch(1);
        daemon.node.interfere("sys/bus/pci/devices/" + ID + "/reset", () -> Seen.awaitGoingOn(goesOn));
        kubelet.admit(PodSpec.of("pod-1", HOST, 1));
        assertThatThrownBy(() -> kubelet.startContainer("pod-1", "main")).hasMessageContaining("after 1 s");
        goesOn.countDown();
        assertThat(daemon.monitor
                        .custodian()
                        .await(
                                () -> !resets(daemon).isEmpty()
                                        && daemon.monitor
                                                .custodian()
                                                .of(ID)
                                                .work()
                                                .isEmpty(),
                                Deadline.in(TestDaemon.PATIENCE)))
                .isTrue();
        kubelet.restart();
        await(kubelet, HOST, 1);
        kubelet.remove("pod-1");

        run(kubelet, "pod-2", HOST);

        assertThat(resets(daemon)).hasSize(2);
    }
}
