package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.GOPHER;
import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.api.status.NodeStatus.DeviceState;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.node.supply.DaemonBeside;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A device gets the driver back that a recipe took from it, once no container holds it. */
@Timeout(90)
final class DriverGivenBackTest {

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private Served served(String lines) throws Exception {
        return Served.open(closing, directory, lines);
    }

    @Test
    void driverIsGivenBackOnceNoContainerHoldsTheDevice() throws Exception {
        Served served = served("driver = \"vfio-pci\"");
        Path driver = served.daemon().node.root().resolve("sys/bus/pci/drivers/iavf/" + VF0);
        served.kubelet().admit(PodSpec.of("pod", NODE0, 1));
        served.kubelet().startContainer("pod", "main");
        served.kubelet().admit(PodSpec.of("other", GOPHER, 1));
        served.kubelet().startContainer("pod", "main");
        assertThat(driver).doesNotExist();

        try (LogLines log = LogLines.open()) {
            served.kubelet().remove("pod");
            log.await(VF0 + ": returned to its host driver iavf");
        }

        assertThat(served.daemon().node.acts())
                .containsExactly(
                        VF0 + " unbound from iavf",
                        VF0 + " bound to vfio-pci",
                        VF0 + " unbound from vfio-pci",
                        VF0 + " bound to iavf");
        assertThat(served.daemon().node.sysfs().read("sys/bus/pci/devices/" + VF0 + "/driver_override"))
                .contains("(null)");
        assertThat(served.kubelet().resource(NODE0).allocatable()).isEqualTo(1);
        served.kubelet().admit(PodSpec.of("next", NODE0, 1));
        served.kubelet().startContainer("next", "main");
        assertThat(served.daemon().node.acts()).endsWith(VF0 + " bound to vfio-pci");
    }

    @Test
    void driverThatCannotBeGivenBackStaysAndIsToldOnce() throws Exception {
        Served served = served("driver = \"vfio-pci\"");
        served.kubelet().admit(PodSpec.of("pod", NODE0, 1));
        served.kubelet().startContainer("pod", "main");
        served.daemon().node.interfere("sys/bus/pci/drivers/iavf/bind", () -> {
            throw new IOException("Cannot allocate memory");
        });

        try (LogLines log = LogLines.open()) {
            served.kubelet().remove("pod");
            log.await(VF0 + ": cannot return to its host driver: write bind: Cannot allocate memory");
            served.kubelet().admit(PodSpec.of("other", GOPHER, 1));
            served.kubelet().admit(PodSpec.of("next", NODE0, 1));
            served.kubelet().startContainer("next", "main");
            assertThat(log.with("cannot return to its host driver")).hasSize(1);
        }
        assertThat(served.daemon().node.acts()).endsWith(VF0 + " unbound from vfio-pci", VF0 + " bound to vfio-pci");
    }

    /** The kernel unbinds vfio-pci only when no process has the device open. */
    @Test
    void driverThatTheKernelDoesNotLetGoOfCostsTheDeviceUntilItDoes() throws Exception {
        Served served = served("driver = \"vfio-pci\"\ntimeout = 1");
        served.kubelet().admit(PodSpec.of("pod", NODE0, 1));
        served.kubelet().startContainer("pod", "main");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        served.daemon().node.interfere("sys/bus/pci/drivers/vfio-pci/unbind", () -> {
            begun.countDown();
            Seen.awaitGoingOn(closed);
        });

        served.kubelet().remove("pod");
        Seen.awaitGoingOn(begun);
        assertThat(served.daemon().view().read().resources()).allMatch(one -> one.count(DeviceState.PREPARING) == 0);
        served.kubelet().admit(PodSpec.of("next", NODE0, 1));
        assertThatThrownBy(() -> served.kubelet().startContainer("next", "main"))
                .hasMessageContaining("it waits for the preparation of another device, or for another process");
        served.awaitHealth(false);
        closed.countDown();
        served.kubelet().startContainer("next", "main");

        served.awaitHealth(true);
        assertThat(served.daemon().node.acts())
                .endsWith(VF0 + " bound to iavf", VF0 + " unbound from iavf", VF0 + " bound to vfio-pci");
    }

    /** As one that is tried out beside the node's own. */
    @Test
    void driverStaysWhenTheDaemonOfAnotherKubeletFindsNothingHeld() throws Exception {
        Served served = served("driver = \"vfio-pci\"");
        served.kubelet().admit(PodSpec.of("pod", NODE0, 1));
        served.kubelet().startContainer("pod", "main");
        Path other = Files.createDirectory(directory.resolve("other"));
        Files.writeString(
                other.resolve(HeldDevices.FILE),
                "{\"Data\":{\"PodDeviceEntries\":null,\"RegisteredDevices\":{}},\"Checksum\":1}");

        DaemonBeside.returnDrivers(served.daemon(), other);
        served.kubelet().startContainer("pod", "main");

        assertThat(served.daemon().node.acts()).containsExactly(VF0 + " unbound from iavf", VF0 + " bound to vfio-pci");
    }

    /** As one by hand leaves it, that is killed while this daemon runs. */
    @Test
    void functionIsPutBackThatAKilledPreparationLeft() throws Exception {
        Served served = served("reset = \"flr\"");
        Path root = served.daemon().node.root();
        Path note =
                Files.createDirectories(root.resolve("run/edgeplug/prepare")).resolve(VF0.toString());
        Files.writeString(note, "driver=iavf\n");
        served.daemon().node.sysfs().write("sys/bus/pci/devices/" + VF0 + "/driver/unbind", VF0.toString());

        try (LogLines log = LogLines.open()) {
            served.kubelet().admit(PodSpec.of("other", GOPHER, 1));
            log.await(VF0 + ": restored to its state before a killed preparation");
        }

        assertThat(note).doesNotExist();
        assertThat(served.daemon().node.acts()).containsExactly(VF0 + " unbound from iavf", VF0 + " bound to iavf");
    }

    /** Its result is kept for the kubelet that may ask again. */
    @Test
    void deviceIsPreparedAnewAfterItsDriverWasGivenBackThoughNobodyTookTheLastResult() throws Exception {
        Served served = served("driver = \"vfio-pci\"\ntimeout = 1");
        CountDownLatch goesOn = new CountDownLatch(1);
        served.daemon().node.interfere("sys/bus/pci/drivers/vfio-pci/bind", () -> Seen.awaitGoingOn(goesOn));
        served.kubelet().admit(PodSpec.of("pod", NODE0, 1));
        assertThatThrownBy(() -> served.kubelet().startContainer("pod", "main")).hasMessageContaining("after 1 s");

        try (LogLines log = LogLines.open()) {
            goesOn.countDown();
            log.await(VF0 + ": prepared in ");
            served.kubelet().remove("pod");
            log.await(VF0 + ": returned to its host driver iavf");
        }
        served.awaitHealth(true);
        served.kubelet().admit(PodSpec.of("next", NODE0, 1));
        served.kubelet().startContainer("next", "main");

        assertThat(served.daemon().node.acts())
                .endsWith(VF0 + " bound to iavf", VF0 + " unbound from iavf", VF0 + " bound to vfio-pci");
    }

    @Test
    void driverStaysWhereNothingTellsWhoHoldsTheDevice() throws Exception {
        Served served = served("driver = \"vfio-pci\"");
        Path kubeletDir = directory.resolve("device-plugins");
        served.kubelet().admit(PodSpec.of("pod", NODE0, 1));
        served.kubelet().startContainer("pod", "main");
        Files.writeString(kubeletDir.resolve(HeldDevices.FILE), "{}");

        assertThat(served.daemon().readsHolders()).isFalse();
        DaemonBeside.returnDrivers(served.daemon(), kubeletDir);
        DaemonBeside.returnDrivers(served.daemon(), directory.resolve("none"));
        served.kubelet().startContainer("pod", "main");

        assertThat(served.daemon().node.acts()).endsWith(VF0 + " bound to vfio-pci");
        try (LogLines log = LogLines.open()) {
            served.kubelet().remove("pod");
            log.await(VF0 + ": returned to its host driver iavf");
        }
    }
}
