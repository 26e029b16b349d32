package io.edgeplug.node.supply;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.Traces;
import io.edgeplug.model.custody.Work;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.node.pods.KubeletPods;
import io.edgeplug.node.prepare.UseNotes;
import io.edgeplug.node.prepare.UseNotes.Use;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Threads;
import io.edgeplug.system.kernel.KernelReason;
import io.edgeplug.system.systemd.Journal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The notes on disk of devices that pods use or have used and that are not scrubbed yet. The custodian has the same as
 * traces. A claim counts as a pod with its own UID. Thread-safe.
 */
final class Uses {

    private static final Logger LOG = Logger.getLogger(Uses.class.getName());

    private final UseNotes notes;
    private final Custodian custodian;

    private volatile Path kubeletDir;
    private volatile List<DeviceClass> classes = List.of();
    private volatile Map<String, Use> last = Map.of();

    /** Whether this process is the node's one daemon, which looks after the notes of all kubelets' pods. */
    private volatile boolean isDaemon;

    /** The devices whose users are gone for good, although that could not be noted yet. */
    private final Set<String> released = ConcurrentHashMap.newKeySet();

    /** By device, the last logged text, so that it is not logged again. */
    private final Map<String, String> told = new ConcurrentHashMap<>();

    Uses(Sysfs sysfs, Custodian custodian, Path kubeletDir) {
        this.notes = new UseNotes(sysfs);
        this.custodian = custodian;
        this.kubeletDir = kubeletDir;
    }

    /** Follows the pods of that kubelet and the devices of these classes from now on. */
    void use(Path kubelet, List<DeviceClass> newest) {
        kubeletDir = kubelet;
        classes = List.copyOf(newest);
    }

    /** Also follows devices that other kubelets' pods have used. */
    void useAsDaemon() {
        isDaemon = true;
    }

    /** Reads the notes again, because a person may have deleted one. If that fails, they stay as they were. */
    synchronized void readAgain() {
        try {
            Map<String, Use> newest = notes.all().stream()
                    .filter(use -> isDaemon || isOurs(use))
                    .collect(Collectors.toUnmodifiableMap(Use::device, use -> use));
            // A problem of a note ends with the note, and may come again with the next one.
            last.keySet().stream().filter(device -> !newest.containsKey(device)).forEach(told::remove);
            last = newest;
        } catch (IOException e) {
            tellOnce("edgeplug", "not known which devices pods have used: " + e.getMessage());
        }
    }

    /**
     * Tells the traces of a device by its note, and in one step with them other events. The note is read again, because
     * it is gone if the device was scrubbed meanwhile. Nothing is noted between the reading and the telling.
     *
     * @param group the IOMMU group that a pod has with the device as that resource
     */
    synchronized void tell(String device, Function<String, OptionalInt> group, List<? extends Event> more) {
        boolean isKnown =
                last.containsKey(device) || custodian.of(device).traces().isPresent();
        Optional<Traces> traces = (isKnown ? notes.find(device) : Optional.<Use>empty())
                .map(use -> new Traces(use.pods(), use.resource(), use.isReleased() || released.contains(device))
                        .in(use.resource().map(group).orElse(OptionalInt.empty())));
        List<Event> events = new ArrayList<>(List.of(new Event.Traced(traces)));
        events.addAll(more);
        Custody before = custodian.of(device);
        custodian.tell(device, events.toArray(Event[]::new));
        if (custodian.of(device).isUsedUp() && before.areTracesOfClaims()) {
            // The next pod with the same claim is another user, as that with another claim is.
            released.add(device);
        }
        if (released.contains(device)) {
            try {
                notes.release(device);
                released.remove(device);
            } catch (IOException e) {
                LOG.fine(() -> device + ": not noted as released: " + e.getMessage());
            }
        }
    }

    /** The devices with a note at the last reading. */
    Map<String, Use> all() {
        return last;
    }

    /** The note of one device, as it is on the disk now. */
    Optional<Use> find(String device) {
        return notes.find(device);
    }

    /** The device is scrubbed, and its note is deleted. */
    synchronized void scrubbed(String device) {
        if (notes.find(device).isEmpty()) {
            released.remove(device);
            boolean ignored = told.remove(device) != null;
            custodian.tell(device, new Event.Traced(Optional.empty()));
        }
    }

    /** Whether the device was used by a pod of the kubelet that is followed. */
    boolean isOurs(Use use) {
        return use.kubeletDir().equals(kubeletDir.toAbsolutePath().normalize());
    }

    /**
     * What pods of other kubelets have. Another kubelet's notes stay when it is gone, so only pods with processes count.
     */
    Stream<Holding> foreign(Predicate<String> mayRun) {
        return last.values().stream()
                .filter(use -> !isOurs(use)
                        && Files.exists(use.kubeletDir().resolve(HeldDevices.FILE), LinkOption.NOFOLLOW_LINKS))
                .flatMap(use -> foreign(use, mayRun));
    }

    private static Stream<Holding> foreign(Use use, Predicate<String> mayRun) {
        try {
            return HeldDevices.read(use.kubeletDir())
                    .all(any -> true)
                    .filter(one -> one.isOf(use.device()) && mayRun.test(one.user()));
        } catch (IOException e) {
            return use.pods().stream()
                    .map(uid -> new Holding(uid, "", use.resource().orElse(""), use.device()))
                    .filter(one -> mayRun.test(one.user()));
        }
    }

    /** The class as which the device was used; empty if there is none any more. */
    Optional<DeviceClass> classOf(Use use) {
        return classes.stream()
                .filter(one -> use.resource().equals(Optional.of(one.resource().toString())))
                .findFirst();
    }

    /** Whether claims may choose how the devices of a resource are prepared. */
    boolean hasChoices(String resource) {
        return classes.stream()
                .anyMatch(one -> one.resource().toString().equals(resource)
                        && !one.claims().choices().isEmpty());
    }

    /** Why only a person can decide about a device; null if the daemon can. The text continues a sentence about it. */
    static @Nullable String obstacle(Use use, @Nullable DeviceClass deviceClass, @Nullable Device device) {
        if (deviceClass == null && !use.needsNoClass()) {
            return unknown(use);
        }
        return device == null || use.isOf(device)
                ? null
                : "is not the device that a pod has used here; to scrub it anyway, "
                        + "run: edgeplug prepare --release " + use.device();
    }

    private static String unknown(Use use) {
        return use.problem()
                        .map(problem -> "has a note of its last use that cannot be read: " + problem)
                        .orElseGet(() -> "was used as " + use.resource().orElse("")
                                + ", but no class has this resource any more")
                + "; run: edgeplug prepare --release " + use.device() + " --as RESOURCE";
    }

    /**
     * Notes that these pods use a device from now on. Waits for the disk.
     *
     * @throws IOException if that cannot be noted; the message continues a sentence about the device
     */
    synchronized void note(Device device, DeviceClass deviceClass, Set<String> users, Path kubelet) throws IOException {
        try {
            notes.note(device, deviceClass, users, kubelet);
        } catch (IOException e) {
            throw new IOException("cannot be noted as used: " + e.getMessage() + remedy(e), e);
        }
        released.remove(device.id());
        custodian.tell(
                device.id(),
                new Event.Traced(Optional.of(
                        new Traces(users, Optional.of(deviceClass.resource().toString()), false))));
    }

    /** The kubelet starts the container again by itself. */
    static String remedy(IOException failure) {
        return switch (KernelReason.of(failure)) {
            case NO_ROOM -> "; make room there, and the pod starts";
            case READ_ONLY -> "; mount it writable, and the pod starts";
            default -> "";
        };
    }

    /**
     * Notes users whose start was not noted: it was not seen, or their class did not require it yet. Their devices must
     * be scrubbed too. Waits for the disk.
     */
    void noteUnseen(Inventory inventory, HeldDevices held, KubeletPods pods) {
        List<Item> items = inventory.items().stream()
                .filter(item ->
                        item.deviceClass().filter(DeviceClass::tracksUse).isPresent())
                .filter(item -> !unseen(item, held, pods).isEmpty())
                .toList();
        if (items.isEmpty()) {
            return;
        }
        // This looks again, because the same device may just have been noted as another of its faces.
        Threads.onDisk(
                "unseen starts",
                () -> items.forEach(item -> noteUnseen(item, unseen(item, held, pods), pods.kubeletDir())));
    }

    /** The users to note: those that have started, with those that are noted; none if nothing is missing. */
    private Set<String> unseen(Item item, HeldDevices held, KubeletPods pods) {
        DeviceClass deviceClass = item.deviceClass().orElseThrow();
        Set<String> users = held.all(deviceClass.resource(), item.device()).stream()
                .filter(holding -> UnpreparedStarts.hasStarted(pods, holding))
                .map(Holding::user)
                .collect(Collectors.toSet());
        Optional<Use> use =
                users.isEmpty() ? Optional.<Use>empty() : find(item.device().id());
        // Those of a released note have gone for good. A static pod that comes back with its UID has not used it yet.
        use.filter(before -> !before.isReleased()).ifPresent(before -> users.addAll(before.pods()));
        // Uses of another face's recipe are left alone, and so is a note that is about to go.
        boolean isOther = use.filter(before -> (!before.isReleased()
                                && before.pods().equals(users))
                        || (before.isReleased()
                                && custodian.of(item.device().id()).isUnder(Work.Kind.SCRUB))
                        || !before.resource()
                                .equals(Optional.of(deviceClass.resource().toString())))
                .isPresent();
        return isOther ? Set.of() : users;
    }

    private void noteUnseen(Item item, Set<String> users, Path kubeletDir) {
        try {
            if (!users.isEmpty()) {
                note(item.device(), item.deviceClass().orElseThrow(), users, kubeletDir);
            }
        } catch (IOException e) {
            tellOnce(item.device().id(), String.valueOf(e.getMessage()));
        }
    }

    /** The problem of that subject is over, so it is logged if it comes again. */
    void isWell(String id) {
        boolean ignored = told.remove(id) != null;
    }

    /** Logs a problem that a person must solve, once. */
    void tellOnce(String id, String text) {
        if (!text.equals(told.put(id, text))) {
            LOG.log(Level.WARNING, id + ": " + text, new Object[] {Journal.device(id)});
        }
    }
}
