package io.edgeplug.box;

import static io.edgeplug.box.Installation.NIC;
import static io.edgeplug.box.Installation.PF0;
import static io.edgeplug.box.Installation.PF1;
import static io.edgeplug.box.Installation.VF;

import org.junit.jupiter.api.Test;

@NodeScenario
final class KubeletTest {

    private static final int RESTARTS = 20;
    private static final String ADDRESS = "0000:41:10.0 on NUMA 1";

    @Test
    void kubeletThatRestartsTwentyTimesWhileDevicesComeAndGoIsToldWhatIsThere(Node node) throws Exception {
        for (int restart = 1; restart <= RESTARTS; restart++) {
            int count = restart % 2;
            node.run("udevadm settle; echo " + count + " >/sys/bus/pci/devices/" + PF1 + "/sriov_numvfs &");
            node.kubelet().restart();
            node.kubelet().awaitDevices(VF, count == 1 ? new String[] {ADDRESS} : new String[0]);
        }
    }

    @Test
    void kubeletThatIsKilledAndStartsAnewIsToldWhatIsThere(Node node) throws Exception {
        node.kubelet().forget();
        node.run("systemctl kill -s KILL kubelet.service");
        node.vfs(PF1, 1);
        node.run("systemctl reset-failed kubelet.service; systemctl start kubelet.service");
        node.kubelet().awaitServing();

        node.kubelet().awaitDevices(VF, ADDRESS);
        node.kubelet().awaitDevices(NIC, PF0 + " on NUMA 0");
    }
}
