package io.edgeplug.box;

import static io.edgeplug.box.Installation.FPGA;
import static io.edgeplug.box.Installation.HCA;
import static io.edgeplug.box.Installation.PF1;
import static io.edgeplug.box.Installation.VF;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * A device without the tag is seen too, but only by the scan every minute. No scenario could tell that from a busy
 * host.
 */
@NodeScenario
final class RulesTest {

    @Test
    void whatDevicesAreMadeOfHasTheTagByWhichTheDaemonHearsOfIt(Node node) throws Exception {
        node.vfs(PF1, 1);
        node.kubelet().awaitDevices(VF, "0000:41:10.0 on NUMA 1");
        node.plug(Card.fpga());
        node.kubelet().awaitDevices(FPGA, Card.fpga().address() + "-region0 on NUMA 1");
        node.run("modprobe rdma_rxe && ip link add dummy0 type dummy && ip link set dummy0 up");
        node.run("rdma link add rxe0 type rxe netdev dummy0");
        node.kubelet().awaitDevices(HCA, "rxe0");

        assertThat(node.run("""
                udevadm settle
                cd /sys/class
                for device in /sys/bus/pci/devices/0000:41:10.0 /sys/bus/pci/devices/0000:41:10.0/net/* \\
                    fpga_region/region0 fpga_manager/fpga0 infiniband/rxe0 infiniband_verbs/uverbs0 misc/rdma_cm; do
                    udevadm info -q property $device | grep -q '^CURRENT_TAGS=.*:edgeplug:' || echo $device
                done
                """)).isEmpty();
    }
}
