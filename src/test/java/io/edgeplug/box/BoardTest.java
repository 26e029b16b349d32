package io.edgeplug.box;

import static io.edgeplug.box.Installation.FPGA;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * An FPGA as on a Zynq board: a device tree describes it, and it has no PCI function. Its manager is a stand-in. The
 * region that the tree describes is the kernel's own driver's. Debian's kernel takes no overlays of the device tree.
 */
@NodeScenario(board = true)
final class BoardTest {

    private static final String ID = "b100000.fpga-manager";
    private static final String SYSFS = "/sys/bus/platform/devices/" + ID + "/";
    private static final String DRIVER = "/sys/bus/platform/drivers/stand-in-fpga/";
    private static final String IMAGE = "0123456789abcdef0123456789abcdef";

    @Test
    void managerOfTheDeviceTreeIsListedAndGoneWhileItHasNoDriver(Node node) throws Exception {
        Installation.configure(node, fpga(""));
        node.kubelet().awaitDevices(FPGA, ID);
        assertThat(node.run("cat /sys/class/fpga_region/region0/device/of_node/compatible | tr -d '\\0'"))
                .isEqualTo("fpga-region");

        // The region uses the manager, so it goes first.
        node.run("echo fpga-region >/sys/bus/platform/drivers/of-fpga-region/unbind; echo " + ID + " >" + DRIVER
                + "unbind");
        node.kubelet().awaitDevices(FPGA);

        node.run("echo " + ID + " >" + DRIVER + "bind");
        node.kubelet().awaitDevices(FPGA, ID);
    }

    @Test
    void managerOfTheDeviceTreeIsProgrammedBeforeItsContainerStarts(Node node) throws Exception {
        node.run("mkdir -p /srv/bitstreams && echo " + IMAGE + " >/srv/bitstreams/image.bin");
        Installation.configure(node, fpga("""
                [class.prepare.program]
                file = "/srv/bitstreams/image.bin"
                sha256 = "%s"
                id = "%s"
                id_file = "%safu_id"
                """.formatted(
                        node.run("sha256sum /srv/bitstreams/image.bin").substring(0, 64), IMAGE, SYSFS)));
        node.kubelet().awaitDevices(FPGA, ID);

        node.kubelet().run("pod", FPGA + "=1");

        assertThat(node.run("cat " + SYSFS + "afu_id " + SYSFS + "loads " + SYSFS + "fpga_manager/*/state"))
                .isEqualTo(IMAGE + "\n1\noperating");
    }

    private static String fpga(String lines) {
        return """
                [[class]]
                resource = "example.com/fpga"
                kind = "fpga"
                match = { drivers = ["stand-in-fpga"] }
                """ + lines;
    }
}
