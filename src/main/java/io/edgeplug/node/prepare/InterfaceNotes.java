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

    private static final String MADE = "made";
    private static final String INSIDE = "name_in_pod";
    private static final String USERS = "users";
    private static final String PODS = "pods";
    private static final String SANDBOX = "sandbox";
    private static final String NAME = "name";
    private static final String ALT_NAMES = "alt_names";
    private static final String MAC = "mac";
    private static final String MTU = "mtu";
    private static final String UP = "up";
    private static final String ADDRESSES = "addresses";

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
     * @param made see {@link InterfacePlace}
     * @param inside its name in the pod
     * @param before its settings on the node
     */
    record Note(String device, long made, String inside, Guest guest, Link before) {

        /**
         * Whether this is the interface that is there now, and not one of a replaced card, or a new one of its driver. MAC
         * addresses do not tell: some drivers of VFs let the permanent one follow the other.
         */
        boolean isOf(InterfacePlace now) {
            return made == now.made();
        }
    }

    /**
     * The interface of a device that a pod has or gets, as it is now; empty if no pod does.
     *
     * @throws IOException if it is not known where the interface is
     */
    public Optional<PodInterface> of(Device device) throws IOException {
        Optional<Note> note = find(device.id());
        if (note.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new PodInterface(
                note.orElseThrow().inside(), InterfacePlace.of(sysfs, device).name()));
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
        text.setProperty(MADE, String.valueOf(note.made()));
        text.setProperty(INSIDE, note.inside());
        text.setProperty(USERS, joined(note.guest().users()));
        text.setProperty(PODS, joined(note.guest().pods()));
        text.setProperty(SANDBOX, joined(note.guest().sandbox()));
        text.setProperty(NAME, before.name());
        text.setProperty(ALT_NAMES, String.join(" ", before.altNames()));
        text.setProperty(MAC, before.mac());
        text.setProperty(MTU, String.valueOf(before.mtu()));
        text.setProperty(UP, String.valueOf(before.isUp()));
        text.setProperty(
                ADDRESSES,
                before.addresses().stream().map(LinkAddress::toString).collect(Collectors.joining(" ")));
        notes.write(note.device(), text);
    }

    void delete(String device) throws IOException {
        notes.delete(device);
    }

    private Note parse(String device, Properties text) throws IOException {
        try {
            List<LinkAddress> addresses = new ArrayList<>();
            for (String one : words(text, ADDRESSES)) {
                addresses.add(LinkAddress.parse(one).orElseThrow(() -> new NumberFormatException(one)));
            }
            Link before = new Link(
                    0,
                    text.getProperty(NAME, ""),
                    List.copyOf(words(text, ALT_NAMES)),
                    text.getProperty(MAC, ""),
                    Integer.parseInt(text.getProperty(MTU, "")),
                    Boolean.parseBoolean(text.getProperty(UP)),
                    addresses);
            Guest guest = new Guest(words(text, USERS), words(text, PODS), words(text, SANDBOX));
            long made = Long.parseLong(text.getProperty(MADE, ""));
            return new Note(device, made, text.getProperty(INSIDE, ""), guest, before);
        } catch (NumberFormatException e) {
            throw new IOException(
                    notes.place(device) + ": is no note of a network interface; delete it once the interface is as you"
                            + " want it",
                    e);
        }
    }

    private static String joined(Set<String> words) {
        return String.join(" ", new TreeSet<>(words));
    }

    private static Set<String> words(Properties text, String key) {
        String words = text.getProperty(key, "");
        return words.isEmpty() ? Set.of() : new TreeSet<>(List.of(words.split(" ")));
    }
}
