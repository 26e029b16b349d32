package io.edgeplug.node.scan;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.FpgaFunction;
import io.edgeplug.model.device.FpgaRegion;
import io.edgeplug.model.device.Hca;
import io.edgeplug.model.device.Nic;
import io.edgeplug.model.device.OtherPci;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.PlatformFpga;
import io.edgeplug.model.device.SoftwareHca;
import io.edgeplug.model.device.SubFunction;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.Vfio;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/**
 * Whether a device that appears is complete. Drivers make its interfaces and nodes one after the other, mostly without
 * a uevent of the function itself.
 *
 * <p>Only devices that appear are asked. A VF in use would look incomplete, because its interface is in the network
 * namespace of a container.
 */
public final class Readiness {

    private static final String UDEV = "run/udev/data";

    /** Drivers that only pass the function on to programs, like those of VFIO, and make nothing of it. */
    private static final Set<String> PASSING_ON = Set.of("uio_pci_generic", "igb_uio", "pci-stub");

    private Readiness() {}

    /** Whether the device is complete. */
    public static boolean isReady(Device device) {
        return hasNodes(device)
                && switch (device) {
                    case VirtualFunction vf -> isDriven(vf.function());
                    case SubFunction sf -> isDriven(sf.function());
                    case Nic nic -> isDriven(nic.function());
                    case Hca hca -> isDriven(hca.function());
                    case FpgaRegion region -> !region.afuIds().isEmpty();
                    case FpgaFunction card -> true;
                    case OtherPci other -> true;
                    case SoftwareHca hca -> true;
                    case PlatformFpga fpga -> true;
                    case PathDevice path -> true;
                    case UsbDevice usb -> true;
                };
    }

    /** RDMA needs the nodes of the device and a GUID. */
    private static boolean hasNodes(Device device) {
        return device.rdmaDevices().stream()
                .allMatch(rdma -> !rdma.nodes().isEmpty() && rdma.health().isHealthy());
    }

    private static boolean isDriven(PciFunction function) {
        return function.driver()
                .map(driver -> PASSING_ON.contains(driver)
                        || Vfio.isDriver(driver)
                        || !function.isNetwork()
                        || !function.netNames().isEmpty()
                        || !function.rdmaDevices().isEmpty())
                .orElse(false);
    }

    /**
     * Whether udev has named an interface, if there is a udev. It notes an interface after it has renamed it; see
     * sd_device_get_is_initialized in systemd.
     */
    public static boolean isNamed(Sysfs sysfs, String netInterface) {
        try {
            Optional<String> index = sysfs.read("sys/class/net/" + netInterface + "/ifindex");
            return index.isEmpty() || !sysfs.exists(UDEV) || sysfs.exists(UDEV + "/n" + index.orElseThrow());
        } catch (IOException e) {
            return true;
        }
    }
}
