package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A USB device with all its interfaces.
 *
 * @param vendor four hexadecimal digits
 * @param product four hexadecimal digits
 * @param serial empty for the many devices without a serial number
 * @param interfaceClasses six hexadecimal digits for each interface: class, subclass, protocol
 * @param drivers of its interfaces
 * @param controller the PCI function of its host controller
 */
public record UsbDevice(
        String id,
        UsbPort port,
        String vendor,
        String product,
        Optional<String> serial,
        List<String> interfaceClasses,
        List<String> drivers,
        OptionalInt numaNode,
        Optional<PciAddress> controller,
        List<Node> nodes,
        Health health)
        implements Device {

    private static final String HUB = "09";

    public UsbDevice {
        interfaceClasses = List.copyOf(interfaceClasses);
        drivers = List.copyOf(drivers);
        nodes = List.copyOf(nodes);
    }

    /**
     * A device node.
     *
     * @param path the kernel's own name for it, below {@code /dev}
     * @param number such as {@code 188:1}
     * @param subsystem such as {@code tty}
     */
    public record Node(String path, String number, String subsystem) {

        /** Whether a container gets it without being asked: a disk's content is no part of a device. */
        public boolean isUsual() {
            return !subsystem.equals("block");
        }
    }

    /** The same device with another ID, which is shortened if it is too long, and with some of its nodes. */
    public UsbDevice as(String otherId, List<Node> some) {
        String shortened = ShortName.of(otherId, PathDevice.MAX_ID);
        return new UsbDevice(
                shortened,
                port,
                vendor,
                product,
                serial,
                interfaceClasses,
                drivers,
                numaNode,
                controller,
                some,
                health);
    }

    public boolean isHub() {
        return interfaceClasses.stream().anyMatch(code -> code.startsWith(HUB));
    }

    /** Bus and device numbers change each time that it is plugged in, so they tell no device from another. */
    @Override
    public List<IdentifiedNode> identities() {
        String which = serial.map(number -> " serial " + number).orElse(" at " + port);
        String origin = "usb " + vendor + ":" + product + which;
        return nodes.stream()
                .map(node -> new IdentifiedNode(node.path(), node.number(), origin))
                .toList();
    }

    @Override
    public boolean mayLeadElsewhere() {
        return true;
    }

    @Override
    public Optional<String> driver() {
        return drivers.stream().findFirst();
    }

    @Override
    public Kind kind() {
        return Kind.USB;
    }

    @Override
    public UsbDevice withHealth(Health other) {
        return new UsbDevice(
                id, port, vendor, product, serial, interfaceClasses, drivers, numaNode, controller, nodes, other);
    }
}
