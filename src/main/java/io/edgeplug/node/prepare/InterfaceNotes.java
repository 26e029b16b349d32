package io.edgeplug.node.prepare;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PodInterface;
import io.edgeplug.system.files.Notes;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.LinkAddress;
import io.edgeplug.system.kernel.Links.Link;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The network interfaces that pods get, with their settings from before, one file for each device. A file is written
 * before anything is changed, and deleted once the interface is as it was. The notes do not survive a reboot, after which
 * all interfaces are as their drivers make them.
 */
public final class InterfaceNotes {

    private static final String INSIDE = "name_in_pod";
    private static final String USERS = "users";
    private static final String PODS = "pods";
    private static final String SANDBOX = "sandbox";
    private static final String NAME = "name";
    private static final String ALT_NAMES = "alt_names";
    private static final String MAC = "mac";
    private static final String PERMANENT_MAC = "permanent_mac";
    private static final String MTU = "mtu";
    private static final String UP = "up";
    private static final String ADDRESSES = "addresses";
    private static final String ADDRESSES_IN_POD = "addresses_in_pod";

    private final Sysfs sysfs;
    private final Notes notes;

    /** The notes of that node. */
    public InterfaceNotes(Sysfs sysfs) {
        this.sysfs = sysfs;
        this.notes = new Notes(sysfs, "run/edgeplug/interfaces");
    }

    /**
     * A note.
     *
     * @param inside its name in the pod
     * @param before its settings on the node; the pod finds the same MAC address
     * @param addresses those that it has got for the pod
     */
    record Note(String device, String inside, Guest guest, Link before, List<LinkAddress> addresses) {

        Note {
            addresses = List.copyOf(addresses);
        }

        /**
         * The settings from before; empty if the interface is another one, of a replaced card or a new one of its driver.
         * A MAC address must not go to another card.
         *
         * @param isMacSet whether edgeplug has given the function a MAC address since, which drivers also call permanent
         */
        Optional<Link> before(Link now, boolean isMacSet) {
            Link own = isMacSet ? before.withMacOf(now) : before;
            boolean isOther = now.permanentMac().isPresent()
                    && own.permanentMac().isPresent()
                    && !now.permanentMac().equals(own.permanentMac());
            return isOther ? Optional.empty() : Optional.of(own);
        }
    }

    /**
     * The interface of a device that a pod has or gets, as it is now; empty if no pod does.
     *
     * @throws IOException if it is not known where the interface is
     */
    public Optional<PodInterface> of(Device device) throws IOException {
        Optional<Note> found = find(device.id());
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Note note = found.orElseThrow();
        Optional<String> onNode = InterfacePlace.of(sysfs, device).name();
        return Optional.of(new PodInterface(note.inside(), onNode, note.before().mac(), note.addresses()));
    }

    /** The same if that user has the device, a pod or a claim by its UID; none if it is not known where the interface is. */
    public Optional<PodInterface> ofUser(String uid, Device device) {
        try {
            boolean isUsers = find(device.id())
                    .filter(note -> note.guest().users().contains(uid))
                    .isPresent();
            return isUsers ? of(device) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The same, or none if it is not known where the interface is. A start that needs it is refused for that. */
    public Optional<PodInterface> current(Device device) {
        try {
            return of(device);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The note of a device; empty if its interface is as it was. */
    Optional<Note> find(String device) throws IOException {
        Optional<Properties> note = notes.read(device);
        return note.isEmpty() ? Optional.empty() : Optional.of(parse(device, note.orElseThrow()));
    }

    /** The names in their pod of the interfaces that the same pod has of other devices. */
    Set<String> namesOfOthers(String device, Guest guest) throws IOException {
        Set<String> names = new TreeSet<>();
        for (String other : notes.names()) {
            if (!other.equals(device)) {
                find(other).filter(note -> note.guest().isInPodOf(guest)).ifPresent(note -> names.add(note.inside()));
            }
        }
        return names;
    }

    void write(Note note) throws IOException {
        Link before = note.before();
        Properties text = new Properties();
        text.setProperty(INSIDE, note.inside());
        text.setProperty(USERS, joined(note.guest().users()));
        text.setProperty(PODS, joined(note.guest().pods()));
        text.setProperty(SANDBOX, joined(note.guest().sandbox()));
        text.setProperty(NAME, before.name());
        text.setProperty(ALT_NAMES, String.join(" ", before.altNames()));
        text.setProperty(MAC, before.mac());
        before.permanentMac().ifPresent(mac -> text.setProperty(PERMANENT_MAC, mac));
        text.setProperty(MTU, String.valueOf(before.mtu()));
        text.setProperty(UP, String.valueOf(before.isUp()));
        text.setProperty(ADDRESSES, text(before.addresses()));
        text.setProperty(ADDRESSES_IN_POD, text(note.addresses()));
        notes.write(note.device(), text);
    }

    void delete(String device) throws IOException {
        notes.delete(device);
    }

    private Note parse(String device, Properties text) throws IOException {
        try {
            Link before = new Link(
                    0,
                    text.getProperty(NAME, ""),
                    List.copyOf(words(text, ALT_NAMES)),
                    text.getProperty(MAC, ""),
                    Optional.ofNullable(text.getProperty(PERMANENT_MAC)),
                    Integer.parseInt(text.getProperty(MTU, "")),
                    Boolean.parseBoolean(text.getProperty(UP)),
                    addresses(text, ADDRESSES));
            Guest guest = new Guest(words(text, USERS), words(text, PODS), words(text, SANDBOX));
            return new Note(device, text.getProperty(INSIDE, ""), guest, before, addresses(text, ADDRESSES_IN_POD));
        } catch (NumberFormatException e) {
            throw new IOException(
                    notes.place(device) + ": is no note of a network interface; delete it once the interface is as you"
                            + " want it",
                    e);
        }
    }

    private static String text(List<LinkAddress> addresses) {
        return addresses.stream().map(LinkAddress::toString).collect(Collectors.joining(" "));
    }

    private static List<LinkAddress> addresses(Properties text, String key) {
        List<LinkAddress> addresses = new ArrayList<>();
        for (String one : words(text, key)) {
            addresses.add(LinkAddress.parse(one).orElseThrow(() -> new NumberFormatException(one)));
        }
        return addresses;
    }

    private static String joined(Set<String> words) {
        return String.join(" ", new TreeSet<>(words));
    }

    private static Set<String> words(Properties text, String key) {
        String words = text.getProperty(key, "");
        return words.isEmpty() ? Set.of() : new TreeSet<>(List.of(words.split(" ")));
    }
}
