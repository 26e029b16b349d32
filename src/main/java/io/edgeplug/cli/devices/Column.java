package io.edgeplug.cli.devices;

import static io.edgeplug.cli.devices.DeviceFacts.as;
import static io.edgeplug.cli.devices.DeviceFacts.function;
import static io.edgeplug.cli.devices.DeviceFacts.health;
import static io.edgeplug.cli.devices.DeviceFacts.joined;
import static io.edgeplug.cli.devices.DeviceFacts.made;
import static io.edgeplug.cli.devices.DeviceFacts.nodes;
import static io.edgeplug.cli.devices.DeviceFacts.numbers;
import static io.edgeplug.cli.devices.DeviceFacts.path;
import static io.edgeplug.cli.devices.DeviceFacts.portStates;

import io.edgeplug.cli.devices.DeviceHolders.HeldBy;
import io.edgeplug.model.device.Fpga;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.PfPart;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.RdmaPort;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.SubFunction;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.model.rules.Step;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.node.pods.PodNames.Holder;
import io.edgeplug.system.files.PciIds;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A column of {@code list}: its heading, its line of help, and its value for a device, which is a String, an Integer or
 * absent.
 */
public enum Column {
    DEVICE(
            "ID that the kubelet and the container see",
            item -> Optional.of(item.device().id())),
    KIND(
            "vf, sf, nic, fpga, hca, pci, path or usb",
            item -> Optional.of(item.device().kind().word())),
    IDS("PCI vendor and device, or USB vendor and product", item -> DeviceFacts.ids(item.device())),
    VENDOR(
            "name of the PCI vendor in pci.ids",
            (item, sources) -> function(item).flatMap(one -> sources.names().vendor(one.vendor()))),
    NAME(
            "name of the PCI device in pci.ids",
            (item, sources) -> function(item).flatMap(one -> sources.names().device(one.vendor(), one.device()))),
    DRIVER("bound driver", item -> item.device().driver()),
    NUMA("NUMA node, or several with commas", item -> numbers(item.numaNodes())),
    NUMAFROM("source of the NUMA node if it is not the kernel: a class or a guess", DeviceFacts::numaFrom),
    RESOURCE("extended resource that the device backs", item -> item.resource().map(ResourceName::toString)),
    FACE("of a device of several resources: held, other (held as another resource) or free; root only", Column::face),
    HEALTH("healthy, or the problem", item -> Optional.of(health(item.device()))),
    POD("pods that hold the device; root only", holders(held -> held.name().map(Holder::pod))),
    NAMESPACE("namespaces of these pods", holders(held -> held.name().map(Holder::namespace))),
    CONTAINER(
            "containers of these pods that hold it",
            holders(held -> Optional.of(held.holding().container()))),
    SHARES("number of containers that can have the device, if more than one", DeviceFacts::shares),
    CLASS("PCI class", item -> function(item).map(function -> "%06x".formatted(function.classCode()))),
    SUBSYSTEM("PCI subsystem vendor and device", item -> function(item).flatMap(DeviceFacts::subsystem)),
    IOMMU("IOMMU group", item -> function(item).flatMap(DeviceFacts::iommuGroup)),
    NET("network interfaces", item -> joined(item.device().netNames())),
    INTERFACE(
            "first name of the network interface in a pod, if its class hands that over",
            item -> item.deviceClass()
                    .flatMap(taker -> taker.recipe().movedInterface())
                    .map(Step.Interface::name)),
    NODEUSE(
            "what the node itself has on the interfaces, such as the default route",
            item -> function(item).map(one -> one.nodeUse().text()).filter(text -> !text.isEmpty())),
    LINK(
            "types of links",
            item -> joined(function(item).map(PciFunction::linkTypes).orElse(List.of()))),
    RDMA("RDMA devices", rdma(RdmaDevice::name)),
    PORTS("RDMA ports with link layer and states", item -> joined(portStates(item.device()))),
    GUID("node GUIDs of RDMA devices", rdma(RdmaDevice::nodeGuid)),
    SYSGUID("system image GUIDs of RDMA devices", rdma(RdmaDevice::systemImageGuid)),
    PORTGUID("GUIDs of InfiniBand ports", ports(RdmaPort::guid)),
    PKEYS("first P_Key of each RDMA port", ports(RdmaPort::partitionKey)),
    AUX("auxiliary devices", item -> joined(made(item).auxiliaries())),
    VDPA(
            "vDPA devices and how they are used",
            item -> joined(made(item).vdpas().stream().map(DeviceFacts::vdpa).toList())),
    NODES("device nodes made by the driver", item -> joined(nodes(item.device()))),
    ACPI("index given by the firmware", item -> function(item).flatMap(DeviceFacts::acpiIndex)),
    AFU(
            "image in an FPGA",
            item -> joined(as(Fpga.class, item).map(Fpga::afuIds).orElse(List.of()))),
    COMPAT(
            "ID that bitstreams of an FPGA must match",
            item -> as(Fpga.class, item).flatMap(Fpga::compatId)),
    VFS("number of VFs that a PF has and can have", item -> function(item).flatMap(DeviceFacts::vfs)),
    PF(
            "PF that a VF or sub-function is a part of",
            item -> as(PfPart.class, item).map(part -> part.physicalFunction().toString())),
    PFNET(
            "network interfaces of that PF",
            item -> joined(as(PfPart.class, item).map(PfPart::physicalNetNames).orElse(List.of()))),
    VF(
            "number of a VF among those of its PF",
            item -> as(VirtualFunction.class, item).map(VirtualFunction::index)),
    SF("number of a sub-function", item -> as(SubFunction.class, item).map(SubFunction::index)),
    REP("representor of a VF or sub-function", item -> as(PfPart.class, item).flatMap(PfPart::representor)),
    PATH("files of a path device", item -> path(item.device())),
    CLAIM(
            "claims that hold the device; root only",
            (item, sources) -> joined(sources.claims().of(item))),
    DRANAME(
            "name of the device in its ResourceSlice",
            (item, sources) -> sources.claims().name(item)),
    DRADRIVER(
            "name of the driver that publishes this slice",
            (item, sources) -> sources.claims().driver(item)),
    POOL(
            "pool of this slice, which is the node's name; root only",
            (item, sources) -> sources.claims().pool(item));

    private final String help;

    @SuppressWarnings("ImmutableEnumChecker") // the functions hold no state
    private final BiFunction<Item, Sources, Optional<?>> value;

    Column(String help, Function<Item, Optional<?>> value) {
        this(help, (item, sources) -> value.apply(item));
    }

    Column(String help, BiFunction<Item, Sources, Optional<?>> value) {
        this.help = help;
        this.value = value;
    }

    public static Optional<Column> parse(String name) {
        return Stream.of(values())
                .filter(column -> column.name().equalsIgnoreCase(name))
                .findFirst();
    }

    /** The key in JSON. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    public String help() {
        return help;
    }

    public boolean isOfPciIds() {
        return this == VENDOR || this == NAME;
    }

    /** Whether its values come only from the kubelet. */
    public boolean isOfPods() {
        return this == FACE || this == POD || this == NAMESPACE || this == CONTAINER;
    }

    /** Whether its values are about Dynamic Resource Allocation. */
    public boolean isOfClaims() {
        return this == CLAIM || this == DRANAME || this == DRADRIVER || this == POOL;
    }

    public Optional<?> value(Item item, Sources sources) {
        return value.apply(item, sources);
    }

    private static Function<Item, Optional<?>> rdma(Function<RdmaDevice, String> text) {
        return item -> joined(item.device().rdmaDevices().stream().map(text).toList());
    }

    private static Function<Item, Optional<?>> ports(Function<RdmaPort, String> text) {
        return item -> joined(item.device().rdmaDevices().stream()
                .flatMap(rdma -> rdma.ports().stream())
                .map(text)
                .toList());
    }

    private static BiFunction<Item, Sources, Optional<?>> holders(Function<HeldBy, Optional<String>> text) {
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

    private static Optional<String> face(Item item, Sources sources) {
        if (!item.isFace() || !sources.holders().areKnown()) {
            return Optional.empty();
        }
        List<HeldBy> all = sources.holders().of(item.device());
        boolean isHeldSo = all.stream().anyMatch(held -> isFace(held, item));
        return Optional.of(all.isEmpty() ? "free" : isHeldSo ? "held" : "other");
    }

    /**
     * Sources of columns besides the scan.
     *
     * @param names of PCI vendors and devices
     * @param holders the containers that hold devices
     * @param claims the cluster's names of devices that pods claim
     */
    public record Sources(PciIds names, DeviceHolders holders, ClaimedDevices claims) {}
}
