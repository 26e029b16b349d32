package io.edgeplug.model.rules;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Fpga;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.PfPart;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.ShortName;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.system.flow.Worded;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The words of a {@link Template}, such as {@code {id}}. */
public enum TemplateWord implements Worded {
    /** The device's ID. */
    ID,
    /** The address of its PCI function. */
    BDF,
    /** The nearest NUMA node. */
    NUMA_NODE,
    /** The bound driver. */
    DRIVER,
    /** Its IOMMU group. */
    IOMMU_GROUP,
    /** Its PCI vendor, four hexadecimal digits. */
    VENDOR,
    /** Its PCI device ID, four hexadecimal digits. */
    DEVICE,
    /** The product ID of a USB device, four hexadecimal digits. */
    PRODUCT,
    /** The serial number of a USB device, with an underscore for each character that an ID cannot have. */
    SERIAL,
    /** The port of a USB device. */
    PORT,
    /** The first network interface of the PF of a VF or sub-function. */
    PF,
    /** The address of that PF. */
    PF_BDF,
    /** The number of a VF on its PF. */
    VF,
    /** Its first network interface. */
    NETDEV,
    /** Its first RDMA device. */
    RDMA,
    /** The image in an FPGA. */
    AFU,
    /** The path of its first file, as the class names it. */
    PATH,
    /** The path of its first file without links: of a device node, the kernel's own name. */
    TARGET,
    /** The name of its first file, with an underscore for each character that an ID cannot have. */
    NAME,
    /** The name of the directory of its first file, in the same way. */
    DIR,
    /** A hash of the path of its first file, which tells names apart that look alike otherwise. */
    HASH,
    /** The verified copy of the image that a vendor's tool should load. No device has this value by itself. */
    FILE;

    private static final Pattern NOT_PLAIN = Pattern.compile("[^A-Za-z0-9._-]");

    /** The device's value; empty if it has none. */
    Optional<String> of(Device device) {
        return switch (this) {
            case ID -> Optional.of(device.id());
            case BDF -> function(device).map(function -> function.address().toString());
            case NUMA_NODE -> text(device.numaNode().stream());
            case DRIVER -> device.driver();
            case IOMMU_GROUP -> function(device).flatMap(function -> text(function.iommuGroup().stream()));
            case VENDOR ->
                usb(device)
                        .map(UsbDevice::vendor)
                        .or(() -> function(device).map(function -> "%04x".formatted(function.vendor())));
            case DEVICE -> function(device).map(function -> "%04x".formatted(function.device()));
            case PRODUCT -> usb(device).map(UsbDevice::product);
            case SERIAL -> usb(device).flatMap(UsbDevice::serial).map(TemplateWord::plain);
            case PORT -> usb(device).map(usb -> usb.port().path());
            case PF -> part(device).flatMap(part -> first(part.physicalNetNames()));
            case PF_BDF -> part(device).map(part -> part.physicalFunction().toString());
            case VF ->
                device instanceof VirtualFunction vf ? Optional.of(Integer.toString(vf.index())) : Optional.empty();
            case NETDEV -> first(device.netNames());
            case RDMA ->
                first(device.rdmaDevices().stream().map(RdmaDevice::name).toList());
            case AFU -> device instanceof Fpga fpga ? first(fpga.afuIds()) : Optional.empty();
            case PATH ->
                usb(device)
                        .flatMap(usb -> usb.nodes().stream().findFirst())
                        .map(UsbDevice.Node::path)
                        .or(() -> first(device).map(PathDevice.File::path));
            case TARGET -> first(device).map(PathDevice.File::hostPath).or(() -> PATH.of(device));
            case NAME -> PATH.of(device).map(path -> plain(path.substring(path.lastIndexOf('/') + 1)));
            case DIR ->
                PATH.of(device)
                        .map(path -> path.substring(0, Math.max(0, path.lastIndexOf('/'))))
                        .map(directory -> plain(directory.substring(directory.lastIndexOf('/') + 1)));
            case HASH -> PATH.of(device).map(ShortName::hash);
            case FILE -> Optional.empty();
        };
    }

    /** The word with that name. */
    static Optional<TemplateWord> parse(String word) {
        return Stream.of(values()).filter(one -> one.word().equals(word)).findFirst();
    }

    /** Whether a device of that kind can have a value at all. */
    boolean concerns(Kind kind) {
        return switch (this) {
            case ID -> true;
            case BDF, IOMMU_GROUP, DEVICE -> kind != Kind.PATH && kind != Kind.USB;
            case NUMA_NODE, DRIVER, VENDOR -> kind != Kind.PATH;
            case PRODUCT, SERIAL, PORT -> kind == Kind.USB;
            case NETDEV, RDMA -> kind == Kind.VF || kind == Kind.SF || kind == Kind.NIC || kind == Kind.HCA;
            case PF, PF_BDF -> kind == Kind.VF || kind == Kind.SF;
            case VF -> kind == Kind.VF;
            case AFU -> kind == Kind.FPGA;
            case PATH, TARGET, NAME, DIR, HASH -> kind == Kind.PATH || kind == Kind.USB;
            case FILE -> false;
        };
    }

    private static Optional<UsbDevice> usb(Device device) {
        return device instanceof UsbDevice usb ? Optional.of(usb) : Optional.empty();
    }

    private static Optional<PfPart> part(Device device) {
        return device instanceof PfPart part ? Optional.of(part) : Optional.empty();
    }

    private static Optional<PathDevice.File> first(Device device) {
        return device instanceof PathDevice path ? Optional.of(path.files().getFirst()) : Optional.empty();
    }

    /** The name as a part of an ID, of a file name and of a program's argument. */
    private static String plain(String name) {
        String safe = NOT_PLAIN.matcher(name).replaceAll("_");
        return safe.startsWith("-") ? "_" + safe.substring(1) : safe;
    }

    private static Optional<PciFunction> function(Device device) {
        return device instanceof PciDevice pci ? Optional.of(pci.function()) : Optional.empty();
    }

    private static Optional<String> first(List<String> names) {
        return names.stream().findFirst();
    }

    private static Optional<String> text(IntStream number) {
        return number.mapToObj(Integer::toString).findFirst();
    }
}
