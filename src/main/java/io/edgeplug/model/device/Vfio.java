package io.edgeplug.model.device;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The device nodes of a function that is bound to a VFIO driver; see Documentation/driver-api/vfio.rst in the kernel.
 *
 * @param group the number of the group's node in {@code /dev/vfio}; empty if the kernel has only IOMMUFD
 * @param isWithoutIommu whether the kernel made up the group, as in a VM; its node then has another name
 * @param device the name of the function's own node in {@code /dev/vfio/devices} for IOMMUFD, such as {@code vfio0}
 */
public record Vfio(OptionalInt group, boolean isWithoutIommu, Optional<String> device) {

    public Optional<String> groupNode() {
        return group.isPresent()
                ? Optional.of("/dev/vfio/" + (isWithoutIommu ? "noiommu-" : "") + group.getAsInt())
                : Optional.empty();
    }

    public Optional<String> deviceNode() {
        return device.map(name -> "/dev/vfio/devices/" + name);
    }

    /** Whether the name is {@code vfio-pci} or one of its variants, such as {@code mlx5_vfio_pci}. */
    public static boolean isDriver(String driver) {
        return driver.equals("vfio-pci") || driver.endsWith("_vfio_pci");
    }
}
