package io.edgeplug.node.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Functions with much below them. */
final class FunctionScanTest {

    private static final PciAddress PF = new PciAddress(0, 0x65, 0, 0);
    private static final PciAddress VF = new PciAddress(0, 0x65, 0, 3);
    private static final String FUNCTIONS = "sys/bus/pci/devices/";

    @TempDir
    private Path root = Path.of("");

    @Test
    void representorIsFoundByItsPortAlsoWhereNamesSayOtherwise() throws IOException {
        plugVf();
        port("eth0", "p0");
        port("eth2", "pf0vf0");
        port("eth1", "pf0vf1");
        port("eth3", "pf0vf2");

        assertThat(vf().representor()).contains("eth1");
        assertThat(vf().physicalNetNames()).containsExactly("eth0");
    }

    @Test
    void representorOfAnOldKernelIsFoundByItsBareNumber() throws IOException {
        plugVf();
        port("ens1f0", "p0");
        port("ens1f0_0", "0");
        port("ens1f0_1", "1");

        assertThat(vf().representor()).contains("ens1f0_1");
    }

    @Test
    void representorsOfOtherHostsAreNotTaken() throws IOException {
        plugVf();
        port("p0", "p0");
        port("pf0hpf", "pf0hpf");
        port("c1pf0vf1", "c1pf0vf1");
        port("pf0sf1", "pf0sf1");

        assertThat(vf().representor()).isEmpty();
        assertThat(vf().physicalNetNames()).containsExactly("p0");
    }

    @Test
    void pfWithTwoInterfacesThatAreNoSwitchHasBoth() throws IOException {
        plugVf();
        write(FUNCTIONS + PF + "/net/ens1/type", "1");
        write(FUNCTIONS + PF + "/net/ens1d1/type", "1");

        assertThat(vf().physicalNetNames()).containsExactly("ens1", "ens1d1");
        assertThat(vf().representor()).isEmpty();
    }

    @Test
    void scanOfOneVfOf256ReadsNothingOfAnother() throws IOException {
        String tree = Files.readString(Path.of("src/test/machines/pf-256-vfs/tree"));
        try (SimulatedNode node = SimulatedNode.unpack(tree, root)) {
            DeviceScan scan = new DeviceScan(node.sysfs());
            PciAddress last = new PciAddress(0, 0x3c, 0, 7);
            List<PciDevice> before = scan.function(last);
            for (PciAddress other : scan.functions()) {
                if (!other.equals(last) && !other.equals(new PciAddress(0, 0x3b, 0, 0))) {
                    Files.delete(root.resolve(FUNCTIONS + other));
                }
            }

            assertThat(scan.function(last))
                    .isEqualTo(before)
                    .singleElement()
                    .isInstanceOfSatisfying(
                            VirtualFunction.class, vf -> assertThat(vf.index()).isEqualTo(255));
        }
    }

    @Test
    void auxiliaryDevicesAreToldFromPlatformDevicesOfTheSameForm() throws IOException {
        write(FUNCTIONS + PF + "/vendor", "0x10ee");
        driver(PF, "xocl");
        Files.createDirectories(root.resolve(FUNCTIONS + PF + "/rom.u.24117248"));
        Files.createDirectories(root.resolve(FUNCTIONS + PF + "/xocl.dma.0"));

        assertThat(function().driverDevices().auxiliaries()).containsExactly("xocl.dma.0");
    }

    @Test
    void subFunctionThatCannotBeReadLeavesItsPfHealthy() throws IOException {
        write(FUNCTIONS + PF + "/vendor", "0x15b3");
        driver(PF, "mlx5_core");
        write(FUNCTIONS + PF + "/mlx5_core.sf.4/sfnum/in/the/way", "");

        assertThat(scan().function(PF))
                .extracting(
                        device -> device.id() + " " + device.health().problem().orElse("healthy"))
                .containsExactly(PF + " healthy", "mlx5_core.sf.4 read sfnum: Is a directory");
    }

    @Test
    void portWithoutGuidIsNotConfiguredYet() throws IOException {
        write(FUNCTIONS + PF + "/vendor", "0x15b3");
        String rdma = FUNCTIONS + PF + "/infiniband/mlx5_0/";
        write(rdma + "node_guid", "0c42:a103:0065:2f3a");
        write(rdma + "ports/1/link_layer", "InfiniBand");
        write(rdma + "ports/1/gids/0", "fe80:0000:0000:0000:0000:0000:0000:0000");

        assertThat(scan().function(PF))
                .singleElement()
                .satisfies(hca ->
                        assertThat(hca.health().problem()).contains("its port GUID is zero: not configured yet"));
    }

    private void plugVf() throws IOException {
        write(FUNCTIONS + PF + "/vendor", "0x15b3");
        write(FUNCTIONS + PF + "/sriov_offset", "2");
        write(FUNCTIONS + PF + "/sriov_stride", "1");
        write(FUNCTIONS + VF + "/vendor", "0x15b3");
        Files.createSymbolicLink(root.resolve(FUNCTIONS + VF + "/physfn"), Path.of("../" + PF));
    }

    private void port(String netName, String portName) throws IOException {
        write(FUNCTIONS + PF + "/net/" + netName + "/phys_port_name", portName);
    }

    private void driver(PciAddress address, String driver) throws IOException {
        Files.createSymbolicLink(
                root.resolve(FUNCTIONS + address + "/driver"), Path.of("../../../bus/pci/drivers/" + driver));
    }

    private VirtualFunction vf() {
        PciDevice device = scan().function(VF).getFirst();
        assertThat(device.health().problem()).isEqualTo(Optional.empty());
        return (VirtualFunction) device;
    }

    private PciFunction function() {
        return scan().function(PF).getFirst().function();
    }

    private DeviceScan scan() {
        return new DeviceScan(Sysfs.at(root));
    }

    private void write(String path, String value) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, value + "\n");
    }
}
