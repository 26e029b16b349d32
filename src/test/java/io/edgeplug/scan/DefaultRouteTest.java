package io.edgeplug.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.device.Kind;
import io.edgeplug.device.Nic;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.rules.Requirement;
import io.edgeplug.rules.Selector;
import io.edgeplug.rules.SelectorWord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DefaultRouteTest {

    private static final PciAddress ADDRESS = new PciAddress(0, 1, 0, 0);
    private static final String IPV4 =
            "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n";
    private static final String ZEROS = "0".repeat(32);

    private static final DeviceClass NICS = DeviceClass.of(
            ResourceName.parse("example.com/nic"),
            Kind.NIC,
            new Selector(Map.of(SelectorWord.PF_NAMES, List.of("enp1s0"))));

    @TempDir
    private Path root = Path.of("");

    @Test
    void virtioNicIsFoundByTheInterfaceOfItsVirtioDevice() throws IOException {
        plug();

        assertThat(nic().function().netNames()).containsExactly("enp1s0");
        assertThat(NICS.takes(nic())).isTrue();
    }

    @Test
    void nicWithTheDefaultRouteIsNoCandidateAndSaysWhy() throws IOException {
        plug();
        routes4("enp1s0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n");

        assertThat(NICS.takes(nic())).isFalse();
        assertThat(NICS.requirements(nic())).contains(new Requirement("not the default route", "it on enp1s0", false));
    }

    @Test
    void hcaWithTheDefaultRouteIsACandidateForRdmaLeavesItsInterfaceToTheNode() throws IOException {
        plug();
        Path rxe = Files.createDirectories(root.resolve("sys/devices/virtual/infiniband/rxe0"));
        Files.writeString(rxe.resolve("parent"), "enp1s0\n");
        Files.writeString(rxe.resolve("node_guid"), "5054:00ff:fe6f:219d\n");
        routes4("enp1s0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n");
        DeviceClass hcas = DeviceClass.of(
                ResourceName.parse("example.com/hca"),
                Kind.HCA,
                new Selector(Map.of(SelectorWord.PF_NAMES, List.of("enp1s0"))));

        PciDevice hca = new DeviceScan(Sysfs.at(root)).function(ADDRESS).getFirst();

        assertThat(hca.function().carriesDefaultRoute()).isTrue();
        assertThat(hcas.takes(hca)).isTrue();
        assertThat(hcas.requirements(hca)).contains(new Requirement("the default route or not", "it on enp1s0", true));
        assertThat(NICS.takes(hca)).isFalse();
    }

    @Test
    void ipv6DefaultRouteCountsToo() throws IOException {
        plug();
        routes6(ZEROS + " 00 " + ZEROS
                + " 00 fe800000000000000000000000000001 00000400 00000003 00000000 00000003 enp1s0\n");

        assertThat(NICS.takes(nic())).isFalse();
    }

    @Test
    void otherRoutesDoNotCount() throws IOException {
        plug();
        routes4("""
                enp1s0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
                tun0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
                """);
        routes6(ZEROS + " 00 " + ZEROS + " 00 " + ZEROS + " ffffffff 00000001 00000000 00200200       lo\n");

        assertThat(NICS.takes(nic())).isTrue();
    }

    @Test
    void portOfTheBondWithTheDefaultRouteIsNoCandidate() throws IOException {
        plug();
        Path net = Files.createDirectories(root.resolve("sys/class/net"));
        Files.createDirectories(net.resolve("br0/lower_bond0"));
        Files.createDirectories(net.resolve("bond0/lower_enp1s0"));
        routes4("br0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n");

        assertThat(NICS.takes(nic())).isFalse();
    }

    private void plug() throws IOException {
        Path function = root.resolve("sys/bus/pci/devices/" + ADDRESS);
        Files.createDirectories(function.resolve("virtio0/net/enp1s0"));
        Files.writeString(function.resolve("vendor"), "0x1af4\n");
        Files.writeString(function.resolve("class"), "0x020000\n");
        Files.createSymbolicLink(function.resolve("driver"), Path.of("../../../bus/pci/drivers/virtio-pci"));
    }

    private void routes4(String lines) throws IOException {
        Files.writeString(Files.createDirectories(root.resolve("proc/net")).resolve("route"), IPV4 + lines);
    }

    private void routes6(String lines) throws IOException {
        Files.writeString(Files.createDirectories(root.resolve("proc/net")).resolve("ipv6_route"), lines);
    }

    private Nic nic() {
        PciDevice device = new DeviceScan(Sysfs.at(root)).function(ADDRESS).getFirst();
        assertThat(device.health().problem()).isEmpty();
        assertThat(device).isInstanceOf(Nic.class);
        return (Nic) device;
    }
}
