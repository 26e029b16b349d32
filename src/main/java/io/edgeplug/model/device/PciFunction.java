package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * One PCI function as sysfs shows it; see Documentation/ABI/testing/sysfs-bus-pci in the kernel.
 *
 * @param virtualFunctions how many VFs it has now ({@code sriov_numvfs})
 * @param totalVirtualFunctions how many VFs it can have ({@code sriov_totalvfs}); empty if it is no PF
 */
public record PciFunction(
        PciAddress address,
        PciIdentity identity,
        PciTopology topology,
        DriverBinding binding,
        int virtualFunctions,
        OptionalInt totalVirtualFunctions) {

    private static final int NETWORK = 0x02;

    /** A function of which only the address is known. */
    public static PciFunction unknown(PciAddress address) {
        return new PciFunction(
                address,
                PciIdentity.UNKNOWN,
                PciTopology.UNKNOWN,
                DriverBinding.of(Optional.empty()),
                0,
                OptionalInt.empty());
    }

    /** A part of this function with a driver and devices of its own. Everything else is that of this function. */
    public PciFunction part(DriverBinding ofPart) {
        return new PciFunction(address, identity, topology, ofPart, 0, OptionalInt.empty());
    }

    /** Whether its base class is that of network controllers, such as Ethernet and InfiniBand. */
    public boolean isNetwork() {
        return classCode() >> 16 == NETWORK;
    }

    // These accessors save callers from knowing which part of the function has an answer.

    public int vendor() {
        return identity.vendor();
    }

    public int device() {
        return identity.device();
    }

    public int classCode() {
        return identity.classCode();
    }

    public OptionalInt iommuGroup() {
        return topology.iommuGroup();
    }

    public OptionalLong acpiIndex() {
        return topology.acpiIndex();
    }

    public Optional<PciAddress> rootPort() {
        return topology.rootPort();
    }

    /** The PF if this is a VF. */
    public Optional<PciAddress> physicalFunction() {
        return topology.physicalFunction();
    }

    public Optional<String> driver() {
        return binding.driver();
    }

    public List<String> netNames() {
        return binding.netNames();
    }

    public List<String> altNames() {
        return binding.altNames();
    }

    /** The names and alternative names of its interfaces. */
    public List<String> allNetNames() {
        return Stream.concat(binding.netNames().stream(), binding.altNames().stream())
                .toList();
    }

    public List<String> linkTypes() {
        return binding.linkTypes();
    }

    public List<RdmaDevice> rdmaDevices() {
        return binding.rdmaDevices();
    }

    public DriverDevices driverDevices() {
        return binding.driverDevices();
    }

    public NodeUse nodeUse() {
        return binding.nodeUse();
    }

    public Optional<Vfio> vfio() {
        return binding.vfio();
    }
}
