package io.edgeplug.model.device;

import java.util.List;

/**
 * Devices that a driver has made of a function, other than network interfaces and RDMA devices.
 *
 * @param auxiliaries devices on the auxiliary bus, such as {@code mlx5_core.rdma.0}, sorted; see
 *     Documentation/driver-api/auxiliary_bus.rst in the kernel
 * @param vdpas vDPA devices, by name
 * @param nodes device nodes of the function itself, absolute and sorted: those of uio, DRM render nodes,
 *     {@code /dev/xclmgmt*}
 */
public record DriverDevices(List<String> auxiliaries, List<VdpaDevice> vdpas, List<String> nodes) {

    /** A driver that makes none, or no driver at all. */
    public static final DriverDevices NONE = new DriverDevices(List.of(), List.of(), List.of());

    public DriverDevices {
        auxiliaries = List.copyOf(auxiliaries);
        vdpas = List.copyOf(vdpas);
        nodes = List.copyOf(nodes);
    }

    /** The types of the auxiliary devices, each once. */
    public List<String> auxiliaryTypes() {
        return auxiliaries.stream().map(DriverDevices::type).distinct().toList();
    }

    /** The type in the name of an auxiliary device, such as {@code sf} in {@code mlx5_core.sf.4}. */
    public static String type(String auxiliary) {
        return auxiliary.substring(auxiliary.indexOf('.') + 1, auxiliary.lastIndexOf('.'));
    }
}
