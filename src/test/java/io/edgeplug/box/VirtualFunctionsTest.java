package io.edgeplug.box;

import static io.edgeplug.box.Installation.NIC;
import static io.edgeplug.box.Installation.PF0;
import static io.edgeplug.box.Installation.PF1;
import static io.edgeplug.box.Installation.VF;
import static io.edgeplug.box.Installation.VFIO;

import org.junit.jupiter.api.Test;

@NodeScenario
final class VirtualFunctionsTest {

    private static final String FIRST = "0000:41:10.0 on NUMA 1";
    private static final String SECOND = "0000:41:10.2 on NUMA 1";

    @Test
    void virtualFunctionsThatAreMadeAreListedAndTheirFunctionNoMore(Node node) throws Exception {
        node.vfs(PF1, 2);

        node.kubelet().awaitDevices(VF, FIRST, SECOND);
        node.kubelet().awaitDevices(NIC, PF0 + " on NUMA 0");
    }

    @Test
    void virtualFunctionsThatAreRemovedLeaveTheListAndTheirFunctionIsBack(Node node) throws Exception {
        node.vfs(PF1, 2);
        node.kubelet().awaitDevices(VF, FIRST, SECOND);

        node.vfs(PF1, 0);

        node.kubelet().awaitDevices(VF);
        node.kubelet().awaitDevices(NIC, PF0 + " on NUMA 0", PF1 + " on NUMA 1");
    }

    @Test
    void changedNumberOfVirtualFunctionsIsTheList(Node node) throws Exception {
        node.vfs(PF1, 1);
        node.kubelet().awaitDevices(VF, FIRST);

        node.vfs(PF1, 0);
        node.vfs(PF1, 3);

        node.kubelet().awaitDevices(VF, FIRST, SECOND, "0000:41:10.4 on NUMA 1");
    }

    @Test
    void virtualFunctionsThatWereThereBeforeTheDaemonAreListed(Node node) throws Exception {
        node.run("systemctl stop edgeplug.service");
        node.kubelet().awaitEnd(VF);
        node.vfs(PF1, 2);

        node.run("systemctl start edgeplug.service");

        node.kubelet().awaitDevices(VF, FIRST, SECOND);
    }

    @Test
    void virtualFunctionOfEachNumaNodeIsListedOnItsOwn(Node node) throws Exception {
        node.vfs(PF1, 1);
        node.vfs(PF0, 1);

        node.kubelet().awaitDevices(VF, "0000:21:10.0 on NUMA 0", FIRST);
    }

    @Test
    void virtualFunctionThatIsReboundGoesToTheClassOfItsDriverAndBack(Node node) throws Exception {
        node.vfs(PF1, 2);
        node.kubelet().awaitDevices(VF, FIRST, SECOND);

        node.rebind("0000:41:10.0", "vfio-pci");
        node.kubelet().awaitDevices(VFIO, FIRST);
        node.kubelet().awaitDevices(VF, SECOND);

        node.rebind("0000:41:10.0", "igbvf");
        node.kubelet().awaitDevices(VFIO);
        node.kubelet().awaitDevices(VF, FIRST, SECOND);
    }
}
