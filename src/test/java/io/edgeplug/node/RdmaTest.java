package io.edgeplug.node;

import static io.edgeplug.node.Installation.HCA;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

@NodeScenario
final class RdmaTest {

    @Test
    void softwareAdapterIsListedUnhealthyWhileItsInterfaceIsDownAndLeavesWhenItIsRemoved(Node node) throws Exception {
        node.run("modprobe rdma_rxe && ip link add dummy0 type dummy && ip link set dummy0 up");
        node.run("rdma link add rxe0 type rxe netdev dummy0");
        node.kubelet().awaitDevices(HCA, "rxe0");
        assertThat(node.kubelet().run("pod", HCA + "=1").get("devices").toString())
                .contains("/dev/infiniband/uverbs0", "/dev/infiniband/rdma_cm");
        node.kubelet().remove("pod");

        node.run("ip link set dummy0 down");
        node.kubelet().awaitDevices(HCA, "rxe0 (unhealthy)");

        node.run("ip link set dummy0 up");
        node.kubelet().awaitDevices(HCA, "rxe0");

        node.run("rdma link delete rxe0");
        // a pod had it, and the plugin is not told that it has it no more
        node.kubelet().awaitDevices(HCA, "rxe0 (unhealthy)");
    }

    @Test
    void softwareAdapterThatNoPodHadLeavesTheList(Node node) throws Exception {
        node.run("modprobe rdma_rxe && ip link add dummy0 type dummy && ip link set dummy0 up");
        node.run("rdma link add rxe0 type rxe netdev dummy0");
        node.kubelet().awaitDevices(HCA, "rxe0");

        node.run("rdma link delete rxe0");
        node.kubelet().awaitDevices(HCA);
    }
}
