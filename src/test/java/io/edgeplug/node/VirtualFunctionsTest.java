package io.edgeplug.node;

import static io.edgeplug.node.Installation.NIC;
import static io.edgeplug.node.Installation.PF0;
import static io.edgeplug.node.Installation.PF1;
import static io.edgeplug.node.Installation.VF;
import static io.edgeplug.node.Installation.VFIO;

import org.junit.jupiter.api.Test;

@NodeScenario
final class VirtualFunctionsTest {

    private static final String FIRST = "0000:41:10.0 on NUMA [1]";
    private static final String SECOND = "0000:41:10.2 on NUMA [1]";

    @Test
    void virtualFunctionsThatAreMadeAreListedAndTheirFunctionNoMore(Node node) throws Exception {
        vfs(node, PF1, 2);

        node.kubelet().awaitDevices(VF, FIRST, SECOND);
        node.kubelet().awaitDevices(NIC, PF0 + " on NUMA [0]");
    }

    @Test
    void virtualFunctionsThatAreRemovedLeaveTheListAndTheirFunctionIsBack(Node node) throws Exception {
        vfs(node, PF1, 2);
        node.kubelet().awaitDevices(VF, FIRST, SECOND);

        vfs(node, PF1, 0);

        node.kubelet().awaitDevices(VF);
        node.kubelet().awaitDevices(NIC, PF0 + " on NUMA [0]", PF1 + " on NUMA [1]");
    }

    @Test
    void changedNumberOfVirtualFunctionsIsTheList(Node node) throws Exception {
        vfs(node, PF1, 1);
        node.kubelet().awaitDevices(VF, FIRST);

        vfs(node, PF1, 0);
        vfs(node, PF1, 3);

        node.kubelet().awaitDevices(VF, FIRST, SECOND, "0000:41:10.4 on NUMA [1]");
    }

    @Test
    void virtualFunctionOfEachNumaNodeIsListedOnItsOwn(Node node) throws Exception {
        vfs(node, PF1, 1);
        vfs(node, PF0, 1);

        node.kubelet().awaitDevices(VF, "0000:21:10.0 on NUMA [0]", FIRST);
    }

    @Test
    void virtualFunctionThatIsReboundGoesToTheClassOfItsDriverAndBack(Node node) throws Exception {
        vfs(node, PF1, 2);
        node.kubelet().awaitDevices(VF, FIRST, SECOND);

        rebind(node, "0000:41:10.0", "vfio-pci");
        node.kubelet().awaitDevices(VFIO, FIRST);
        node.kubelet().awaitDevices(VF, SECOND);

        rebind(node, "0000:41:10.0", "igbvf");
        node.kubelet().awaitDevices(VFIO);
        node.kubelet().awaitDevices(VF, FIRST, SECOND);
    }

    private static void vfs(Node node, String pf, int count) throws Exception {
        node.run("echo " + count + " >/sys/bus/pci/devices/" + pf + "/sriov_numvfs");
    }

    private static void rebind(Node node, String vf, String driver) throws Exception {
        node.run("""
                modprobe %2$s
                cd /sys/bus/pci/devices/%1$s
                echo %2$s >driver_override
                echo %1$s >driver/unbind
                echo %1$s >/sys/bus/pci/drivers_probe
                """.formatted(vf, driver));
    }
}
