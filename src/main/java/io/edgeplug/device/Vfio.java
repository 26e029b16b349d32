package io.edgeplug.device;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * How programs reach a function that is bound to a VFIO driver; see Documentation/driver-api/vfio.rst in the kernel.
 *
 * @param group the number of the group's node in {@code /dev/vfio}; empty on a kernel that has none, and only IOMMUFD
 * @param isWithoutIommu whether the group is one that the kernel made up, in a VM, where its node is named otherwise
 * @param device the name of the function's own node in {@code /dev/vfio/devices}, for IOMMUFD, as {@code vfio0}
 */
public record Vfio(OptionalInt group, boolean isWithoutIommu, Optional<String> device) {

    /** The node of the group. */
    public Optional<String> groupNode() {
        return group.isPresent()
                ? Optional.of("/dev/vfio/" + (isWithoutIommu ? "noiommu-" : "") + group.getAsInt())
                : Optional.empty();
    }

    /** The node of the function alone. */
    public Optional<String> deviceNode() {
        return device.map(name -> "/dev/vfio/devices/" + name);
    }

    /** Whether a driver of that name is {@code vfio-pci} or one of its variants, as {@code mlx5_vfio_pci}. */
    public static boolean isDriver(String driver) {
        return driver.equals("vfio-pci") || driver.endsWith("_vfio_pci");
    }
}
