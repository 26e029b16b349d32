package io.edgeplug.box;

import static io.edgeplug.box.Installation.HCA;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@NodeScenario
final class RdmaTest {

    @ParameterizedTest
    @ValueSource(strings = {"rxe", "siw"})
    void softwareAdapterIsListedUnhealthyWhileItsInterfaceIsDownAndLeavesWhenItIsRemoved(String type, Node node)
            throws Exception {
        add(node, type);
        node.kubelet().awaitDevices(HCA, "rdma0");
        assertThat(node.kubelet().run("pod", HCA + "=1").get("devices").toString())
                .contains("/dev/infiniband/uverbs0", "/dev/infiniband/rdma_cm");
        node.kubelet().remove("pod");

        node.run("ip link set dummy0 down");
        node.kubelet().awaitDevices(HCA, "rdma0 (unhealthy)");

        node.run("ip link set dummy0 up");
        node.kubelet().awaitDevices(HCA, "rdma0");

        node.run("rdma link delete rdma0");
        // The kubelet has noted with the last lists that the pod no longer has it.
        node.kubelet().awaitDevices(HCA);
    }

    @Test
    void softwareAdapterThatNoPodHadLeavesTheList(Node node) throws Exception {
        add(node, "rxe");
        node.kubelet().awaitDevices(HCA, "rdma0");

        node.run("rdma link delete rdma0");
        node.kubelet().awaitDevices(HCA);
    }

    /** RoCE or iWARP in software. */
    private static void add(Node node, String type) throws Exception {
        node.run("modprobe rdma-link-%1$s && ip link add dummy0 type dummy && ip link set dummy0 up".formatted(type));
        node.run("rdma link add rdma0 type %s netdev dummy0".formatted(type));
    }
}
