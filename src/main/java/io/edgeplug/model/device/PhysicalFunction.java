package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * An SR-IOV physical function and its VFs; see Documentation/PCI/pci-iov-howto.rst in the kernel.
 *
 * @param device the PF as a device
 * @param totalVfs how many VFs it can have ({@code sriov_totalvfs}); 0 if firmware or BIOS has SR-IOV off
 * @param count how many VFs it has ({@code sriov_numvfs})
 * @param probesDrivers whether the kernel binds a driver to new VFs ({@code sriov_drivers_autoprobe}); empty if it does
 *     not report this
 * @param port its network interface
 * @param isSwitchdev whether its embedded switch is known to be in switchdev mode; sysfs shows that only by the
 *     representors of VFs
 * @param vfs the VFs that are there now; their number may still change
 */
public record PhysicalFunction(
        PciDevice device,
        int totalVfs,
        int count,
        Optional<Boolean> probesDrivers,
        Optional<Port> port,
        boolean isSwitchdev,
        List<Vf> vfs) {

    public PhysicalFunction {
        vfs = List.copyOf(vfs);
    }

    /** A PF that cannot be read. */
    public static PhysicalFunction unread(PciDevice device) {
        return new PhysicalFunction(device, 0, 0, Optional.empty(), Optional.empty(), false, List.of());
    }

    /**
     * The network interface of a PF.
     *
     * @param address its permanent MAC address if a bond reports it, otherwise the current one
     * @param isUp empty if the kernel does not report it
     */
    public record Port(String name, Optional<String> address, OptionalInt mtu, Optional<Boolean> isUp) {}

    /**
     * One of its VFs.
     *
     * @param index from 0
     * @param override the only driver that it may be bound to
     * @param nodeGuid of its RDMA device, such as {@code 0c42:a103:0065:2f3a}
     * @param isInterfaceElsewhere whether its network interface is in another network namespace, such as that of a pod
     */
    public record Vf(
            int index,
            PciAddress address,
            Optional<String> driver,
            Optional<String> override,
            OptionalInt iommuGroup,
            Optional<String> nodeGuid,
            boolean isInterfaceElsewhere) {}

    public PciAddress address() {
        return device.function().address();
    }

    public Optional<String> driver() {
        return device.driver();
    }

    /** The same with the mode of its eswitch as devlink reports it. */
    public PhysicalFunction inSwitchdev(boolean is) {
        return new PhysicalFunction(device, totalVfs, count, probesDrivers, port, is, vfs);
    }

    /** Its address and its interface, because people look for either. */
    public String name() {
        return address() + port.map(one -> " " + one.name()).orElse("");
    }
}
