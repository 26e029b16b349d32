package io.edgeplug.node.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.Nic;
import io.edgeplug.model.device.NodeUse;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

/** A node with one virtio adapter, enp1s0, and any other interfaces. */
abstract class OnNetInterfaces {

    static final PciAddress ADDRESS = new PciAddress(0, 1, 0, 0);
    static final String IPV4 = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n";
    static final String ZEROS = "0".repeat(32);

    static final DeviceClass NICS = DeviceClass.of(
            ResourceName.parse("example.com/nic"),
            Kind.NIC,
            new Selector(Map.of(SelectorWord.PF_NAMES, List.of("enp1s0"))));

    @TempDir
    Path root = Path.of("");

    final NodeUse use() throws IOException {
        return nic().function().nodeUse();
    }

    final void add(String path) throws IOException {
        Files.createDirectories(root.resolve("sys/class/net").resolve(path));
    }

    final void write(String path, String text) throws IOException {
        Path file = root.resolve("sys/class/net").resolve(path);
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, text + "\n");
    }

    final void master(String port, String master) throws IOException {
        add(port);
        Files.createSymbolicLink(root.resolve("sys/class/net/" + port + "/master"), Path.of("../" + master));
    }

    final void addresses6(String lines) throws IOException {
        Files.writeString(Files.createDirectories(root.resolve("proc/net")).resolve("if_inet6"), lines);
    }

    final void plug() throws IOException {
        Path function = root.resolve("sys/bus/pci/devices/" + ADDRESS);
        Files.createDirectories(function.resolve("virtio0/net/enp1s0"));
        Files.writeString(function.resolve("vendor"), "0x1af4\n");
        Files.writeString(function.resolve("class"), "0x020000\n");
        Files.createSymbolicLink(function.resolve("driver"), Path.of("../../../bus/pci/drivers/virtio-pci"));
    }

    /** As a captured node has it, of what the kernel tells by netlink. */
    final void routes(String... lines) throws IOException {
        Files.write(Files.createDirectories(root.resolve("proc/net")).resolve("routes"), List.of(lines));
    }

    final void routes4(String lines) throws IOException {
        Files.writeString(Files.createDirectories(root.resolve("proc/net")).resolve("route"), IPV4 + lines);
    }

    final void routes6(String lines) throws IOException {
        Files.writeString(Files.createDirectories(root.resolve("proc/net")).resolve("ipv6_route"), lines);
    }

    final Nic nic() {
        PciDevice device = new DeviceScan(Sysfs.at(root)).function(ADDRESS).getFirst();
        assertThat(device.health().problem()).isEmpty();
        assertThat(device).isInstanceOf(Nic.class);
        return (Nic) device;
    }

    /** As {@code ProcSubset=pid} of systemd does. */
    final void hideAllButProcesses() throws IOException {
        Files.createDirectories(root.resolve("proc/thread-self"));
        Files.move(root.resolve("proc/net"), root.resolve("proc/thread-self/net"));
    }
}
