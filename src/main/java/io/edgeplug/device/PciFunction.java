package io.edgeplug.device;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * One PCI function as sysfs shows it; see Documentation/ABI/testing/sysfs-bus-pci in the kernel.
 *
 * @param vendor 16 bits, as {@code 0x8086}; 0 where it cannot be read
 * @param device 16 bits; 0 where it cannot be read
 * @param subsystemVendor 16 bits; 0 where there is none
 * @param subsystemDevice 16 bits; 0 where there is none
 * @param classCode base class, subclass and programming interface in 24 bits, as {@code 0x020000} for Ethernet
 * @param driver the bound driver's name
 * @param numaNode the node it is nearest to, from 0; empty where none is known
 * @param isNumaGuess whether the firmware names no node, and this one follows from what is around the function
 * @param iommuGroup the number of the group it is isolated in
 * @param acpiIndex which onboard device it is, as the firmware counts them ({@code acpi_index})
 * @param rootPort the function below the host bridge through which it is reached; empty if it sits there itself
 * @param netNames its network interfaces, sorted
 * @param linkTypes of its interfaces and RDMA ports, {@code ether} or {@code infiniband}, sorted
 * @param rdmaDevices its own, then those in software on its interfaces
 * @param driverDevices what else its driver has made of it
 * @param carriesDefaultRoute whether the node would lose its default route with these interfaces
 * @param virtualFunctions how many VFs it has now ({@code sriov_numvfs})
 * @param vfio by which nodes programs reach it, if it is bound to a VFIO driver
 */
public record PciFunction(
        PciAddress address,
        int vendor,
        int device,
        int subsystemVendor,
        int subsystemDevice,
        int classCode,
        Optional<String> driver,
        OptionalInt numaNode,
        boolean isNumaGuess,
        OptionalInt iommuGroup,
        OptionalLong acpiIndex,
        Optional<PciAddress> rootPort,
        List<String> netNames,
        List<String> linkTypes,
        List<RdmaDevice> rdmaDevices,
        DriverDevices driverDevices,
        boolean carriesDefaultRoute,
        int virtualFunctions,
        Optional<Vfio> vfio) {

    private static final int NETWORK = 0x02;

    public PciFunction {
        netNames = List.copyOf(netNames);
        linkTypes = List.copyOf(linkTypes);
        rdmaDevices = List.copyOf(rdmaDevices);
    }

    /** One of which nothing but its address is known. */
    static PciFunction unknown(PciAddress address) {
        return new PciFunction(
                address,
                0,
                0,
                0,
                0,
                0,
                Optional.empty(),
                OptionalInt.empty(),
                false,
                OptionalInt.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                List.of(),
                List.of(),
                List.of(),
                DriverDevices.NONE,
                false,
                0,
                Optional.empty());
    }

    /** A part of this function that has a driver and devices of its own, and is below it in all else. */
    PciFunction part(
            Optional<String> partDriver,
            List<String> partNetNames,
            List<String> partLinkTypes,
            List<RdmaDevice> partRdmaDevices,
            DriverDevices partDriverDevices,
            boolean partCarriesDefaultRoute) {
        return new PciFunction(
                address,
                vendor,
                device,
                subsystemVendor,
                subsystemDevice,
                classCode,
                partDriver,
                numaNode,
                isNumaGuess,
                iommuGroup,
                acpiIndex,
                rootPort,
                partNetNames,
                partLinkTypes,
                partRdmaDevices,
                partDriverDevices,
                partCarriesDefaultRoute,
                0,
                Optional.empty());
    }

    /** Whether its base class is that of network controllers: Ethernet, InfiniBand and others. */
    boolean isNetwork() {
        return classCode >> 16 == NETWORK;
    }
}
