package io.edgeplug.cli.devices;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.UsbPort;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.scan.UsbScan;
import io.edgeplug.node.supply.Candidate;
import io.edgeplug.system.files.Destination;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.PlainText;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A node's devices from one scan, which can be found by any of their names. */
public record ScannedNode(Sysfs sysfs, List<Candidate> devices) {

    /** The parameter for devices, in help. */
    public static final String LABEL = "DEVICE|RESOURCE";

    /** The names of a device, in help. */
    public static final String NAMES =
            "its ID, PCI address with or without the domain, network interface, RDMA device, vendor and device IDs, or "
                    + "the path of its file or node";

    /** The meanings of a name, the most specific first. Later ones are tried only if the earlier ones find nothing. */
    private static final List<BiPredicate<Device, String>> MEANINGS = List.of(
            (device, name) -> device.id().equals(name),
            ScannedNode::isSameId,
            (device, name) -> device instanceof PciDevice pci
                    && address(name).equals(Optional.of(pci.function().address())),
            (device, name) -> device.netNames().contains(name)
                    || (device instanceof PciDevice pci
                            && pci.function().altNames().contains(name)),
            (device, name) ->
                    device.rdmaDevices().stream().map(RdmaDevice::name).anyMatch(name::equals),
            (device, name) ->
                    DeviceFacts.ids(device).filter(name::equalsIgnoreCase).isPresent());

    private static final Pattern IDS = Pattern.compile("\\p{XDigit}{4}:\\p{XDigit}{4}");

    /** A person reads no more. */
    private static final int MAX_TOLD = 8;

    public ScannedNode {
        devices = List.copyOf(devices);
    }

    public static ScannedNode of(Sysfs sysfs, List<DeviceClass> classes) throws IOException {
        return new ScannedNode(sysfs, Candidate.of(Inventory.scan(sysfs, classes), sysfs));
    }

    /**
     * The devices with these names, in the node's order; all devices if there is no name.
     *
     * @throws IOException if a name fits no device
     */
    public List<Candidate> named(List<String> names) throws IOException {
        if (names.isEmpty()) {
            return devices;
        }
        Set<Candidate> found = new HashSet<>();
        for (String name : names) {
            found.addAll(named(name));
        }
        return devices.stream().filter(found::contains).toList();
    }

    /**
     * The devices with that name: an ID, a PCI address with or without its domain, a network interface or RDMA device,
     * vendor and device IDs, the path of a file or a node, a link to it, or a resource.
     *
     * @throws IOException if there is none
     */
    public List<Candidate> named(String name) throws IOException {
        List<BiPredicate<Device, String>> meanings = name.startsWith("/") ? List.of() : MEANINGS;
        for (BiPredicate<Device, String> meaning : meanings) {
            List<Candidate> found = devices.stream()
                    .filter(one -> meaning.test(one.device(), name))
                    .toList();
            if (!found.isEmpty()) {
                return found;
            }
        }
        List<Candidate> found = name.startsWith("/") ? at(name) : of(name);
        if (found.isEmpty()) {
            throw new IOException(name
                    + (IDS.matcher(name).matches() ? usb(name) : ": no such device here, and no resource with one"));
        }
        return found;
    }

    /**
     * The only device with that name.
     *
     * @throws IOException if there is none, or there are several
     */
    public Candidate one(String name) throws IOException {
        return one(name, null);
    }

    /**
     * The same, for one face of a device that has several.
     *
     * @param resource that it backs; null for the first
     */
    public Candidate one(String name, @Nullable String resource) throws IOException {
        List<Candidate> found = named(name);
        List<String> ids =
                found.stream().map(one -> one.device().id()).distinct().toList();
        if (ids.size() > 1) {
            throw new IOException(name + ": is the name of several devices, name one of them: "
                    + String.join(", ", ids.subList(0, Math.min(3, ids.size()))) + (ids.size() > 3 ? " ..." : ""));
        }
        if (resource == null) {
            return found.getFirst();
        }
        return found.stream()
                .filter(one -> one.item().resource().map(Object::toString).equals(Optional.of(resource)))
                .findFirst()
                .orElseThrow(() ->
                        new IOException(name + ": is no device of " + resource + ", see edgeplug explain " + name));
    }

    /** Where USB devices with these IDs are, or which others there are. Without a class of kind usb, no scan has them. */
    private String usb(String ids) throws IOException {
        UsbScan scan = new UsbScan(sysfs);
        Set<String> ports = new LinkedHashSet<>();
        Set<String> others = new LinkedHashSet<>();
        for (UsbPort port : scan.ports()) {
            Optional<UsbDevice> device = scan.device(port).filter(one -> !one.isHub());
            Optional<String> own = device.flatMap(DeviceFacts::ids);
            own.ifPresent(others::add);
            if (own.filter(ids::equalsIgnoreCase).isPresent()) {
                ports.add(port.path());
            }
        }
        if (!ports.isEmpty()) {
            return ": is at USB port " + PlainText.some(ports, MAX_TOLD)
                    + ", and no class of kind usb is there yet, so edgeplug does not look at USB devices";
        }
        return ": no such device here"
                + (others.isEmpty()
                        ? ", and no USB device"
                        : "; USB devices here have " + PlainText.some(others, MAX_TOLD));
    }

    private List<Candidate> of(String resource) {
        return devices.stream()
                .filter(one -> one.item().resource().map(Object::toString).equals(Optional.of(resource)))
                .toList();
    }

    private List<Candidate> at(String path) throws IOException {
        Optional<String> destination = sysfs.follow(path.substring(1)).map(Destination::path);
        return devices.stream()
                .filter(one -> places(one)
                        .anyMatch(place -> place.equals(path)
                                || destination.filter(place::equals).isPresent()))
                .toList();
    }

    private static Stream<String> places(Candidate one) {
        Stream<String> files = one.device() instanceof PathDevice device
                ? device.files().stream().flatMap(file -> Stream.of(file.path(), file.hostPath()))
                : Stream.empty();
        Stream<String> handedOver = one.equipment().stream()
                .filter(equipment -> !(equipment.device() instanceof PathDevice))
                .map(Equipment::nodes)
                .flatMap(nodes -> nodes.stream().map(node -> node.hostPath()));
        return Stream.of(files, DeviceFacts.nodes(one.device()).stream(), handedOver)
                .flatMap(places -> places);
    }

    /** An ID begins with an address, whose domain may be left out. */
    private static boolean isSameId(Device device, String name) {
        return device instanceof PciDevice
                && (device.id().equalsIgnoreCase(name) || device.id().equalsIgnoreCase("0000:" + name));
    }

    private static Optional<PciAddress> address(String name) {
        return PciAddress.parse(name).or(() -> PciAddress.parse("0000:" + name));
    }
}
