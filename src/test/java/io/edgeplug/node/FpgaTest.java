package io.edgeplug.node;

import static io.edgeplug.node.Installation.FPGA;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The card is a stand-in; the subsystem that it registers with, and that programs it, is the kernel's own. */
@NodeScenario
final class FpgaTest {

    private static final String REGION = Card.fpga().address() + "-region0";
    private static final String WHOLE = Card.wholeFpga().address();
    private static final String SYSFS = "/sys/bus/pci/devices/" + WHOLE + "/";
    private static final String IMAGE_ID = "0123456789abcdef0123456789abcdef";

    @Test
    void regionIsListedUnhealthyWhenItsFirmwareCrashesAndGoneWhenItIsPulled(Node node) throws Exception {
        node.plug(Card.fpga());
        node.kubelet().awaitDevices(FPGA, REGION + " on NUMA 1");

        String port = "/sys/bus/pci/devices/" + Card.fpga().address() + "/fpga_region/region0/dfl-port.0/";
        node.run("echo ffffffffffffffffffffffffffffffff >" + port + "afu_id; echo change >" + port + "../uevent");
        node.kubelet().awaitDevices(FPGA, REGION + " (unhealthy) on NUMA 1");
        node.run("echo d8424dc4a4a3c413f89e433683f9040b >" + port + "afu_id; echo change >" + port + "../uevent");
        node.kubelet().awaitDevices(FPGA, REGION + " on NUMA 1");

        node.pull(Card.fpga());
        node.kubelet().awaitDevices(FPGA);
    }

    @Test
    void cardIsProgrammedBeforeItsContainerStartsAndNotAgainForTheNext(Node node) throws Exception {
        plugWithImage(node, IMAGE_ID);

        node.kubelet().run("pod", FPGA + "=1");
        assertThat(node.run("cat " + SYSFS + "afu_id " + SYSFS + "loads " + SYSFS + "fpga_manager/*/state"))
                .isEqualTo(IMAGE_ID + "\n1\noperating");

        node.kubelet().start("pod");
        assertThat(node.run("cat " + SYSFS + "loads")).isEqualTo("1");
        assertThat(node.run("ls -A /usr/lib/firmware")).isEmpty();
    }

    @Test
    void cardThatRefusesItsImageKeepsTheContainerFromStartingAndIsUnhealthy(Node node) throws Exception {
        plugWithImage(node, "this is no image that the stand-in takes");

        assertThat(node.kubelet().admit("pod", FPGA + "=1").toString())
                .contains(
                        "PreStartFailed", WHOLE, "could not be prepared: program: write firmware: Input/output error");
        node.kubelet().awaitDevices(FPGA, WHOLE + " (unhealthy)");

        node.pull(Card.wholeFpga());
        node.plug(Card.wholeFpga());
        node.kubelet().awaitDevices(FPGA, WHOLE);
    }

    private static void plugWithImage(Node node, String image) throws Exception {
        node.run("modprobe stand-in-fpga && echo 0 >/sys/module/stand_in_fpga/parameters/regions");
        node.run("mkdir -p /srv/bitstreams && echo '" + image + "' >/srv/bitstreams/image.bin");
        String sha256 = node.run("sha256sum /srv/bitstreams/image.bin").substring(0, 64);
        Installation.configure(node, """
                [[class]]
                resource = "example.com/fpga"
                kind = "fpga"
                match = { devices = ["11e8"] }
                [class.prepare.program]
                file = "/srv/bitstreams/image.bin"
                sha256 = "%s"
                id = "%s"
                id_file = "/sys/bus/pci/devices/{bdf}/afu_id"
                """.formatted(sha256, IMAGE_ID));
        node.plug(Card.wholeFpga());
        node.kubelet().awaitDevices(FPGA, WHOLE);
    }
}
