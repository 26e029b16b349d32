package io.edgeplug.box;

import static io.edgeplug.box.Installation.PF1;
import static io.edgeplug.box.Installation.VF;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import org.junit.jupiter.api.Test;

/** What the node or a pod has stays theirs, whatever happens to its interface or its device node. */
@NodeScenario
final class SameDeviceTest {

    private static final String FIRST = "0000:41:10.0 on NUMA 1";
    private static final String SECOND = "0000:41:10.2 on NUMA 1";

    private static final String ONE = "example.com/one";
    private static final String TWO = "example.com/two";
    private static final String SERIAL = "usb-QEMU_QEMU_USB_SERIAL_%s-if00-port0";

    private static final String SERIAL_CLASSES = """

            [[class]]
            resource = "example.com/one"
            kind = "path"
            match = { paths = ["/dev/serial/by-id/*edge1*"] }

            [[class]]
            resource = "example.com/two"
            kind = "path"
            match = { paths = ["/dev/serial/by-id/*edge2*"] }
            """;

    @Test
    void virtualFunctionWithTheDefaultRouteStaysWhileAnotherNumberIsWanted(Node node) throws Exception {
        node.vfs(PF1, 2);
        node.kubelet().awaitDevices(VF, FIRST, SECOND);
        node.run("""
                net=$(ls /sys/bus/pci/devices/0000:41:10.0/net)
                ip link set dev $(ls /sys/bus/pci/devices/%s/net) up
                ip address add 192.0.2.2/24 dev $net
                ip link set dev $net up
                ip route add default via 192.0.2.1 dev $net onlink
                """.formatted(PF1));

        Installation.configure(node, Installation.CONFIG + """

                [[vfs]]
                count = 4
                match = { root_devices = ["%s"] }
                """.formatted(PF1));
        String refused = node.run("edgeplug vfs apply && exit 1; [ $? = 1 ] && edgeplug vfs apply || true");

        assertThat(refused).contains("0000:41:10.0").contains("the default route");
        assertThat(node.run("cat /sys/bus/pci/devices/" + PF1 + "/sriov_numvfs"))
                .isEqualTo("2");
        assertThat(node.run("ip route show default")).contains("192.0.2.1");
        node.kubelet().awaitDevices(VF, SECOND);
    }

    @Test
    void virtualFunctionInAPodsNamespaceStaysInItsResourceOverARestartAndAReload(Node node) throws Exception {
        String classes = Installation.CONFIG.replace(
                "match = { drivers = [\"igbvf\"] }", "match = { drivers = [\"igbvf\"], link_types = [\"ether\"] }");
        Installation.configure(node, classes);
        node.vfs(PF1, 2);
        node.kubelet().awaitDevices(VF, FIRST, SECOND);
        String held = NodeKubelet.variable(node.kubelet().run("pod", VF + "=1"), "PCIDEVICE_EXAMPLE_COM_VF");
        node.run("ip netns add pod; ip link set dev $(ls /sys/bus/pci/devices/" + held + "/net) netns pod");

        node.run("systemctl stop edgeplug.service");
        node.kubelet().awaitEnd(VF);
        node.run("systemctl start edgeplug.service");
        node.kubelet().awaitDevices(VF, FIRST, SECOND);
        node.kubelet().forget();
        Installation.configure(node, classes + "\n# read again\n");

        node.kubelet().awaitDevices(VF, FIRST, SECOND);
        assertThat(node.kubelet().told(VF)).allMatch(list -> list.size() == 2);
        node.run("ip netns delete pod");
    }

    @Test
    void serialAdaptersThatComeBackInTheOtherOrderAreUnhealthyAndNeitherContainerStartsAgain(Node node)
            throws Exception {
        String first = SERIAL.formatted("edge1");
        String second = SERIAL.formatted("edge2");
        Installation.configure(node, Installation.CONFIG + SERIAL_CLASSES);
        plug(node, "edge1", first);
        node.kubelet().awaitDevices(ONE, first);
        plug(node, "edge2", second);
        node.kubelet().awaitDevices(TWO, second);
        assertThat(host(node.kubelet().run("pod-one", ONE + "=1"))).isEqualTo("/dev/ttyUSB0");
        assertThat(host(node.kubelet().run("pod-two", TWO + "=1"))).isEqualTo("/dev/ttyUSB1");

        node.pullUsb("edge1");
        node.pullUsb("edge2");
        node.run("while ls /dev/ttyUSB* 2>/dev/null; do sleep 0.1; done; udevadm settle");
        plug(node, "edge2", second);
        plug(node, "edge1", first);

        // unhealthy they were while they were gone, so their list does not tell when they are back
        awaitProblem(node, first, "is /dev/ttyUSB1 now");
        awaitProblem(node, second, "is /dev/ttyUSB0 now");
        node.kubelet().awaitDevices(ONE, first + " (unhealthy)");
        node.kubelet().awaitDevices(TWO, second + " (unhealthy)");
        assertThat(refusal(node.kubelet().start("pod-two")))
                .contains("is /dev/ttyUSB0 now, and its pod was given /dev/ttyUSB1");
        node.run("systemctl stop edgeplug.service");
        node.kubelet().awaitEnd(ONE);
        node.run("systemctl start edgeplug.service");
        node.kubelet().awaitDevices(ONE, first + " (unhealthy)");
        assertThat(refusal(node.kubelet().start("pod-one"))).contains("its pod was given /dev/ttyUSB0");

        node.kubelet().remove("pod-one");
        node.kubelet().remove("pod-two");
        node.kubelet().awaitDevices(ONE, first);
        node.kubelet().awaitDevices(TWO, second);
        assertThat(host(node.kubelet().run("pod-three", TWO + "=1"))).isEqualTo("/dev/ttyUSB0");
    }

    /** Waits for its link, so that the kernel numbers the adapters in the order in which they are plugged. */
    private static void plug(Node node, String number, String link) throws Exception {
        node.plugSerial(number);
        node.run("while [ ! -e /dev/serial/by-id/" + link + " ]; do sleep 0.1; done");
    }

    private static void awaitProblem(Node node, String device, String problem) throws Exception {
        node.run("until edgeplug status >/run/status; grep -q '" + device + ".*" + problem
                + "' /run/status; do sleep 0.2; done");
    }

    private static String host(JsonObject allocation) {
        return allocation
                .getAsJsonArray("devices")
                .get(0)
                .getAsJsonObject()
                .get("hostPath")
                .getAsString();
    }

    private static String refusal(JsonObject event) {
        assertThat(NodeKubelet.is(event, "PreStartFailed")).as(event.toString()).isTrue();
        return event.get("reason").getAsString();
    }
}
