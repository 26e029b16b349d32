package io.edgeplug.cli;

import io.edgeplug.cli.DeviceHolders.HeldBy;
import io.edgeplug.device.Device;
import io.edgeplug.device.DriverDevices;
import io.edgeplug.device.Fpga;
import io.edgeplug.device.FpgaRegion;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PciFunction;
import io.edgeplug.device.PciIdentity;
import io.edgeplug.device.PfPart;
import io.edgeplug.device.PlatformFpga;
import io.edgeplug.device.RdmaDevice;
import io.edgeplug.device.RdmaPort;
import io.edgeplug.device.ResourceName;
import io.edgeplug.device.SoftwareHca;
import io.edgeplug.device.SubFunction;
import io.edgeplug.device.VdpaDevice;
import io.edgeplug.device.VirtualFunction;
import io.edgeplug.inventory.Inventory.Item;
import io.edgeplug.pods.PodNames.Holder;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.rules.Sharing;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
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
            "vf, sf, nic, fpga, hca, pci or path",
            item -> Optional.of(item.device().kind().word())),
    IDS("PCI vendor and device", pci(function -> hex(function.vendor(), function.device()))),
    VENDOR(
            "name of the PCI vendor in pci.ids",
            (item, sources) -> function(item).flatMap(one -> sources.names().vendor(one.vendor()))),
    NAME(
            "name of the PCI device in pci.ids",
            (item, sources) -> function(item).flatMap(one -> sources.names().device(one.vendor(), one.device()))),
    DRIVER("bound driver", item -> item.device().driver()),
    NUMA("NUMA node, or several with commas", item -> numbers(item.numaNodes())),
    NUMAFROM("who says so, unless it is the kernel: a class, or a guess", Column::numaFrom),
    RESOURCE("extended resource that the device backs", item -> item.resource().map(ResourceName::toString)),
    FACE("held, other (held as another resource) or free, of a device of several resources; root only", Column::face),
    HEALTH("healthy, or what is wrong", item -> Optional.of(health(item.device()))),
    POD("pods that hold the device; root only", holders(held -> held.name().map(Holder::pod))),
    NAMESPACE("namespaces of these pods", holders(held -> held.name().map(Holder::namespace))),
    CONTAINER(
            "containers of these pods that hold it",
            holders(held -> Optional.of(held.holding().container()))),
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
    PORTS("RDMA ports with link layer and states", item -> joined(portStates(item.device()))),
    GUID(
            "node GUIDs of RDMA devices",
            item -> joined(item.device().rdmaDevices().stream()
                    .map(RdmaDevice::nodeGuid)
                    .toList())),
    SYSGUID(
            "system image GUIDs of RDMA devices",
            item -> joined(item.device().rdmaDevices().stream()
                    .map(RdmaDevice::systemImageGuid)
                    .toList())),
    PORTGUID(
            "GUIDs of InfiniBand ports",
            item -> joined(ports(item.device()).map(RdmaPort::guid).toList())),
    PKEYS(
            "first P_Key of each RDMA port",
            item -> joined(ports(item.device()).map(RdmaPort::partitionKey).toList())),
    AUX("auxiliary devices", item -> joined(made(item).auxiliaries())),
    VDPA(
            "vDPA devices and how they are used",
            item -> joined(made(item).vdpas().stream().map(Column::vdpa).toList())),
    NODES("device nodes made by the driver", item -> joined(nodes(item.device()))),
    ACPI("index given by the firmware", item -> function(item).flatMap(Column::acpiIndex)),
    AFU(
            "what an FPGA is programmed with",
            item -> joined(fpga(item).map(Fpga::afuIds).orElse(List.of()))),
    COMPAT("what bitstreams of an FPGA must fit", item -> fpga(item).flatMap(Fpga::compatId)),
    VFS("number of VFs that a PF has now, and can have", item -> function(item).flatMap(Column::vfs)),
    PF(
            "PF that a VF or sub-function is a part of",
            item -> part(item).map(part -> part.physicalFunction().toString())),
    PFNET(
            "network interfaces of that PF",
            item -> joined(part(item).map(PfPart::physicalNetNames).orElse(List.of()))),
    VF("number of a VF among those of its PF", item -> vf(item).map(VirtualFunction::index)),
    SF("number that a sub-function was given", item -> sf(item).map(SubFunction::index)),
    REP("representor of a VF or sub-function", item -> part(item).flatMap(PfPart::representor)),
    PATH("files of a path device", item -> path(item.device()));

    private final String help;

    @SuppressWarnings("ImmutableEnumChecker") // the functions hold no state
    private final BiFunction<Item, ColumnSources, Optional<?>> value;

    Column(String help, Function<Item, Optional<?>> value) {
        this(help, (item, sources) -> value.apply(item));
    }

    Column(String help, BiFunction<Item, ColumnSources, Optional<?>> value) {
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

    /** Whether its values are names, which only pci.ids tells. */
    boolean isOfPciIds() {
        return this == VENDOR || this == NAME;
    }

    /** Whether only the kubelet tells its values. */
    boolean isOfPods() {
        return this == FACE || this == POD || this == NAMESPACE || this == CONTAINER;
    }

    Optional<?> value(Item item, ColumnSources sources) {
        return value.apply(item, sources);
    }

    private static BiFunction<Item, ColumnSources, Optional<?>> holders(Function<HeldBy, Optional<String>> text) {
        return (item, sources) -> joined(sources.holders().of(item.device()).stream()
                .filter(held -> !item.isFace() || isFace(held, item))
                .flatMap(held -> text.apply(held).stream())
                .toList());
    }

    private static boolean isFace(HeldBy held, Item item) {
        return item.resource()
                .filter(resource -> resource.toString().equals(held.holding().resource()))
                .isPresent();
    }

    private static Optional<String> face(Item item, ColumnSources sources) {
        if (!item.isFace() || !sources.holders().areKnown()) {
            return Optional.empty();
        }
        List<HeldBy> all = sources.holders().of(item.device());
        boolean isHeldSo = all.stream().anyMatch(held -> isFace(held, item));
        return Optional.of(all.isEmpty() ? "free" : isHeldSo ? "held" : "other");
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

    private static Optional<Long> acpiIndex(PciFunction function) {
        return function.acpiIndex().isPresent()
                ? Optional.of(function.acpiIndex().getAsLong())
                : Optional.empty();
    }

    private static Optional<String> numaFrom(Item item) {
        if (item.deviceClass().filter(taker -> !taker.numaNodes().isEmpty()).isPresent()) {
            return Optional.of("class");
        }
        return item.device().isNumaGuess() ? Optional.of("guess") : Optional.empty();
    }

    private static Optional<String> subsystem(PciFunction function) {
        PciIdentity identity = function.identity();
        return identity.subsystemVendor() == 0
                ? Optional.empty()
                : Optional.of(hex(identity.subsystemVendor(), identity.subsystemDevice()));
    }

    static List<String> netNames(Device device) {
        return switch (device) {
            case PciDevice pci -> pci.function().netNames();
            case SoftwareHca hca -> List.of(hca.netName());
            case PathDevice path -> List.of();
            case PlatformFpga fpga -> List.of();
        };
    }

    private static Optional<Fpga> fpga(Item item) {
        return item.device() instanceof Fpga fpga ? Optional.of(fpga) : Optional.empty();
    }

    private static Optional<SubFunction> sf(Item item) {
        return item.device() instanceof SubFunction sf ? Optional.of(sf) : Optional.empty();
    }

    private static Optional<PfPart> part(Item item) {
        return item.device() instanceof PfPart part ? Optional.of(part) : Optional.empty();
    }

    private static DriverDevices made(Item item) {
        return function(item).map(PciFunction::driverDevices).orElse(DriverDevices.NONE);
    }

    private static String vdpa(VdpaDevice vdpa) {
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

    private static Stream<RdmaPort> ports(Device device) {
        return device.rdmaDevices().stream().flatMap(rdma -> rdma.ports().stream());
    }

    private static List<String> portStates(Device device) {
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
        return Optional.of(names.stream().filter(name -> !name.isEmpty()).collect(Collectors.joining(",")))
                .filter(text -> !text.isEmpty());
    }

    private static Optional<String> vfs(PciFunction function) {
        return function.totalVirtualFunctions().stream()
                .mapToObj(total -> function.virtualFunctions() + "/" + total)
                .findFirst();
    }

    private static String hex(int vendor, int device) {
        return "%04x:%04x".formatted(vendor, device);
    }
}
