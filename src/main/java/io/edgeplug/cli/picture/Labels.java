package io.edgeplug.cli.picture;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.FpgaFunction;
import io.edgeplug.model.device.FpgaRegion;
import io.edgeplug.model.device.Hca;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.Nic;
import io.edgeplug.model.device.OtherPci;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.PlatformFpga;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.RdmaPort;
import io.edgeplug.model.device.SoftwareHca;
import io.edgeplug.model.device.SubFunction;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.VirtualFunction;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The texts on the things in a picture. */
final class Labels {

    /** The class of PCI-to-PCI bridges; see pci.ids. */
    private static final int BRIDGE = 0x0604;

    private Labels() {}

    /** Whether a device is its whole function, and not a part of it. */
    static boolean isWholeFunction(Device device) {
        return !(device instanceof SubFunction) && !(device instanceof FpgaRegion);
    }

    /**
     * A PCI function.
     *
     * @param shown the device that is the function or a part of it; null if it was not scanned
     * @param ofBridge the label if it is a bridge
     */
    static Branch ofFunction(PciAddress address, @Nullable ShownDevice shown, String ofBridge) {
        if (shown == null) {
            return Branch.of(address.toString());
        }
        if (!isWholeFunction(shown.device())) {
            String kind = shown.device().kind() == Kind.FPGA ? "FPGA" : "";
            return Branch.of(address.toString(), kind, driver(shown.device()));
        }
        boolean isBridge =
                shown.device() instanceof OtherPci pci && pci.function().classCode() >> 8 == BRIDGE;
        return isBridge ? branch(shown, address.toString(), ofBridge) : of(shown);
    }

    static Branch of(ShownDevice shown) {
        return switch (shown.device()) {
            case VirtualFunction vf -> branch(shown, "VF " + vf.index(), vf.id(), names(vf.function()), driver(vf));
            case SubFunction sf -> branch(shown, "SF " + sf.index(), sf.id(), names(sf.function()));
            case FpgaRegion region ->
                branch(shown, region.region(), region.afuIds().toArray(String[]::new));
            case FpgaFunction fpga -> branch(shown, fpga.id(), "FPGA", driver(fpga), String.join(" ", fpga.afuIds()));
            case Hca hca -> withPorts(shown, names(hca.function()), driver(hca));
            case Nic nic -> branch(shown, nic.id(), names(nic.function()), driver(nic));
            case OtherPci other -> branch(shown, other.id(), driver(other));
            case SoftwareHca hca -> withPorts(shown, "software RDMA", hca.netName());
            case PlatformFpga fpga -> branch(shown, fpga.id(), "FPGA", driver(fpga));
            case PathDevice path -> branch(shown, path.id(), path.path());
            case UsbDevice usb ->
                branch(shown, usb.id(), "USB " + usb.port(), usb.vendor() + ":" + usb.product(), driver(usb));
        };
    }

    private static Branch withPorts(ShownDevice shown, String... facts) {
        List<Branch> ports =
                shown.device().rdmaDevices().stream().flatMap(Labels::ports).toList();
        return new Branch(shown.device().id(), List.of(facts), Optional.of(shown), ports);
    }

    private static Stream<Branch> ports(RdmaDevice rdma) {
        return rdma.ports().stream()
                .map((RdmaPort port) ->
                        Branch.of(rdma.name() + " port " + port.number(), port.linkLayer(), port.state()));
    }

    private static Branch branch(ShownDevice shown, String label, String... facts) {
        return new Branch(label, List.of(facts), Optional.of(shown), List.of());
    }

    /** The kernel's names of the devices that the driver has made. */
    private static String names(PciFunction function) {
        return String.join(
                " ",
                Stream.concat(
                                function.netNames().stream(),
                                function.rdmaDevices().stream().map(RdmaDevice::name))
                        .toList());
    }

    private static String driver(Device device) {
        return device.driver().orElse("");
    }
}
