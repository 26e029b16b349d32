package io.edgeplug.node.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.FunctionBuilder;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciIdentity;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a scan tells of functions and of the node's NUMA nodes. */
final class DeviceScanTest {

    private static final PciAddress ADDRESS = new PciAddress(0, 0x3b, 0, 0);

    @TempDir
    private Path root = Path.of("");

    @Test
    void functionIsReadWithAllItsAttributes() throws IOException {
        write("vendor", "0x8086");
        write("device", "0x1592");
        write("class", "0x020000");
        write("subsystem_vendor", "0x8086");
        write("subsystem_device", "0x0002");
        write("numa_node", "1");
        write("sriov_numvfs", "4");
        link("driver", "../../../bus/pci/drivers/ice");
        link("iommu_group", "../../../kernel/iommu_groups/31");
        write("net/ens1f0/mtu", "1500");

        assertThat(device().function())
                .isEqualTo(new FunctionBuilder(ADDRESS)
                        .identity(new PciIdentity(0x8086, 0x1592, 0x8086, 0x0002, 0x020000))
                        .driver("ice", "ens1f0")
                        .numaNode(1)
                        .iommuGroup(31)
                        .virtualFunctions(4)
                        .build());
    }

    @Test
    void functionThatIsNotThereIsAbsent() {
        assertThat(scan().function(ADDRESS)).isEmpty();
    }

    @Test
    void nodeOfMinusOneIsNone() throws IOException {
        write("vendor", "0x8086");
        write("numa_node", "-1");

        assertThat(health().isHealthy()).isTrue();
        assertThat(device().numaNode()).isEmpty();
    }

    @Test
    void attributeThatIsNoNumberMakesItUnhealthy() throws IOException {
        write("vendor", "0x8086");
        write("sriov_numvfs", "");

        assertThat(health().problem()).contains("sriov_numvfs is not a number: \"\"");
    }

    @ParameterizedTest
    @CsvSource({"acpi_index, 3000000000", "acpi_index, none", "numa_node, ''", "subsystem_device, none"})
    void attributeThatOnlyDescribesItMayBeNoNumber(String attribute, String value) throws IOException {
        write("vendor", "0x8086");
        write(attribute, value);

        assertThat(health()).isEqualTo(Health.HEALTHY);
    }

    @Test
    void indexOfTheFirmwareThatNeedsAllItsBitsIsSelected() throws IOException {
        write("vendor", "0x8086");
        write("acpi_index", "3000000000");

        assertThat(SelectorWord.ACPI_INDEXES.compile("3000000000").test(device()))
                .isTrue();
    }

    @Test
    void attributeThatCannotBeReadMakesItUnhealthy() throws IOException {
        write("vendor", "0x8086");
        write("numa_node/in/the/way", "");

        assertThat(health().problem()).contains("read numa_node: Is a directory");
    }

    @Test
    void configurationSpaceOfAllOnesMakesItUnhealthy() throws IOException {
        write("vendor", "0x8086");
        Files.write(file("config"), bytes(256, 0, 256));

        assertThat(health().problem()).contains("does not answer on PCI: its configuration space reads all ones");
    }

    @Test
    void virtualFunctionWhoseIdsReadAllOnesIsHealthy() throws IOException {
        write("vendor", "0x8086");
        Files.write(file("config"), bytes(256, 0, 4));

        assertThat(health().isHealthy()).isTrue();
    }

    @Test
    void sleepingFunctionIsNotWoken() throws IOException {
        write("vendor", "0x8086");
        write("power_state", "D3cold");
        Files.write(file("config"), bytes(256, 0, 256));

        assertThat(health().isHealthy()).isTrue();
    }

    @Test
    void deepDomainsAreRead() throws IOException {
        PciAddress behindVmd = new PciAddress(0x10000, 1, 0, 0);
        Path vendor = root.resolve("sys/bus/pci/devices/10000:01:00.0/vendor");
        Files.createDirectories(vendor.getParent());
        Files.writeString(vendor, "0x8086\n");

        assertThat(scan().functions()).containsExactly(behindVmd);
        assertThat(scan().function(behindVmd)).extracting(Device::id).containsExactly("10000:01:00.0");
    }

    @Test
    void vfThatDoesNotFollowFromItsPfsOffsetIsUnhealthyAndHasNoNegativeIndex() throws IOException {
        write("vendor", "0x8086");
        link("physfn", "../0000:3b:00.1");
        writeTo("0000:3b:00.1", "sriov_offset", "2000");
        writeTo("0000:3b:00.1", "sriov_stride", "1");

        assertThat(device())
                .isInstanceOfSatisfying(
                        VirtualFunction.class, vf -> assertThat(vf.index()).isZero());
        assertThat(health().problem())
                .contains("its PF: its sriov_offset and sriov_stride do not lead to its VF 0000:3b:00.0");
    }

    @Test
    void whatWasKnownStandsWhereItCannotBeRead() throws IOException {
        write("vendor", "0x8086");
        write("device", "0x1592");
        PciDevice known = device();
        Files.delete(file("device"));
        write("device/in/the/way", "");

        assertThat(scan().scan(ADDRESS).devices(List.of(known)))
                .containsExactly(known.withHealth(Health.unhealthy("read device: Is a directory")));
    }

    @Test
    void rootPortIsTheFirstFunctionOnTheWay() throws IOException {
        Path real = root.resolve("sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0");
        Files.createDirectories(real);
        Files.writeString(real.resolve("vendor"), "0x8086\n");
        Files.createDirectories(root.resolve("sys/bus/pci/devices"));
        Files.createSymbolicLink(
                root.resolve("sys/bus/pci/devices/" + ADDRESS),
                Path.of("../../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0"));

        assertThat(device().function().rootPort()).contains(new PciAddress(0, 0x3a, 0, 0));
    }

    @Test
    void nodeOfTheNearestFunctionAboveStandsForOneThatNamesNone() throws IOException {
        Path port = root.resolve("sys/devices/pci0000:3a/0000:3a:00.0");
        Files.createDirectories(port.resolve("0000:3b:00.0"));
        Files.writeString(port.resolve("numa_node"), "1\n");
        Files.writeString(port.resolve("0000:3b:00.0/vendor"), "0x8086\n");
        Files.writeString(port.resolve("0000:3b:00.0/numa_node"), "-1\n");
        Path bus = Files.createDirectories(root.resolve("sys/bus/pci/devices"));
        Files.createSymbolicLink(
                bus.resolve(ADDRESS.toString()), Path.of("../../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0"));
        Files.createSymbolicLink(bus.resolve("0000:3a:00.0"), Path.of("../../../devices/pci0000:3a/0000:3a:00.0"));

        assertThat(device().numaNode()).hasValue(1);
    }

    @Test
    void nodeWithTheSameCpusStandsForNone() throws IOException {
        write("vendor", "0x8086");
        write("numa_node", "-1");
        write("local_cpulist", "4-7");
        for (int node = 0; node < 2; node++) {
            Path path = Files.createDirectories(root.resolve("sys/devices/system/node/node" + node));
            Files.writeString(path.resolve("cpulist"), node == 0 ? "0-3\n" : "4-7\n");
        }

        assertThat(device().numaNode()).hasValue(1);
    }

    @Test
    void numaNodesAreReadAsRanges() throws IOException {
        assertThat(scan().numaNodes()).isEmpty();

        Files.createDirectories(root.resolve("sys/devices/system/node"));
        Files.writeString(root.resolve("sys/devices/system/node/online"), "0-1,4\n");

        assertThat(scan().numaNodes()).containsExactly(0, 1, 4);
    }

    /** Of a tree that somebody else has made: the kernel does not repeat itself. */
    @Test
    void nodesAreNoMoreThanAKernelHas() throws IOException {
        Files.createDirectories(root.resolve("sys/devices/system/node"));
        Files.writeString(root.resolve("sys/devices/system/node/online"), "7-2," + "0-9999,".repeat(500));

        assertThat(scan().numaNodes()).hasSize(1024);
    }

    private DeviceScan scan() {
        return new DeviceScan(Sysfs.at(root));
    }

    private PciDevice device() {
        return scan().function(ADDRESS).getFirst();
    }

    private Health health() {
        return device().health();
    }

    private Path file(String name) throws IOException {
        Path path = root.resolve("sys/bus/pci/devices/" + ADDRESS).resolve(name);
        Files.createDirectories(path.getParent());
        return path;
    }

    private void write(String name, String value) throws IOException {
        Files.writeString(file(name), value + "\n");
    }

    private void writeTo(String address, String name, String value) throws IOException {
        Path path = root.resolve("sys/bus/pci/devices/" + address).resolve(name);
        Files.createDirectories(path.getParent());
        Files.writeString(path, value + "\n");
    }

    private void link(String name, String target) throws IOException {
        Files.createSymbolicLink(file(name), Path.of(target));
    }

    private static byte[] bytes(int size, int from, int to) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, from, to, (byte) 0xff);
        return bytes;
    }
}
