package io.edgeplug.model.rules;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DriverDevices;
import io.edgeplug.model.device.Fpga;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.PfPart;
import io.edgeplug.model.device.PlatformFpga;
import io.edgeplug.model.device.RdmaPort;
import io.edgeplug.model.device.SoftwareHca;
import io.edgeplug.model.device.SubFunction;
import io.edgeplug.model.device.UsbDevice;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The properties of a device, as texts that the values of selectors are compared with. */
final class SelectorFacts {

    private static final HexFormat HEX = HexFormat.of();

    private SelectorFacts() {}

    static List<String> device(PciFunction function) {
        return List.of(HEX.toHexDigits((short) function.device()));
    }

    static List<String> classCode(PciFunction function) {
        return List.of(HEX.toHexDigits(function.classCode(), 6));
    }

    static List<String> address(PciFunction function) {
        return List.of(function.address().toString());
    }

    static List<String> acpiIndex(PciFunction function) {
        return function.acpiIndex().stream().mapToObj(String::valueOf).toList();
    }

    static List<String> vendors(Device device) {
        return switch (device) {
            case PciDevice pci -> List.of(HEX.toHexDigits((short) pci.function().vendor()));
            case UsbDevice usb -> List.of(usb.vendor());
            case SoftwareHca hca -> List.of();
            case PlatformFpga fpga -> List.of();
            case PathDevice path -> List.of();
        };
    }

    /** Each interface of a USB device has a driver of its own. */
    static List<String> drivers(Device device) {
        return device instanceof UsbDevice usb
                ? usb.drivers()
                : device.driver().stream().toList();
    }

    static List<String> pfNames(Device device) {
        return switch (device) {
            case PfPart part ->
                part.physicalNames().stream().map(pf -> pf + "#" + part.index()).toList();
            case PciDevice whole -> whole.function().allNetNames();
            case SoftwareHca hca -> List.of(hca.netName());
            case PlatformFpga fpga -> List.of();
            case PathDevice path -> List.of();
            case UsbDevice usb -> List.of();
        };
    }

    static List<String> rootDevice(Device device) {
        return switch (device) {
            case PfPart part -> List.of(part.physicalFunction() + "#" + part.index());
            case PciDevice whole -> List.of(whole.function().address().toString());
            case SoftwareHca hca -> List.of();
            case PlatformFpga fpga -> List.of();
            case PathDevice path -> List.of();
            case UsbDevice usb -> List.of();
        };
    }

    static List<String> linkTypes(Device device) {
        return switch (device) {
            case PciDevice pci -> pci.function().linkTypes();
            case SoftwareHca hca ->
                ports(hca).flatMap(port -> port.linkType().stream()).distinct().toList();
            case PlatformFpga fpga -> List.of();
            case PathDevice path -> List.of();
            case UsbDevice usb -> List.of();
        };
    }

    static List<String> partitionKeys(Device device) {
        return ports(device)
                .map(RdmaPort::partitionKey)
                .filter(key -> !key.isEmpty())
                .distinct()
                .toList();
    }

    private static Stream<RdmaPort> ports(Device device) {
        return device.rdmaDevices().stream().flatMap(rdma -> rdma.ports().stream());
    }

    static List<String> auxiliaryTypes(Device device) {
        return switch (device) {
            case SubFunction sf -> List.of(DriverDevices.type(sf.id()));
            case PciDevice pci -> pci.function().driverDevices().auxiliaryTypes();
            case SoftwareHca hca -> List.of();
            case PlatformFpga fpga -> List.of();
            case PathDevice path -> List.of();
            case UsbDevice usb -> List.of();
        };
    }

    static List<String> vdpaTypes(Device device) {
        return device instanceof PciDevice pci
                ? pci.function().driverDevices().vdpas().stream()
                        .flatMap(vdpa -> vdpa.type().stream())
                        .distinct()
                        .toList()
                : List.of();
    }

    static List<String> afuIds(Device device) {
        return device instanceof Fpga fpga ? plain(fpga.afuIds()) : List.of();
    }

    static List<String> compatIds(Device device) {
        return device instanceof Fpga fpga ? plain(fpga.compatId().stream().toList()) : List.of();
    }

    private static List<String> plain(List<String> ids) {
        return ids.stream()
                .map(id -> id.replace("-", "").toLowerCase(Locale.ROOT))
                .toList();
    }
}
