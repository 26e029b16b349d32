package io.edgeplug.model.device;

/**
 * The IDs in the configuration header of a PCI function.
 *
 * @param vendor 16 bits, such as {@code 0x8086}; 0 if it cannot be read
 * @param device 16 bits; 0 if it cannot be read
 * @param subsystemVendor 16 bits; 0 if there is none
 * @param subsystemDevice 16 bits; 0 if there is none
 * @param classCode base class, subclass and programming interface in 24 bits, such as {@code 0x020000} for Ethernet
 */
public record PciIdentity(int vendor, int device, int subsystemVendor, int subsystemDevice, int classCode) {

    static final PciIdentity UNKNOWN = new PciIdentity(0, 0, 0, 0, 0);
}
