package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.lab.localkubelet.AdmissionException;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.model.device.Health;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sticks that are pulled and plugged while pods have them: nobody gets the node of another stick. */
@Timeout(20)
final class ReplugTest extends OnSticks {

    @Test
    void sticksThatHaveSwappedTheirNodesAreUnhealthyUntilTheirPodsEndAndNoneStartsAgainWithTheOther() throws Exception {
        TestDaemon daemon = open("");
        runBoth();

        swap();

        awaitUnhealthy(daemon, ZIGBEE, "is /dev/ttyUSB1 now, and its pod was given /dev/ttyUSB0");
        awaitUnhealthy(daemon, ZWAVE, "is /dev/ttyUSB0 now, and its pod was given /dev/ttyUSB1");
        assertThat(refusal("heating"))
                .contains("Device usb-zwave-1 of example.com/zwave is unhealthy: it "
                        + "is /dev/ttyUSB0 now, and its pod was given /dev/ttyUSB1");
        assertThat(refusal("house")).contains("its pod was given /dev/ttyUSB0");

        kubelet.remove("house");
        kubelet.remove("heating");
        awaitHealthy(ZIGBEE);
        awaitHealthy(ZWAVE);
        run("house2", ZIGBEE);
    }

    @Test
    void sticksThatSwapBackAreHealthyAgain() throws Exception {
        TestDaemon daemon = open("");
        runBoth();
        swap();
        awaitUnhealthy(daemon, ZIGBEE, "is /dev/ttyUSB1 now, and its pod was given /dev/ttyUSB0");

        pull("zwave", "ttyUSB0");
        pull("zigbee", "ttyUSB1");
        plug("zigbee", "ttyUSB0");
        plug("zwave", "ttyUSB1");

        awaitHealthy(ZIGBEE);
        awaitHealthy(ZWAVE);
        kubelet.startContainer("house", "main");
    }

    @Test
    void stickThatComesBackAsTheNodeThatItWasIsHealthyAndItsContainerStarts() throws Exception {
        TestDaemon daemon = open("");
        run("house", ZIGBEE);
        pull("zigbee", "ttyUSB0");
        awaitUnhealthy(daemon, ZIGBEE, Health.GONE.problem().orElseThrow());
        assertThat(refusal("house")).contains("is gone");

        plug("zigbee", "ttyUSB0");
        awaitHealthy(ZIGBEE);

        kubelet.startContainer("house", "main");
    }

    @Test
    void nodeThatAPodWasGivenIsNotGivenToAnotherPodAsAnotherStick() throws Exception {
        TestDaemon daemon = open("");
        run("house", ZIGBEE);
        pull("zigbee", "ttyUSB0");
        pull("zwave", "ttyUSB1");

        plug("zwave", "ttyUSB0");

        awaitUnhealthy(daemon, ZWAVE, "is /dev/ttyUSB0 now, which a pod was given as usb-zigbee-1");
        assertThatThrownBy(() -> kubelet.admit(PodSpec.of("heating", ZWAVE, 1))).isInstanceOf(AdmissionException.class);
        kubelet.remove("house");
        awaitHealthy(ZWAVE);
        run("heating2", ZWAVE);
    }

    @Test
    void swapIsFoundByADaemonThatDidNotRunMeanwhile() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir, classes(""))) {
            awaitHealthy(ZIGBEE);
            awaitHealthy(ZWAVE);
            runBoth();
            daemon.learnHolders();
        }
        swap();

        TestDaemon daemon = open("");

        awaitUnhealthy(daemon, ZWAVE, "is /dev/ttyUSB0 now, and its pod was given /dev/ttyUSB1");
        assertThat(refusal("heating")).contains("is /dev/ttyUSB0 now");
        kubelet.remove("house");
        kubelet.remove("heating");
        awaitHealthy(ZIGBEE);
        awaitHealthy(ZWAVE);
        assertThat(directory.resolve("node/var/lib/edgeplug/nodes"))
                .satisfiesAnyOf(
                        notes -> assertThat(notes).doesNotExist(),
                        notes -> assertThat(notes).isEmptyDirectory());
    }

    @Test
    void noteThatCannotBeReadHidesNoOther() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir, classes(""))) {
            awaitHealthy(ZIGBEE);
            awaitHealthy(ZWAVE);
            runBoth();
            daemon.learnHolders();
        }
        Path notes = directory.resolve("node/var/lib/edgeplug/nodes");
        Files.write(notes.resolve("usb-zigbee-1.nodes"), new byte[70_000]);
        swap();

        TestDaemon daemon = open("");

        awaitUnhealthy(daemon, ZWAVE, "is /dev/ttyUSB0 now, and its pod was given /dev/ttyUSB1");
    }

    @Test
    void startIsRefusedAlsoBeforeTheSwapIsListed() throws Exception {
        open("");
        runBoth();
        pull("zigbee", "ttyUSB0");
        pull("zwave", "ttyUSB1");
        plug("zwave", "ttyUSB0");
        plug("zigbee", "ttyUSB1");

        assertThat(refusal("heating")).contains("Device usb-zwave-1 of example.com/zwave");
    }

    @Test
    void specificationNamesNoNodeOfAnotherStick() throws Exception {
        TestDaemon daemon = open("hand_over = \"cdi\"");
        run("house", ZIGBEE);
        Path specification = directory.resolve("cdi");
        assertThat(specifications(specification)).contains("/dev/ttyUSB0", "/dev/ttyUSB1");

        swap();
        awaitUnhealthy(daemon, ZIGBEE, "is /dev/ttyUSB1 now, and its pod was given /dev/ttyUSB0");
        awaitUnhealthy(daemon, ZWAVE, "is /dev/ttyUSB0 now, which a pod was given as usb-zigbee-1");
        daemon.lookAtFilesNow();

        assertThat(specifications(specification)).doesNotContain("/dev/ttyUSB");
        kubelet.remove("house");
        awaitHealthy(ZIGBEE);
        awaitHealthy(ZWAVE);
        daemon.lookAtFilesNow();
        assertThat(specifications(specification)).contains("/dev/ttyUSB0", "/dev/ttyUSB1");
    }

    private static String specifications(Path cdi) throws IOException {
        StringBuilder all = new StringBuilder();
        try (var files = Files.list(cdi)) {
            for (Path file : files.toList()) {
                all.append(Files.readString(file));
            }
        }
        return all.toString();
    }
}
