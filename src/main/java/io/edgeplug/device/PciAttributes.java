package io.edgeplug.device;

import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The attributes of a PCI function or of a part of one, and the first thing that was wrong with any.
 *
 * <p>Where its directory was listed, what is not in it is not asked for: a failing open costs as much as another.
 */
final class PciAttributes {

    static final String FUNCTIONS = "sys/bus/pci/devices";

    private static final String CLASS_NET = "sys/class/net/";
    private static final Map<String, String> ARPHRD = Map.of("1", "ether", "32", "infiniband");
    private static final Pattern INDEX = Pattern.compile("\\d{1,10}");
    private static final Pattern VIRTIO = Pattern.compile("virtio\\d+");
    private static final int CONFIG_HEADER_BYTES = 64;

    private final NodeWide node;
    private final Sysfs sysfs;
    private final PciAddress address;
    private final String directory;
    private Optional<Set<String>> names = Optional.empty();
    private Optional<String> problem = Optional.empty();

    private PciAttributes(NodeWide node, PciAddress address, String directory) {
        this.node = node;
        this.sysfs = node.sysfs();
        this.address = address;
        this.directory = directory;
    }

    /** A function of which few attributes are asked for; the directory of a PF grows with its VFs. */
    static PciAttributes of(NodeWide node, PciAddress address) {
        return new PciAttributes(node, address, FUNCTIONS + "/" + address + "/");
    }

    /** A function that is to be read as a whole. */
    static PciAttributes listed(NodeWide node, PciAddress address) {
        PciAttributes attributes = of(node, address);
        attributes.listSelf();
        return attributes;
    }

    /** A device below this one. */
    PciAttributes part(String name) {
        PciAttributes attributes = new PciAttributes(node, address, directory + name + "/");
        attributes.listSelf();
        return attributes;
    }

    private void listSelf() {
        names = attempt(() -> Optional.of(Set.copyOf(sysfs.names(directory))), Optional.<Set<String>>empty());
    }

    private Set<String> listed() {
        return names.orElse(Set.of());
    }

    private boolean mayHave(String path) {
        int slash = path.indexOf('/');
        String first = slash < 0 ? path : path.substring(0, slash);
        return first.isEmpty() || names.map(all -> all.contains(first)).orElse(true);
    }

    boolean isAbsent() {
        return names.map(Set::isEmpty).orElse(false);
    }

    Optional<String> problem() {
        return problem;
    }

    void fail(String reason) {
        problem = problem.or(() -> Optional.of(reason));
    }

    Optional<String> text(String name) {
        return mayHave(name) ? attempt(() -> sysfs.read(directory + name), Optional.empty()) : Optional.empty();
    }

    /** Decimal or, with 0x, hexadecimal. */
    OptionalInt number(String name) {
        return text(name).map(value -> parse(name, value)).orElse(OptionalInt.empty());
    }

    /** A number that only describes the function: what is none tells nothing, and makes nothing unhealthy. */
    OptionalInt description(String name) {
        return text(name).map(PciAttributes::parsed).orElse(OptionalInt.empty());
    }

    /** The index that the firmware gives to an onboard device, of 32 bits without a sign. */
    OptionalLong acpiIndex() {
        return text("acpi_index").filter(text -> INDEX.matcher(text).matches()).stream()
                .mapToLong(Long::parseLong)
                .findFirst();
    }

    Optional<String> link(String name) {
        return mayHave(name) ? attempt(() -> sysfs.linkName(directory + name), Optional.empty()) : Optional.empty();
    }

    OptionalInt linkNumber(String name) {
        return link(name).map(value -> parse(name, value)).orElse(OptionalInt.empty());
    }

    PciAddress address() {
        return address;
    }

    /** The first function on the device's path: /sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0. */
    Optional<PciAddress> rootPort() {
        return ancestors().stream().findFirst();
    }

    NumaNode numaNode() {
        return NumaNode.of(node, this, ancestors());
    }

    /** The functions that this one is reached through, from the root port down. */
    private List<PciAddress> ancestors() {
        return attempt(() -> sysfs.linkTarget(FUNCTIONS + "/" + address), Optional.<String>empty()).stream()
                .flatMap(PciAddress::allIn)
                .filter(one -> !one.equals(address))
                .toList();
    }

    /** By which nodes it is reached, if that is a VFIO driver. */
    Optional<Vfio> vfio(Optional<String> driver) {
        if (driver.filter(Vfio::isDriver).isEmpty()) {
            return Optional.empty();
        }
        OptionalInt group = linkNumber("iommu_group");
        return attempt(() -> Optional.of(new VfioScan(sysfs).read(directory, group)), Optional.empty());
    }

    /**
     * Where the drivers of its kind put what they make, as directories that end in a slash or are empty: below itself, or
     * below the virtio devices on it, be they on the function or on its vDPA devices.
     */
    List<String> owners(Optional<String> driver, List<VdpaDevice> vdpas) {
        List<String> owners =
                new ArrayList<>(driver.equals(Optional.of("virtio-pci")) ? virtioDevices("") : List.of(""));
        vdpas.stream()
                .filter(vdpa -> vdpa.type().equals(Optional.of("virtio")))
                .forEach(vdpa -> owners.addAll(virtioDevices(vdpa.name() + "/")));
        return owners;
    }

    private List<String> virtioDevices(String below) {
        return list(below).stream()
                .filter(name -> VIRTIO.matcher(name).matches())
                .map(virtio -> below + virtio + "/")
                .toList();
    }

    /** The network interfaces that these own. */
    NetworkPorts interfaces(List<String> owners) {
        TreeMap<String, String> directories = new TreeMap<>();
        for (String owner : owners) {
            list(owner + "net").forEach(name -> directories.put(name, directory + owner + "net"));
        }
        return new NetworkPorts(sysfs, directories);
    }

    List<String> uplinks(NetworkPorts interfaces) {
        return attempt(interfaces::uplinks, List.of());
    }

    Optional<String> representorOfVf(NetworkPorts interfaces, int index) {
        return attempt(() -> interfaces.ofVirtualFunction(index), Optional.<String>empty());
    }

    Optional<String> representorOfSf(NetworkPorts interfaces, int number) {
        return attempt(() -> interfaces.ofSubFunction(number), Optional.<String>empty());
    }

    /** The RDMA devices that these own, and those in software on its interfaces. */
    List<RdmaDevice> rdmaDevices(List<String> owners, List<String> netNames) {
        List<RdmaDevice> devices = new ArrayList<>();
        for (String owner : owners) {
            if (mayHave(owner + "infiniband")) {
                devices.addAll(attempt(() -> node.rdma().below(directory + owner), List.<RdmaDevice>of()));
            }
        }
        if (!netNames.isEmpty()) {
            devices.addAll(attempt(() -> node.rdma().on(netNames), List.<RdmaDevice>of()));
        }
        return devices;
    }

    DriverDevices driverDevices(Optional<String> driver) {
        return attempt(() -> node.driverDevices().below(directory, driver, listed()), DriverDevices.NONE);
    }

    List<PciDevice> fpgas(PciFunction function) {
        return attempt(() -> new FpgaScan(sysfs).below(function, directory, listed()), List.of());
    }

    /** {@code ether} or {@code infiniband}, of its interfaces (ARPHRD_* in linux/if_arp.h) and its RDMA ports. */
    List<String> linkTypes(List<String> netNames, List<RdmaDevice> rdmaDevices) {
        TreeSet<String> types = new TreeSet<>();
        for (String netName : netNames) {
            attempt(() -> sysfs.read(CLASS_NET + netName + "/type"), Optional.<String>empty())
                    .flatMap(type -> Optional.ofNullable(ARPHRD.get(type)))
                    .ifPresent(types::add);
        }
        rdmaDevices.forEach(rdma -> rdma.ports().forEach(port -> port.linkType().ifPresent(types::add)));
        return List.copyOf(types);
    }

    /** Whether the node would lose its default route with these interfaces. */
    boolean carriesDefaultRoute(List<String> netNames) {
        return !netNames.isEmpty() && attempt(() -> node.defaultRoute().needsAnyOf(netNames), false);
    }

    private List<String> list(String name) {
        if (name.isEmpty() && names.isPresent()) {
            return names.orElseThrow().stream().sorted().toList();
        }
        return mayHave(name) ? attempt(() -> sysfs.names(directory + name), List.of()) : List.of();
    }

    /**
     * What to say of a function that does not answer on PCI: one that has fallen off its bus reads as all ones. A
     * VF's vendor and device read so by specification, hence the whole header. One in D3cold is left asleep.
     */
    Optional<String> silence() {
        if (text("power_state").equals(Optional.of("D3cold"))) {
            return Optional.empty();
        }
        byte[] config = attempt(
                        () -> sysfs.readBytes(directory + "config", CONFIG_HEADER_BYTES), Optional.<byte[]>empty())
                .orElse(new byte[0]);
        for (byte one : config) {
            if (one != (byte) 0xff) {
                return Optional.empty();
            }
        }
        return problem.or(() -> config.length < CONFIG_HEADER_BYTES
                ? Optional.empty()
                : Optional.of("does not answer on PCI: its configuration space reads all ones"));
    }

    private OptionalInt parse(String name, String value) {
        OptionalInt number = parsed(value);
        if (number.isEmpty()) {
            fail(name + " is not a number: \"" + value + "\"");
        }
        return number;
    }

    /** Empty if it is no number. */
    static OptionalInt parsed(String value) {
        try {
            return OptionalInt.of(Integer.decode(value));
        } catch (NumberFormatException e) {
            return OptionalInt.empty();
        }
    }

    private <T> T attempt(Reading<T> reading, T otherwise) {
        try {
            return reading.read();
        } catch (IOException e) {
            fail(String.valueOf(e.getMessage()));
            return otherwise;
        }
    }

    private interface Reading<T> {
        T read() throws IOException;
    }
}
