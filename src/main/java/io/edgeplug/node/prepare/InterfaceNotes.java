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
import java.util.function.Predicate;
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
     * @param made see {@link InterfacePlace}
     * @param inside its name in the pod
     * @param before its settings on the node; the pod finds the same MAC address
     * @param addresses those that it has got for the pod
     */
    record Note(String device, long made, String inside, Guest guest, Link before, List<LinkAddress> addresses) {

        Note {
            addresses = List.copyOf(addresses);
        }

        /**
         * Whether this is the interface that is there now, and not one of a replaced card, or a new one of its driver. MAC
         * addresses do not tell: some drivers of VFs let the permanent one follow the other.
         */
        boolean isOf(InterfacePlace now) {
            return made == now.made();
        }
    }

    /**
     * The interface of a device that a pod has or gets, as it is now. None if no pod does, or if it is not known where the
     * interface is: a start that needs it is refused for that.
     */
    public Optional<PodInterface> of(Device device) {
        return of(device, note -> true);
    }

    /** The same if that user has the device, a pod or a claim by its UID. */
    public Optional<PodInterface> ofUser(String uid, Device device) {
        return of(device, note -> note.guest().users().contains(uid));
    }

    private Optional<PodInterface> of(Device device, Predicate<Note> wanted) {
        try {
            Note note = find(device.id()).filter(wanted).orElse(null);
            if (note == null) {
                return Optional.empty();
            }
            InterfacePlace place = InterfacePlace.of(sysfs, device);
            // Another one, which the driver has made since, has none of the settings for the pod.
            Optional<String> onNode = place.name().filter(name -> note.isOf(place));
            return Optional.of(
                    new PodInterface(note.inside(), onNode, note.before().mac(), note.addresses()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Whether a pod has or gets any interface. */
    public boolean areAny() {
        try {
            return !notes.names().isEmpty();
        } catch (IOException e) {
            // Each of them is asked for then.
            return true;
        }
    }

    /** The note of a device; empty if its interface is as it was. */
    Optional<Note> find(String device) throws IOException {
        Optional<Properties> note = notes.read(device);
        return note.isEmpty() ? Optional.empty() : Optional.of(parse(device, note.orElseThrow()));
    }

    /**
     * The names in their pod of the interfaces that the same pod has of other devices among these, as far as their notes
     * can be read.
     */
    Set<String> namesOfOthers(String device, Guest guest, Set<String> held) throws IOException {
        Set<String> names = new TreeSet<>();
        for (String other : notes.names()) {
            if (!other.equals(device) && held.contains(other)) {
                findIfSound(other)
                        .filter(note -> note.guest().isInPodOf(guest))
                        .ifPresent(note -> names.add(note.inside()));
            }
        }
        return names;
    }

    /** A device whose note is broken is refused itself. If its pod gets the name twice, the runtime refuses that. */
    private Optional<Note> findIfSound(String device) {
        try {
            return find(device);
        } catch (IOException e) {
            return Optional.empty();
        }
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
                    word(text, NAME),
                    List.copyOf(words(text, ALT_NAMES)),
                    text.getProperty(MAC, ""),
                    Integer.parseInt(text.getProperty(MTU, "")),
                    Boolean.parseBoolean(text.getProperty(UP)),
                    addresses(text, ADDRESSES));
            Guest guest = new Guest(words(text, USERS), words(text, PODS), words(text, SANDBOX));
            long made = Long.parseLong(text.getProperty(MADE, ""));
            List<LinkAddress> inPod = addresses(text, ADDRESSES_IN_POD);
            return new Note(device, made, word(text, INSIDE), guest, before, inPod);
        } catch (IllegalArgumentException e) {
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
            addresses.add(LinkAddress.parse(one).orElseThrow(() -> new IllegalArgumentException(one)));
        }
        return addresses;
    }

    private static String joined(Set<String> words) {
        return String.join(" ", new TreeSet<>(words));
    }

    private static String word(Properties text, String key) {
        return Optional.of(text.getProperty(key, ""))
                .filter(word -> !word.isEmpty())
                .orElseThrow(() -> new IllegalArgumentException(key));
    }

    private static Set<String> words(Properties text, String key) {
        String words = text.getProperty(key, "");
        return words.isEmpty() ? Set.of() : new TreeSet<>(List.of(words.split(" ")));
    }
}
