package io.edgeplug.lab.simulation;

import io.edgeplug.model.device.PciAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Makes and removes the VFs of a PF when {@code sriov_numvfs} is written, like {@code sriov_numvfs_store} in the
 * kernel's drivers/pci/pci-sysfs.c. If the tree of a PF has no {@code sriov_offset}, only the number is stored, and the
 * caller plugs its VFs.
 */
record SimulatedVfs(NodeFiles files, SimulatedKernel kernel) {

    /** The driver of VFs for each driver of PFs. */
    private static final Map<String, String> DRIVERS =
            Map.of("igb", "igbvf", "ixgbe", "ixgbevf", "i40e", "iavf", "ice", "iavf", "mlx5_core", "mlx5_core");

    private static final Path FUNCTIONS = Path.of("sys/bus/pci/devices");

    void set(Path attribute, int wanted) throws IOException {
        Path pf = attribute.resolveSibling(".").normalize();
        int now = number(pf, "sriov_numvfs");
        if (now == wanted) {
            return;
        }
        if (wanted > number(pf, "sriov_totalvfs")) {
            throw new IOException("Numerical result out of range");
        }
        if (now != 0 && wanted != 0) {
            throw new IOException("Device or resource busy");
        }
        kernel.tell(pf.getFileName() + " sriov_numvfs = " + wanted);
        if (Files.exists(pf.resolve("sriov_offset"))) {
            for (int index = 0; index < now; index++) {
                remove(pf, index);
            }
            for (int index = 0; index < wanted; index++) {
                add(pf, index);
            }
        }
        files.replace(attribute, SimulatedKernel.line(String.valueOf(wanted)));
    }

    private void remove(Path pf, int index) throws IOException {
        Path link = pf.resolve("virtfn" + index);
        Path vf = link.toRealPath();
        // This also removes the links on the bus and at the driver.
        files.remove(vf);
        kernel.announce("remove", vf);
    }

    private void add(Path pf, int index) throws IOException {
        PciAddress of = PciAddress.parse(String.valueOf(pf.getFileName())).orElseThrow();
        int id = of.routingId() + number(pf, "sriov_offset") + index * number(pf, "sriov_stride");
        PciAddress address = new PciAddress(of.domain(), id >> 8, id >> 3 & 0x1f, id & 7);
        Path vf = pf.resolveSibling(address.toString());
        String up = "../".repeat(files.root().resolve("sys").relativize(vf).getNameCount());
        files.add(Tree.parse("""
                [%1$s]
                vendor = %2$s
                device = 0x%3$s
                class = 0x020000
                driver_override = (null)
                enable = 0
                subsystem -> %4$sbus/pci
                physfn -> ../%5$s
                iommu_group -> %4$skernel/iommu_groups/%6$d
                """.formatted(
                        files.root().relativize(vf),
                        SimulatedKernel.text(pf.resolve("vendor")),
                        SimulatedKernel.text(pf.resolve("sriov_vf_device")),
                        up,
                        of,
                        1000 + id)));
        Files.createSymbolicLink(
                files.root().resolve(FUNCTIONS).resolve(address.toString()),
                Path.of("../../../").resolve(files.root().resolve("sys").relativize(vf)));
        Files.createSymbolicLink(pf.resolve("virtfn" + index), Path.of("../" + address));
        String driver = DRIVERS.getOrDefault(
                String.valueOf(pf.resolve("driver").toRealPath().getFileName()), "");
        kernel.know(driver, address.toString());
        kernel.announce("add", vf);
        if (SimulatedKernel.text(pf.resolve("sriov_drivers_autoprobe")).equals("1")) {
            kernel.probe(address.toString());
        }
    }

    private static int number(Path pf, String attribute) throws IOException {
        return Integer.decode(SimulatedKernel.text(pf.resolve(attribute)));
    }
}
