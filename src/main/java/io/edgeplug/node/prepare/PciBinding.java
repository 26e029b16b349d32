package io.edgeplug.node.prepare;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.node.scan.PhysicalFunctionScan;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/** The driver of a function, and changes of it; see Documentation/ABI/testing/sysfs-bus-pci. */
public record PciBinding(Sysfs sysfs, PciAddress address) {

    static final String FUNCTIONS = "sys/bus/pci/devices/";

    private static final String DRIVERS = "sys/bus/pci/drivers/";

    /** The kernel's text for no override. */
    private static final String NO_OVERRIDE = "(null)";

    /** Drivers that make nothing of a function by themselves, so that a reset under them is harmless. */
    private static final Set<String> PASSIVE = Set.of("vfio-pci", "uio_pci_generic", "igb_uio", "pci-stub");

    String directory() {
        return FUNCTIONS + address + "/";
    }

    public Optional<String> driver() throws IOException {
        return sysfs.linkName(directory() + "driver");
    }

    /** Whether its driver has made network interfaces or other devices of it, which a reset would break. */
    boolean isInUseByDriver() throws IOException {
        return driver().filter(driver -> !PASSIVE.contains(driver)).isPresent();
    }

    /** Whether its network interface is in another network namespace, probably that of a pod. */
    boolean hasInterfaceElsewhere() throws IOException {
        return PhysicalFunctionScan.hasInterfaceElsewhere(sysfs, directory());
    }

    public void unbind() throws IOException {
        sysfs.write(directory() + "driver/unbind", address.toString());
    }

    public void bind(String driver) throws IOException {
        sysfs.write(DRIVERS + driver + "/bind", address.toString());
        if (!driver().equals(Optional.of(driver))) {
            throw new IOException("the kernel has not bound it to " + driver);
        }
    }

    public boolean isLoaded(String driver) throws IOException {
        return sysfs.exists(DRIVERS + driver);
    }

    /** The only driver that it may be bound to; empty if any may be. */
    public Optional<String> override() throws IOException {
        return sysfs.read(directory() + "driver_override").filter(text -> !text.equals(NO_OVERRIDE) && !text.isEmpty());
    }

    /** Sets the override; an empty text and a newline clear it. */
    public void override(String driver) throws IOException {
        sysfs.write(directory() + "driver_override", driver + "\n");
    }

    /** The methods to reset it, best first; empty before Linux 5.15. */
    Optional<String> resetMethods() throws IOException {
        return sysfs.read(directory() + "reset_method");
    }

    void resetMethods(String methods) throws IOException {
        sysfs.write(directory() + "reset_method", methods);
    }

    void reset() throws IOException {
        sysfs.write(directory() + "reset", "1");
    }
}
