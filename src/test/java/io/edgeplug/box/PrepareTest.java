package io.edgeplug.box;

import static io.edgeplug.box.Installation.PF1;
import static io.edgeplug.box.Installation.VF;
import static io.edgeplug.box.Installation.VFIO;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

@NodeScenario
final class PrepareTest {

    private static final String VF_NETDEV = "example.com/vf-netdev";
    private static final String VF_VFIO = "example.com/vf-vfio";

    private static final String ADDRESS = "0000:41:10.0";
    private static final String LISTED = ADDRESS + " on NUMA 1";
    private static final String UNHEALTHY = ADDRESS + " (unhealthy) on NUMA 1";
    private static final String DRIVER = "basename $(readlink /sys/bus/pci/devices/" + ADDRESS + "/driver)";

    /**
     * Prints the PF's view of the VF. When a VF is reset, the adapter tells the PF, and the PF's driver forgets the
     * address that it had made up for the VF. Values in config space prove nothing, because the kernel restores them.
     */
    private static final String ASK_PF = "ip link show $(ls /sys/bus/pci/devices/" + PF1 + "/net) | grep 'vf 0'";

    private static final String FORGOTTEN = "00:00:00:00:00:00";

    /** Prints a number that changes whenever a driver makes the interface again. */
    private static final String INTERFACE = "cat /sys/bus/pci/devices/" + ADDRESS + "/net/*/ifindex";

    private static final String FLR = """
            [[class]]
            resource = "%s"
            kind = "vf"
            match = { drivers = ["%s"] }
            [class.prepare]
            reset = "flr"
            """;

    @Test
    void functionOfVfioIsResetBeforeItsContainerStarts(Node node) throws Exception {
        Installation.configure(node, FLR.formatted(VFIO, "vfio-pci"));
        vf(node);
        node.run("udevadm settle");
        node.rebind(ADDRESS, "vfio-pci");
        node.kubelet().awaitDevices(VFIO, LISTED);

        assertThat(node.run(ASK_PF)).doesNotContain(FORGOTTEN);

        node.kubelet().run("pod", VFIO + "=1");

        assertThat(node.run(ASK_PF)).contains(FORGOTTEN);
    }

    @Test
    void functionWithAnInterfaceIsResetWithoutItsDriverWhichIsBoundAnew(Node node) throws Exception {
        Installation.configure(node, FLR.formatted(VF, "igbvf"));
        vf(node);
        node.kubelet().awaitDevices(VF, LISTED);

        String before = node.run(INTERFACE);
        node.kubelet().forget();

        node.kubelet().run("pod", VF + "=1");

        assertThat(node.run(INTERFACE)).isNotEqualTo(before);
        assertThat(node.run(DRIVER)).isEqualTo("igbvf");
        assertThat(node.kubelet().told(VF)).isEmpty();
    }

    @Test
    void functionWithoutADriverIsReset(Node node) throws Exception {
        Installation.configure(node, FLR.formatted(VF, "").replace("drivers = [\"\"]", "devices = [\"10ca\"]"));
        vf(node);
        node.kubelet().awaitDevices(VF, LISTED);
        node.run("echo " + ADDRESS + " >/sys/bus/pci/devices/" + ADDRESS + "/driver/unbind");
        node.kubelet().awaitDevices(VF, LISTED);

        assertThat(node.run(ASK_PF)).doesNotContain(FORGOTTEN);

        node.kubelet().run("pod", VF + "=1");

        assertThat(node.run(ASK_PF)).contains(FORGOTTEN);
    }

    @Test
    void functionIsBoundToTheDriverThatItsContainerWants(Node node) throws Exception {
        Installation.configure(node, """
                [[class]]
                resource = "example.com/vf"
                kind = "vf"
                match = { drivers = ["igbvf"] }
                [class.prepare]
                driver = "vfio-pci"
                """);
        node.run("modprobe vfio-pci");
        vf(node);
        node.kubelet().awaitDevices(VF, LISTED);

        assertThat(node.kubelet().run("pod", VF + "=1").get("devices").toString())
                .contains("/dev/vfio/vfio", "/dev/vfio/" + iommuGroup(node));

        assertThat(node.run(DRIVER)).isEqualTo("vfio-pci");
        node.kubelet().awaitDevices(VF, LISTED);
    }

    @Test
    void functionIsANetdevForOnePodAndOfVfioForTheNext(Node node) throws Exception {
        node.run("modprobe vfio-pci");
        String face = """
                [[class]]
                resource = "%s"
                kind = "vf"
                faces = "exclusive"
                match = { pf_names = ["%s"] }
                release = { reset = "flr" }
                """;
        String pf = node.run("ls /sys/bus/pci/devices/" + PF1 + "/net");
        Installation.configure(
                node,
                face.formatted(VF_NETDEV, pf) + face.formatted(VF_VFIO, pf) + "prepare = { driver = \"vfio-pci\" }");
        vf(node);
        node.kubelet().awaitDevices(VF_NETDEV, LISTED);
        node.kubelet().awaitDevices(VF_VFIO, LISTED);

        node.kubelet().run("netdev", VF_NETDEV + "=1");
        assertThat(node.run(DRIVER)).isEqualTo("igbvf");
        String left = node.run(INTERFACE);
        node.kubelet().awaitDevices(VF_VFIO, UNHEALTHY);
        node.kubelet().remove("netdev");
        node.kubelet().awaitDevices(VF_VFIO, LISTED);
        assertThat(node.run(INTERFACE)).isNotEqualTo(left);

        assertThat(node.kubelet().run("vfio", VF_VFIO + "=1").get("devices").toString())
                .contains("/dev/vfio/vfio", "/dev/vfio/" + iommuGroup(node));
        assertThat(node.run(DRIVER + "; ls -d /sys/bus/pci/devices/" + ADDRESS + "/net || true"))
                .isEqualTo("vfio-pci");
        node.kubelet().awaitDevices(VF_NETDEV, UNHEALTHY);
        node.kubelet().remove("vfio");
        // In between, the VF was offered as a netdev, and the kubelet may learn of that late.
        node.run("while [ -e /var/lib/edgeplug/used/" + ADDRESS + ".used ]; do sleep 0.2; done");
        node.kubelet().awaitDevices(VF_NETDEV, LISTED);
        assertThat(node.run(DRIVER + "; " + INTERFACE)).startsWith("igbvf\n");
    }

    @Test
    void addressVlanAndTrustAreWhatTheClassSaysWhateverTheLastContainerLeft(Node node) throws Exception {
        Installation.configure(node, """
                [[class]]
                resource = "example.com/vf"
                kind = "vf"
                match = { drivers = ["igbvf"] }
                [class.prepare.vf]
                mac = "02:00:00:00:00:42"
                vlan = 0
                spoof_check = true
                """);
        vf(node);
        node.kubelet().awaitDevices(VF, LISTED);
        String pf = node.run("ls /sys/bus/pci/devices/" + PF1 + "/net");
        node.run("ip link set " + pf + " vf 0 mac 02:00:00:00:00:66 vlan 7 spoofchk off");
        assertThat(node.run("ip link show " + pf)).contains("02:00:00:00:00:66", "vlan 7", "spoof checking off");

        node.kubelet().run("pod", VF + "=1");

        assertThat(node.run("ip link show " + pf))
                .contains("02:00:00:00:00:42", "spoof checking on")
                .doesNotContain("vlan");
    }

    /** This needs the cgroup controllers of the node's kernel. A container on a machine without them lacks them. */
    @Test
    void programThatNeedsMoreMemoryThanItsClassMayHaveIsKilledAndThePodIsToldWhy(Node node) throws Exception {
        node.run("mkdir /etc/tools && touch /etc/tools/t1");
        node.run("printf '#!/bin/sh\\nhead -c 300M /dev/zero | tail >/dev/null\\n' >/usr/local/bin/greedy");
        node.run("chmod +x /usr/local/bin/greedy");
        Installation.configure(node, """
                [[class]]
                resource = "example.com/tool"
                kind = "path"
                match = { paths = ["/etc/tools/*"] }
                [class.limits]
                memory_max = "64M"
                [class.prepare]
                command = ["/usr/local/bin/greedy"]
                """);
        node.kubelet().awaitDevices("example.com/tool", "t1");

        assertThat(node.kubelet().admit("pod", "example.com/tool=1").toString())
                .contains(
                        "PreStartFailed",
                        "/usr/local/bin/greedy: was killed because it needed more memory than it may have");
    }

    /** Makes a VF of an adapter whose interface is up. Otherwise the adapter tells its driver nothing. */
    private static void vf(Node node) throws Exception {
        node.run("ip link set $(ls /sys/bus/pci/devices/" + PF1 + "/net) up");
        node.vfs(PF1, 1);
    }

    private static String iommuGroup(Node node) throws Exception {
        return node.run("basename $(readlink /sys/bus/pci/devices/" + ADDRESS + "/iommu_group)");
    }
}
