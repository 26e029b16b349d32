package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;

/**
 * The driver that is bound to a PCI function or to a part of one, and what the driver has made of it.
 *
 * @param driver the driver's name; empty if none is bound
 * @param netNames the network interfaces, sorted
 * @param altNames alternative names of these interfaces
 * @param linkTypes of the interfaces and RDMA ports, {@code ether} or {@code infiniband}, sorted
 * @param rdmaDevices those of the function, then those in software on its interfaces
 * @param driverDevices other devices that the driver has made
 * @param nodeUse how the node itself uses these interfaces
 * @param vfio the nodes by which programs reach the function, if it is bound to a VFIO driver
 */
public record DriverBinding(
        Optional<String> driver,
        List<String> netNames,
        List<String> altNames,
        List<String> linkTypes,
        List<RdmaDevice> rdmaDevices,
        DriverDevices driverDevices,
        NodeUse nodeUse,
        Optional<Vfio> vfio) {

    public DriverBinding {
        netNames = List.copyOf(netNames);
        altNames = List.copyOf(altNames);
        linkTypes = List.copyOf(linkTypes);
        rdmaDevices = List.copyOf(rdmaDevices);
    }

    /** A driver that has made nothing, or no driver at all. */
    public static DriverBinding of(Optional<String> driver) {
        return new DriverBinding(
                driver, List.of(), List.of(), List.of(), List.of(), DriverDevices.NONE, NodeUse.NONE, Optional.empty());
    }
}
