package io.edgeplug.node.prepare;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.SubFunction;
import io.edgeplug.model.rules.Step;
import io.edgeplug.node.prepare.InterfaceNotes.Note;
import io.edgeplug.node.prepare.InterfaceStart.Place;
import io.edgeplug.system.files.Destination;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.Links;
import io.edgeplug.system.kernel.Links.Link;
import io.edgeplug.system.kernel.OtherLinks;
import io.edgeplug.system.kernel.OtherLinks.Seen;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Where the network interface of a device is now, by the device's address and whatever its name. sysfs shows an interface
 * only in its own network namespace.
 *
 * @param name on the node; empty if it is not there
 * @param made the number of the directory in which it is, or was. It is another one once the driver has made another
 *     interface. 0 if there is none
 * @param directory that directory; empty if there is none
 */
record InterfacePlace(Optional<String> name, long made, String directory) {

    private static final String INTERFACES = "sys/class/net/";

    /** Stands for bytes that are no text. */
    private static final char REPLACEMENT = '\uFFFD';

    static InterfacePlace of(Sysfs sysfs, Device device) throws IOException {
        if (!(device instanceof PciDevice pci)) {
            return new InterfacePlace(Optional.empty(), 0, "");
        }
        List<String> names = new ArrayList<>();
        long made = 0;
        String net = "";
        for (String directory : directories(sysfs, pci)) {
            Optional<Destination> found = sysfs.follow(directory + "net");
            if (found.isPresent()) {
                made = found.orElseThrow().inode();
                net = directory + "net";
                names.addAll(sysfs.names(net));
            }
        }
        if (names.size() > 1) {
            throw new IOException("it has several network interfaces, and only one can go into a pod: "
                    + String.join(", ", names) + "; leave such devices out in [class.match]");
        }
        return new InterfacePlace(names.stream().findFirst(), made, net);
    }

    /**
     * Refuses an interface that has come into its pod half ready. A container runtime moves it first, and then gives it its
     * name and addresses and brings it up. If it fails in between, the next start of the container would succeed without
     * the interface. What a pod itself changes is its own affair, and its interface is not found by then.
     */
    static void checkArrival(Sysfs sysfs, Device device, Note note, Step.Interface moved) throws IOException {
        String onNode = note.before().name();
        boolean hasAddresses =
                !moved.addresses().isEmpty() || moved.addressesFile().isPresent();
        for (Seen seen : OtherLinks.find(note.before().mac(), parents(sysfs, device))) {
            if (seen.isUp()) {
                continue;
            }
            if (seen.name().equals(onNode) && !onNode.equals(note.inside())) {
                throw half("it is still called " + onNode + " there, as if the pod had another interface "
                        + note.inside());
            }
            if (seen.name().equals(note.inside()) && hasAddresses && !seen.hasAddress()) {
                throw half("it has no address there");
            }
        }
    }

    private static IOException half(String what) {
        return new IOException("the container runtime has moved its network interface into the pod and failed then: "
                + what + "; the events of the pod's first start say why. Delete the pod to get the interface back");
    }

    /** The names of what the interface of a device belongs to, as the kernel says them of the interface. */
    private static Set<String> parents(Sysfs sysfs, Device device) throws IOException {
        Set<String> parents = new TreeSet<>();
        if (device instanceof PciDevice pci) {
            for (String directory : directories(sysfs, pci)) {
                parents.add(String.valueOf(Path.of(directory).getFileName()));
            }
        }
        return parents;
    }

    /** Where a driver makes interfaces: in the function, in its virtio device, or in the sub-function. */
    private static List<String> directories(Sysfs sysfs, PciDevice device) throws IOException {
        if (device instanceof SubFunction) {
            return List.of("sys/bus/auxiliary/devices/" + device.id() + "/");
        }
        String function = PciBinding.FUNCTIONS + device.function().address() + "/";
        List<String> directories = new ArrayList<>(List.of(function));
        sysfs.names(function).stream()
                .filter(name -> name.startsWith("virtio"))
                .forEach(name -> directories.add(function + name + "/"));
        return directories;
    }

    Place place() {
        if (name.isPresent()) {
            return Place.NODE;
        }
        return made == 0 ? Place.NOWHERE : Place.AWAY;
    }

    /** The interface with its settings. */
    Link link(Sysfs sysfs) throws IOException {
        String own = name.orElseThrow(() -> new IOException("its network interface has just been moved"));
        Optional<String> index =
                own.indexOf(REPLACEMENT) < 0 ? sysfs.read(INTERFACES + own + "/ifindex") : indexOfNoText(sysfs);
        if (index.isEmpty()) {
            throw new IOException("its network interface " + own + " has just been renamed or moved");
        }
        Link link = Links.read(parse(index.orElseThrow()));
        // In the tree of another node, the same index is another interface's.
        if (!link.name().equals(own)) {
            throw new IOException("its network interface was just renamed from " + own + " to " + link.name());
        }
        return link;
    }

    /** A pod may give a name that is no text, by which no file is found. */
    private Optional<String> indexOfNoText(Sysfs sysfs) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(sysfs.locate(directory))) {
            Iterator<Path> all = found.iterator();
            return all.hasNext()
                    ? Optional.of(
                            Files.readString(all.next().resolve("ifindex")).strip())
                    : Optional.empty();
        } catch (DirectoryIteratorException e) {
            throw new IOException("its network interface has just been moved", e);
        }
    }

    private static int parse(String index) throws IOException {
        try {
            return Integer.parseInt(index);
        } catch (NumberFormatException e) {
            throw new IOException("the index of its network interface is no number: " + index, e);
        }
    }
}
