package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.system.udev.Uevent;
import java.util.List;
import java.util.Optional;

/**
 * The place of a device on the node: a PCI function, a port of USB, or the kernel's name for the device.
 *
 * @param name the function's address, the port, or the device's ID
 */
record Place(Optional<PciAddress> function, String name) {

    static Place of(Device device) {
        if (device instanceof PciDevice pci) {
            return of(pci.function().address());
        }
        String name = device instanceof UsbDevice usb ? usb.port().path() : device.id();
        return new Place(Optional.empty(), name);
    }

    /** The place of a device with that ID. */
    static Place ofId(String id) {
        return PciAddress.ofId(id).map(Place::of).orElseGet(() -> new Place(Optional.empty(), id));
    }

    static Place of(PciAddress address) {
        return new Place(Optional.of(address), address.toString());
    }

    /** Whether a uevent is about the device at this place, or about a part of it. */
    boolean isNamedBy(Uevent uevent) {
        return function.isPresent()
                ? PciAddress.lastIn(uevent.devpath()).equals(function)
                : uevent.names().contains(name);
    }

    /** Whether the uevent says that the device at this place was pulled. */
    boolean isPulledBy(Uevent uevent) {
        List<String> names = uevent.names();
        return uevent.action().equals("remove") && names.getLast().equals(name);
    }
}
