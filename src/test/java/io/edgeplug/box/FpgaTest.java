package io.edgeplug.box;

import static io.edgeplug.box.Installation.FPGA;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The card is a stand-in. The subsystem that it registers with, and that programs it, is the kernel's own. */
@NodeScenario
final class FpgaTest {

    private static final String REGION = Card.fpga().address() + "-region0";
    private static final String WHOLE = Card.wholeFpga().address();
    private static final String SYSFS = "/sys/bus/pci/devices/" + WHOLE + "/";
    private static final String IMAGE_ID = "0123456789abcdef0123456789abcdef";
    private static final String OTHER_ID = "fedcba9876543210fedcba9876543210";
    private static final String BLANK = "00000000000000000000000000000000";
    private static final String CRYPTO = "example.com/fpga-crypto";
    private static final String CODEC = "example.com/fpga-codec";
    private static final String FACES = "faces = \"exclusive\"\n";

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

    @Test
    void cardIsHeldAsOneOfItsFacesAndHasABlankImageBeforeTheNextPodGetsItAsTheOther(Node node) throws Exception {
        String blank = program(node, "release", BLANK, BLANK);
        plug(
                node,
                fpga(CRYPTO, FACES + program(node, "prepare", IMAGE_ID, IMAGE_ID) + blank)
                        + fpga(CODEC, FACES + program(node, "prepare", OTHER_ID, OTHER_ID) + blank));
        node.kubelet().awaitDevices(CRYPTO, WHOLE);
        node.kubelet().awaitDevices(CODEC, WHOLE);

        node.kubelet().run("pod-1", CRYPTO + "=1");
        assertThat(image(node)).isEqualTo(IMAGE_ID + "\n1");
        node.kubelet().awaitDevices(CODEC, WHOLE + " (unhealthy)");

        node.kubelet().remove("pod-1");
        node.kubelet().awaitDevices(CODEC, WHOLE);
        assertThat(image(node)).isEqualTo(BLANK + "\n2");
        node.kubelet().awaitDevices(CRYPTO, WHOLE);

        node.kubelet().run("pod-2", CODEC + "=1");
        assertThat(image(node)).isEqualTo(OTHER_ID + "\n3");
        node.kubelet().awaitDevices(CRYPTO, WHOLE + " (unhealthy)");
    }

    /** The image that the card reports, and how often the card was programmed. */
    private static String image(Node node) throws Exception {
        return node.run("cat " + SYSFS + "afu_id " + SYSFS + "loads");
    }

    private static void plugWithImage(Node node, String image) throws Exception {
        plug(node, fpga(FPGA, program(node, "prepare", image, IMAGE_ID)));
        node.kubelet().awaitDevices(FPGA, WHOLE);
    }

    private static void plug(Node node, String classes) throws Exception {
        node.run("modprobe stand-in-fpga && echo 0 >/sys/module/stand_in_fpga/parameters/regions");
        Installation.configure(node, classes);
        node.plug(Card.wholeFpga());
    }

    private static String fpga(String resource, String lines) {
        return """
                [[class]]
                resource = "%s"
                kind = "fpga"
                match = { devices = ["11e8"] }
                """.formatted(resource) + lines;
    }

    /** A recipe that writes an image and programs the card with it. The card then reports that ID. */
    private static String program(Node node, String table, String image, String id) throws Exception {
        String file = "/srv/bitstreams/" + id + ".bin";
        node.run("mkdir -p /srv/bitstreams && echo '" + image + "' >" + file);
        return """
                [class.%s.program]
                file = "%s"
                sha256 = "%s"
                id = "%s"
                id_file = "/sys/bus/pci/devices/{bdf}/afu_id"
                """.formatted(table, file, node.run("sha256sum " + file).substring(0, 64), id);
    }
}
