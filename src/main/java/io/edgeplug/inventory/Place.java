package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.linux.Uevent;
import java.util.List;
import java.util.Optional;

/**
 * Where a device is on the node: at a PCI function, or where the kernel has it by its name.
 *
 * @param name the function's address, or the device's ID
 */
record Place(Optional<PciAddress> function, String name) {

    static Place of(Device device) {
        return device instanceof PciDevice pci
                ? of(pci.function().address())
                : new Place(Optional.empty(), device.id());
    }

    static Place of(PciAddress address) {
        return new Place(Optional.of(address), address.toString());
    }

    /** Whether a uevent is of what is there, or of a part of it. */
    boolean isNamedBy(Uevent uevent) {
        return function.isPresent()
                ? PciAddress.lastIn(uevent.devpath()).equals(function)
                : uevent.names().contains(name);
    }

    /** Whether what was there was pulled. */
    boolean isPulledBy(Uevent uevent) {
        List<String> names = uevent.names();
        return uevent.action().equals("remove") && names.getLast().equals(name);
    }
}
