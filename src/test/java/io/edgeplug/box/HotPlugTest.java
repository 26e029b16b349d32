package io.edgeplug.box;

import static io.edgeplug.box.Installation.NIC;
import static io.edgeplug.box.Installation.PF0;
import static io.edgeplug.box.Installation.PF1;
import static io.edgeplug.box.Installation.VF;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

@NodeScenario
final class HotPlugTest {

    private static final String FIRST_PF = PF0 + " on NUMA 0";
    private static final String SECOND_PF = PF1 + " on NUMA 1";
    private static final String PLUGGED = Card.igb().address();

    /** The card is near no NUMA node, so it is listed as near to both. */
    private static final String ANYWHERE = " on NUMA 0,1";

    /** An emulated node is slow. The scan every minute would find four changes in a row so soon once in 81 runs. */
    private static final Duration NOT_THE_TICK = Duration.ofSeconds(20);

    private static final String SERIAL = "example.com/serial";

    private static final String SERIAL_CLASS = """

            [[class]]
            resource = "example.com/serial"
            kind = "path"
            match = { paths = ["/dev/serial/by-id/*"] }
            """;

    /** The directory of the links appears with the first link and disappears with the last. */
    @Test
    void serialAdapterIsListedByItsIdAndLeavesWhenItIsPulled(Node node) throws Exception {
        Installation.configure(node, Installation.CONFIG + SERIAL_CLASS);
        node.kubelet().awaitDevices(SERIAL);
        for (String number : List.of("edge1", "edge2")) {
            node.plugSerial(number);
            node.kubelet()
                    .awaitDevicesWithin(NOT_THE_TICK, SERIAL, "usb-QEMU_QEMU_USB_SERIAL_" + number + "-if00-port0");

            node.pullUsb(number);
            node.kubelet().awaitDevicesWithin(NOT_THE_TICK, SERIAL);
        }
    }

    @Test
    void adapterThatIsPluggedIsListedAndLeavesWhenItIsPulled(Node node) throws Exception {
        node.plug(Card.igb());
        node.kubelet().awaitDevices(NIC, PLUGGED + ANYWHERE, FIRST_PF, SECOND_PF);

        node.pull(Card.igb());
        node.kubelet().awaitDevices(NIC, FIRST_PF, SECOND_PF);
    }

    @Test
    void virtualFunctionOfAPodIsUnhealthyWhileItsAdapterIsPulledAndTheOthersAreGone(Node node) throws Exception {
        node.plug(Card.igb());
        node.kubelet().awaitDevices(NIC, PLUGGED + ANYWHERE, FIRST_PF, SECOND_PF);
        node.vfs(PLUGGED, 2);
        node.kubelet().awaitDevices(VF, "0000:01:10.0", "0000:01:10.2");
        String held = NodeKubelet.variable(node.kubelet().run("pod", VF + "=1"), "PCIDEVICE_EXAMPLE_COM_VF");

        node.pull(Card.igb());
        node.kubelet().awaitDevices(VF, held + " (unhealthy)");

        node.plug(Card.igb());
        node.kubelet().awaitDevices(NIC, PLUGGED + ANYWHERE, FIRST_PF, SECOND_PF);
        node.vfs(PLUGGED, 2);
        node.kubelet().awaitDevices(VF, "0000:01:10.0", "0000:01:10.2");
    }

    @Test
    void udevdThatIsRestartedMeanwhileCostsNothing(Node node) throws Exception {
        node.run("udevadm settle; systemctl restart --no-block systemd-udevd");
        node.plug(Card.igb());
        node.kubelet().awaitDevices(NIC, PLUGGED + ANYWHERE, FIRST_PF, SECOND_PF);

        node.run("systemctl restart --no-block systemd-udevd");
        node.pull(Card.igb());
        node.kubelet().awaitDevices(NIC, FIRST_PF, SECOND_PF);
    }

    @Test
    void udevdThatIsRestartedWhileVirtualFunctionsAreMadeCostsNothing(Node node) throws Exception {
        String restart = "systemctl restart --no-block systemd-udevd;";
        node.run("udevadm settle; " + restart + "echo 3 >/sys/bus/pci/devices/" + PF1 + "/sriov_numvfs;" + restart);

        node.kubelet().awaitDevices(VF, "0000:41:10.0 on NUMA 1", "0000:41:10.2 on NUMA 1", "0000:41:10.4 on NUMA 1");
    }

    @Test
    void withoutUdevdTheKernelIsHeardAndUdevdAgainOnceItRuns(Node node) throws Exception {
        // udevd loads drivers, so this one must be loaded before udevd is stopped.
        node.run("modprobe igbvf; udevadm settle");
        node.run("systemctl stop systemd-udevd-control.socket systemd-udevd-kernel.socket systemd-udevd.service");
        node.run("echo 1 >/sys/bus/pci/devices/" + PF1 + "/sriov_numvfs");
        node.kubelet().awaitDevices(VF, "0000:41:10.0 on NUMA 1");

        node.run("systemctl start systemd-udevd-control.socket systemd-udevd-kernel.socket systemd-udevd.service");
        node.vfs(PF1, 0);
        node.kubelet().awaitDevices(VF);
    }
}
