package io.edgeplug.cli.devices;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DriverDevices;
import io.edgeplug.model.device.FpgaRegion;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.PciIdentity;
import io.edgeplug.model.device.PlatformFpga;
import io.edgeplug.model.device.SoftwareHca;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.VdpaDevice;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Sharing;
import io.edgeplug.node.inventory.Inventory.Item;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The values of a scanned device for {@link Column}. */
final class DeviceFacts {

    private DeviceFacts() {}

    /** The device, if it is of that type. */
    static <T> Optional<T> as(Class<T> type, Item item) {
        return Optional.of(item.device()).filter(type::isInstance).map(type::cast);
    }

    static Optional<PciFunction> function(Item item) {
        return as(PciDevice.class, item).map(PciDevice::function);
    }

    static Optional<String> path(Device device) {
        return device instanceof PathDevice path
                ? joined(path.files().stream().map(PathDevice.File::path).toList())
                : Optional.empty();
    }

    static String health(Device device) {
        return device.health().problem().map(problem -> "unhealthy: " + problem).orElse("healthy");
    }

    static Optional<Integer> iommuGroup(PciFunction function) {
        return function.iommuGroup().stream().boxed().findFirst();
    }

    static Optional<Long> acpiIndex(PciFunction function) {
        return function.acpiIndex().stream().boxed().findFirst();
    }

    static Optional<String> numaFrom(Item item) {
        if (item.deviceClass()
                .filter(taker -> !taker.placement().numaNodes().isEmpty())
                .isPresent()) {
            return Optional.of("class");
        }
        return item.device().isNumaGuess() ? Optional.of("guess") : Optional.empty();
    }

    static Optional<String> subsystem(PciFunction function) {
        PciIdentity identity = function.identity();
        return identity.subsystemVendor() == 0
                ? Optional.empty()
                : Optional.of(hex(identity.subsystemVendor(), identity.subsystemDevice()));
    }

    /** The vendor and device IDs, as {@code list} shows them. */
    static Optional<String> ids(Device device) {
        return switch (device) {
            case UsbDevice usb -> Optional.of(usb.vendor() + ":" + usb.product());
            case PciDevice pci ->
                Optional.of(hex(pci.function().vendor(), pci.function().device()));
            case SoftwareHca hca -> Optional.empty();
            case PlatformFpga fpga -> Optional.empty();
            case PathDevice path -> Optional.empty();
        };
    }

    static DriverDevices made(Item item) {
        return function(item).map(PciFunction::driverDevices).orElse(DriverDevices.NONE);
    }

    static String vdpa(VdpaDevice vdpa) {
        return vdpa.name() + ":" + vdpa.type().orElse("no driver");
    }

    static List<String> nodes(Device device) {
        Stream<String> own = device instanceof FpgaRegion region ? region.nodes().stream() : Stream.of();
        Stream<String> made = device instanceof PciDevice pci
                ? Stream.concat(
                        pci.function().driverDevices().nodes().stream(),
                        pci.function().driverDevices().vdpas().stream().flatMap(vdpa -> vdpa.node().stream()))
                : Stream.of();
        Stream<String> rdma = device.rdmaDevices().stream().flatMap(one -> one.nodes().stream());
        return Stream.of(own, made, rdma).flatMap(nodes -> nodes).distinct().toList();
    }

    static List<String> portStates(Device device) {
        return device.rdmaDevices().stream()
                .flatMap(rdma -> rdma.ports().stream()
                        .map(port -> "%s/%d:%s:%s:%s"
                                .formatted(
                                        rdma.name(),
                                        port.number(),
                                        port.linkLayer(),
                                        port.state(),
                                        port.physicalState())))
                .toList();
    }

    static Optional<?> numbers(List<Integer> numbers) {
        return numbers.size() == 1
                ? Optional.of(numbers.getFirst())
                : joined(numbers.stream().map(String::valueOf).toList());
    }

    static Optional<Integer> shares(Item item) {
        return item.deviceClass()
                .map(DeviceClass::sharing)
                .filter(Sharing::isShared)
                .map(Sharing::shares);
    }

    static Optional<String> joined(List<String> names) {
        return Optional.of(names.stream().filter(name -> !name.isEmpty()).collect(Collectors.joining(",")))
                .filter(text -> !text.isEmpty());
    }

    static Optional<String> vfs(PciFunction function) {
        return function.totalVirtualFunctions().stream()
                .mapToObj(total -> function.virtualFunctions() + "/" + total)
                .findFirst();
    }

    static String hex(int vendor, int device) {
        return "%04x:%04x".formatted(vendor, device);
    }
}
