package io.edgeplug.cli;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.FpgaRegion;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PciFunction;
import io.edgeplug.device.PlatformFpga;
import io.edgeplug.device.RdmaDevice;
import io.edgeplug.device.ResourceName;
import io.edgeplug.device.Sharing;
import io.edgeplug.device.SoftwareHca;
import io.edgeplug.device.VirtualFunction;
import io.edgeplug.inventory.Inventory.Item;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A column of {@code list}: its heading, its line of help, and the value of a device, which is a String, an Integer or
 * absent.
 */
enum Column {
    DEVICE(
            "ID that the kubelet and the container see",
            item -> Optional.of(item.device().id())),
    KIND(
            "vf, nic, fpga, hca, pci or path",
            item -> Optional.of(item.device().kind().word())),
    IDS("PCI vendor and device", pci(function -> hex(function.vendor(), function.device()))),
    DRIVER("bound driver", item -> item.device().driver()),
    NUMA("NUMA node, or several with commas", item -> numbers(item.numaNodes())),
    RESOURCE("extended resource that the device backs", item -> item.resource().map(ResourceName::toString)),
    HEALTH("healthy, or what is wrong", item -> Optional.of(health(item.device()))),
    SHARES("number of containers that can have the device, if more than one", Column::shares),
    CLASS("PCI class", pci(function -> "%06x".formatted(function.classCode()))),
    SUBSYSTEM("PCI subsystem vendor and device", item -> function(item).flatMap(Column::subsystem)),
    IOMMU("IOMMU group", item -> function(item).flatMap(function -> number(function.iommuGroup()))),
    NET("network interfaces", item -> joined(netNames(item.device()))),
    LINK(
            "types of links",
            item -> joined(function(item).map(PciFunction::linkTypes).orElse(List.of()))),
    RDMA(
            "RDMA devices",
            item -> joined(
                    item.device().rdmaDevices().stream().map(RdmaDevice::name).toList())),
    PORTS("RDMA ports with link layer and states", item -> joined(ports(item.device()))),
    GUID(
            "node GUIDs of RDMA devices",
            item -> joined(item.device().rdmaDevices().stream()
                    .map(RdmaDevice::nodeGuid)
                    .toList())),
    AFU("what the ports of an FPGA region are programmed with", item -> joined(afuIds(item.device()))),
    VFS("number of VFs that a PF has now", item -> function(item).flatMap(Column::vfs)),
    PF(
            "PF that a VF is a part of",
            item -> vf(item).map(vf -> vf.physicalFunction().toString())),
    VF("number of a VF among those of its PF", item -> vf(item).map(VirtualFunction::index)),
    PATH("files of a path device", item -> path(item.device()));

    private final String help;

    @SuppressWarnings("ImmutableEnumChecker") // the functions hold no state
    private final Function<Item, Optional<?>> value;

    Column(String help, Function<Item, Optional<?>> value) {
        this.help = help;
        this.value = value;
    }

    static Optional<Column> parse(String name) {
        return Stream.of(values())
                .filter(column -> column.name().equalsIgnoreCase(name))
                .findFirst();
    }

    /** The key in JSON. */
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    String help() {
        return help;
    }

    Optional<?> value(Item item) {
        return value.apply(item);
    }

    private static Function<Item, Optional<?>> pci(Function<PciFunction, String> text) {
        return item -> function(item).map(text);
    }

    private static Optional<PciFunction> function(Item item) {
        return item.device() instanceof PciDevice pci ? Optional.of(pci.function()) : Optional.empty();
    }

    private static Optional<VirtualFunction> vf(Item item) {
        return item.device() instanceof VirtualFunction vf ? Optional.of(vf) : Optional.empty();
    }

    private static Optional<String> path(Device device) {
        return device instanceof PathDevice path
                ? joined(path.files().stream().map(PathDevice.File::path).toList())
                : Optional.empty();
    }

    private static String health(Device device) {
        return device.health().problem().map(problem -> "unhealthy: " + problem).orElse("healthy");
    }

    private static Optional<Integer> number(OptionalInt number) {
        return number.isPresent() ? Optional.of(number.getAsInt()) : Optional.empty();
    }

    private static Optional<String> subsystem(PciFunction function) {
        return function.subsystemVendor() == 0
                ? Optional.empty()
                : Optional.of(hex(function.subsystemVendor(), function.subsystemDevice()));
    }

    private static List<String> netNames(Device device) {
        return switch (device) {
            case PciDevice pci -> pci.function().netNames();
            case SoftwareHca hca -> List.of(hca.netName());
            case PathDevice path -> List.of();
            case PlatformFpga fpga -> List.of();
        };
    }

    private static List<String> afuIds(Device device) {
        return device instanceof FpgaRegion region ? region.afuIds() : List.of();
    }

    private static List<String> ports(Device device) {
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

    private static Optional<?> numbers(List<Integer> numbers) {
        return numbers.size() == 1
                ? Optional.of(numbers.getFirst())
                : joined(numbers.stream().map(String::valueOf).toList());
    }

    private static Optional<Integer> shares(Item item) {
        return item.deviceClass()
                .map(DeviceClass::sharing)
                .filter(Sharing::isShared)
                .map(Sharing::shares);
    }

    private static Optional<String> joined(List<String> names) {
        return names.isEmpty() ? Optional.empty() : Optional.of(String.join(",", names));
    }

    private static Optional<Integer> vfs(PciFunction function) {
        return function.virtualFunctions() == 0 ? Optional.empty() : Optional.of(function.virtualFunctions());
    }

    private static String hex(int vendor, int device) {
        return "%04x:%04x".formatted(vendor, device);
    }
}
