package io.edgeplug.node.scan;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.VdpaDevice;
import io.edgeplug.system.files.Sysfs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a PCI function or of a part of one. Each reading has its problem, for the caller to judge.
 *
 * <p>If the directory was listed, files that are not in it are not opened, because a failing open costs as much as
 * another.
 */
final class PciAttributes {

    static final String FUNCTIONS = "sys/bus/pci/devices";

    private static final Pattern INDEX = Pattern.compile("\\d{1,10}");
    private static final Pattern VIRTIO = Pattern.compile("virtio\\d+");
    private static final int CONFIG_HEADER_BYTES = 64;

    private final NodeWide node;
    private final Sysfs sysfs;
    private final PciAddress address;
    private final String directory;
    private final @Nullable Set<String> names;

    private PciAttributes(NodeWide node, PciAddress address, String directory, @Nullable Set<String> names) {
        this.node = node;
        this.sysfs = node.sysfs();
        this.names = names;
        this.address = address;
        this.directory = directory;
    }

    /**
     * A function of which only a few attributes are read. Its directory is not listed, because that of a PF grows with
     * its VFs.
     */
    static PciAttributes of(NodeWide node, PciAddress address) {
        return new PciAttributes(node, address, directory(address), null);
    }

    /** A function that is read as a whole. */
    static Reading<PciAttributes> listed(NodeWide node, PciAddress address) {
        return listed(node, address, directory(address));
    }

    /** A device below this one. */
    Reading<PciAttributes> part(String name) {
        return listed(node, address, directory + name + "/");
    }

    private static Reading<PciAttributes> listed(NodeWide node, PciAddress address, String directory) {
        return Reading.of(() -> Optional.of(Set.copyOf(node.sysfs().names(directory))), Optional.<Set<String>>empty())
                .map(names -> new PciAttributes(node, address, directory, names.orElse(null)));
    }

    private static String directory(PciAddress address) {
        return FUNCTIONS + "/" + address + "/";
    }

    /** From the node's root, with a slash at its end. */
    String directory() {
        return directory;
    }

    /** The names in the directory; none if it was not listed. */
    Set<String> listedNames() {
        return names == null ? Set.of() : names;
    }

    /** Whether a path below the directory may exist, by the listed names. */
    boolean mayHave(String path) {
        int slash = path.indexOf('/');
        String first = slash < 0 ? path : path.substring(0, slash);
        return first.isEmpty() || names == null || names.contains(first);
    }

    boolean isAbsent() {
        return names != null && names.isEmpty();
    }

    Reading<Optional<String>> text(String name) {
        return mayHave(name)
                ? Reading.of(() -> sysfs.read(directory + name), Optional.empty())
                : new Reading<>(Optional.empty(), Optional.empty());
    }

    /** A decimal number, or a hexadecimal one with 0x. Any other text is a problem. */
    Reading<OptionalInt> number(String name) {
        return number(name, text(name));
    }

    /** A number that only describes the function. A text that is no number counts as missing, and is no problem. */
    Reading<OptionalInt> description(String name) {
        return text(name).map(text -> parsed(text.orElse(null)));
    }

    /** The firmware's index of an onboard device, unsigned with 32 bits. */
    Reading<OptionalLong> acpiIndex() {
        return text("acpi_index")
                .map(index -> index.filter(text -> INDEX.matcher(text).matches()).stream()
                        .mapToLong(Long::parseLong)
                        .findFirst());
    }

    Reading<Optional<String>> link(String name) {
        return mayHave(name)
                ? Reading.of(() -> sysfs.linkName(directory + name), Optional.empty())
                : new Reading<>(Optional.empty(), Optional.empty());
    }

    /** The number at the end of a link. A name that is no number is a problem. */
    Reading<OptionalInt> linkNumber(String name) {
        return number(name, link(name));
    }

    private static Reading<OptionalInt> number(String name, Reading<Optional<String>> reading) {
        OptionalInt number = parsed(reading.value().orElse(null));
        Optional<String> wrong = reading.value()
                .filter(text -> number.isEmpty())
                .map(text -> name + " is not a number: \"" + text + "\"");
        return new Reading<>(number, reading.problem().or(() -> wrong));
    }

    PciAddress address() {
        return address;
    }

    /**
     * The functions through which this one is reached, from the root port down. They are on the path
     * /sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0.
     */
    Reading<List<PciAddress>> ancestors() {
        return Reading.of(() -> sysfs.linkTarget(FUNCTIONS + "/" + address), Optional.<String>empty())
                .map(path -> path.stream()
                        .flatMap(PciAddress::allIn)
                        .filter(one -> !one.equals(address))
                        .toList());
    }

    /**
     * The directories in which drivers put the devices that they make; each is empty or ends in a slash. These are the
     * function's own directory, and those of virtio devices on the function or on its vDPA devices.
     */
    Reading<List<String>> owners(@Nullable String driver, List<VdpaDevice> vdpas) {
        FirstProblem problems = new FirstProblem();
        List<String> owners =
                new ArrayList<>("virtio-pci".equals(driver) ? problems.in(virtioDevices("")) : List.of(""));
        vdpas.stream()
                .filter(vdpa -> vdpa.type().equals(Optional.of("virtio")))
                .forEach(vdpa -> owners.addAll(problems.in(virtioDevices(vdpa.name() + "/"))));
        return problems.with(owners);
    }

    private Reading<List<String>> virtioDevices(String below) {
        return list(below)
                .map(names -> names.stream()
                        .filter(name -> VIRTIO.matcher(name).matches())
                        .map(virtio -> below + virtio + "/")
                        .toList());
    }

    /** The network interfaces of these owners. */
    Reading<NetworkPorts> interfaces(List<String> owners) {
        FirstProblem problems = new FirstProblem();
        TreeMap<String, String> directories = new TreeMap<>();
        for (String owner : owners) {
            problems.in(list(owner + "net")).forEach(name -> directories.put(name, directory + owner + "net"));
        }
        return problems.with(new NetworkPorts(sysfs, directories));
    }

    Reading<List<PciDevice>> fpgas(PciFunction function) {
        return Reading.of(() -> new FpgaScan(sysfs).below(function, directory, listedNames()), List.of());
    }

    private Reading<List<String>> list(String name) {
        if (name.isEmpty() && names != null) {
            return new Reading<>(listedNames().stream().sorted().toList(), Optional.empty());
        }
        return mayHave(name)
                ? Reading.of(() -> sysfs.names(directory + name), List.of())
                : new Reading<>(List.of(), Optional.empty());
    }

    /**
     * The problem of a function that does not answer on PCI: a function that has fallen off its bus reads as all ones.
     * The whole header is checked, because a VF's vendor and device read so by specification. A function in D3cold is
     * left asleep.
     */
    Optional<String> silence() {
        FirstProblem problems = new FirstProblem();
        if (problems.in(text("power_state")).equals(Optional.of("D3cold"))) {
            return Optional.empty();
        }
        byte[] config = problems.in(Reading.of(
                        () -> sysfs.readBytes(directory + "config", CONFIG_HEADER_BYTES), Optional.<byte[]>empty()))
                .orElse(new byte[0]);
        for (byte one : config) {
            if (one != (byte) 0xff) {
                return Optional.empty();
            }
        }
        return problems.text()
                .or(() -> config.length < CONFIG_HEADER_BYTES
                        ? Optional.empty()
                        : Optional.of("does not answer on PCI: its configuration space reads all ones"));
    }

    /** Empty if there is no text, or if it is no number. */
    static OptionalInt parsed(@Nullable String text) {
        try {
            return text == null ? OptionalInt.empty() : OptionalInt.of(Integer.decode(text));
        } catch (NumberFormatException e) {
            return OptionalInt.empty();
        }
    }
}
