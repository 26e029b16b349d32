package io.edgeplug.node.supply;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.Event.Noting;
import io.edgeplug.model.custody.Face;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.custody.Verdict;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.Shares;
import io.edgeplug.model.device.Vfio;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.node.pods.KubeletPods;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.SteadyClock;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads which pods and claims have which devices, and tells the custodian. Reading and telling are one step, so that no
 * older reading is told after a newer one. Thread-safe.
 */
final class HolderReading {

    private final Monitor monitor;
    private final Custodian custodian;
    private final Uses uses;
    /** Whether the notes can be read. */
    final HolderNotes notes = new HolderNotes();

    private final GivenNodes nodes;
    /** The directory of the kubelet whose notes are read while its pods are not followed. */
    private final Path kubeletDir;

    private final Lock reading = new ReentrantLock();

    // The fields below are guarded by the lock.
    private Predicate<String> isOurs = resource -> false;
    private volatile @Nullable KubeletPods pods;
    private boolean isFirst = true;

    HolderReading(Monitor monitor, Uses uses, GivenNodes nodes, Path kubeletDir) {
        this.monitor = monitor;
        this.custodian = monitor.custodian();
        this.uses = uses;
        this.nodes = nodes;
        this.kubeletDir = kubeletDir;
    }

    /** What was read. */
    record Holders(HeldDevices held, Map<String, List<Noting>> byDevice, boolean isAnyEnding) {

        /** The users of a device as that resource. */
        List<Noting> of(String device, String resource) {
            return byDevice.getOrDefault(device, List.of()).stream()
                    .filter(one -> one.resource().equals(resource))
                    .toList();
        }
    }

    /** Reads of that kubelet's pods from now on. */
    void use(KubeletPods newest, Predicate<String> ours) {
        reading.lock();
        try {
            pods = newest;
            isOurs = ours;
            isFirst = true;
        } finally {
            reading.unlock();
        }
    }

    /**
     * Reads and tells.
     *
     * @throws IOException if it is not known who has what; then whoever had something may have it still
     */
    Holders read() throws IOException {
        reading.lock();
        try {
            HeldDevices held;
            List<Holding> ours;
            try {
                held = pods == null ? HeldDevices.read(kubeletDir) : pods.look();
                ours = held.few(this::concernsUs);
            } catch (IOException e) {
                tellUnread();
                // A kubelet without notes has given nothing.
                boolean isMissing = e.getCause() instanceof NoSuchFileException;
                notes.report(isMissing ? null : String.valueOf(e.getMessage()), unreadClaims());
                throw e;
            }
            Map<String, List<Noting>> byDevice = new HashMap<>();
            ours.forEach(one -> add(byDevice, noting(one)));
            uses.foreign(this::mayRun).forEach(one -> add(byDevice, noting(one)));
            boolean isAnyEnding = tell(byDevice, SteadyClock.of(held.written()));
            isFirst = false;
            notes.report(null, unreadClaims());
            return new Holders(held, byDevice, isAnyEnding);
        } finally {
            reading.unlock();
        }
    }

    /** Claims are known also while the kubelet's notes cannot be read. Nobody loses anything. */
    private void tellUnread() {
        Map<String, List<Noting>> byDevice = new HashMap<>();
        pods().stream()
                .flatMap(kubelet -> kubelet.claims().holdings().stream())
                .forEach(one -> add(byDevice, noting(one)));
        for (String device : devices(byDevice)) {
            List<Event> events = new ArrayList<>(List.of(nodes.of(device)));
            // An Allocate ends after a time without notes, but its pod may be in those that cannot be read.
            if (byDevice.containsKey(device) && !custodian.of(device).isGiven()) {
                List<Noting> claims = byDevice.getOrDefault(device, List.of());
                events.add(new Event.Noted(claims, Instant.EPOCH, Set.of(), false, System.nanoTime()));
            }
            events.add(new Event.Unread());
            uses.tell(device, resource -> group(device, resource), events);
        }
    }

    /** All devices of which anything is known. */
    private Set<String> devices(Map<String, List<Noting>> byDevice) {
        Set<String> devices = new HashSet<>(byDevice.keySet());
        devices.addAll(uses.all().keySet());
        custodian.all().forEach(one -> devices.add(one.id()));
        return devices;
    }

    /** Reads and tells. It also fails if the note of a claim cannot be read, because the claim may have other devices. */
    void readForSure() throws IOException {
        Holders ignored = read();
        if (pods != null) {
            pods.claims().refuseIfUnread();
        }
    }

    /** Has a claim take devices and notes that, with no reading between. The claim before may just have been released. */
    void claim(User.Claim claim, Map<String, String> devices, Set<String> ids, Front.Work<IOException> note)
            throws IOException {
        reading.lock();
        try {
            readBeforeClaim();
            Optional<Map.Entry<Face, Verdict>> objection = custodian.claim(claim, faces(devices), ids);
            if (objection.isPresent()) {
                throw new IOException(
                        "its device " + objection.orElseThrow().getKey().device() + " "
                                + objection.orElseThrow().getValue().text());
            }
            noteOrForget(note);
        } finally {
            reading.unlock();
        }
    }

    private Map<Face, Device> faces(Map<String, String> devices) throws IOException {
        Map<Face, Device> faces = new LinkedHashMap<>();
        Set<String> gone = new TreeSet<>(devices.keySet());
        devices.forEach((device, resource) -> monitor.items(device)
                .forEach(item -> item.face()
                        .filter(face -> face.resource().equals(resource))
                        .ifPresent(face -> {
                            faces.put(face, item.device());
                            gone.remove(device);
                        })));
        if (!gone.isEmpty()) {
            throw new IOException("its device " + String.join(", ", gone) + " has just gone");
        }
        return faces;
    }

    /** What is not noted is not held: the next reading says so at once. */
    private void noteOrForget(Front.Work<IOException> note) throws IOException {
        try {
            note.run();
        } catch (IOException e) {
            try {
                Holders ignored = read();
            } catch (IOException unread) {
                e.addSuppressed(unread);
            }
            throw e;
        }
    }

    private void readBeforeClaim() throws IOException {
        try {
            Holders ignored = read();
        } catch (IOException e) {
            throw new IOException("nothing tells whether its devices are held: " + e.getMessage(), e);
        }
    }

    private Optional<KubeletPods> pods() {
        return Optional.ofNullable(pods);
    }

    private List<String> unreadClaims() {
        return pods().map(kubelet -> kubelet.claims().unread()).orElse(List.of());
    }

    private static void add(Map<String, List<Noting>> byDevice, Noting noting) {
        byDevice.computeIfAbsent(Shares.whole(noting.id()), none -> new ArrayList<>())
                .add(noting);
    }

    /** Other plugins' devices are none of ours, unless they have the ID of one. */
    private boolean concernsUs(Holding holding) {
        String device = Shares.whole(holding.id());
        return !monitor.items(device).isEmpty()
                || isOurs.test(holding.resource())
                || !custodian.of(device).isFree();
    }

    private Noting noting(Holding holding) {
        User.Pod pod = pods().flatMap(kubelet -> kubelet.name(holding))
                .map(name -> new User.Pod(
                        holding.pod(), Optional.of(name.namespace()), Optional.of(name.pod()), name.container()))
                .orElseGet(() -> User.Pod.unnamed(holding.pod(), holding.container()));
        User user = holding.claim().<User>map(uid -> new User.Claim(uid, pod)).orElse(pod);
        String device = Shares.whole(holding.id());
        OptionalInt group = group(device, holding.resource());
        boolean isShare = !holding.id().equals(device);
        boolean mayHaveStarted = pods().filter(kubelet -> isShare && !UnpreparedStarts.mayHaveStarted(kubelet, holding))
                .isEmpty();
        return new Noting(holding.id(), user, holding.resource(), group, monitor.here(device), mayHaveStarted);
    }

    private OptionalInt group(String device, String resource) {
        return monitor.items(device).stream()
                .flatMap(item -> item.face().stream())
                .filter(face -> face.resource().equals(resource))
                .findFirst()
                .map(Face::group)
                .orElseGet(() -> monitor.here(device).map(HolderReading::group).orElse(OptionalInt.empty()));
    }

    /** The group that a pod has by the driver, if no class of its resource says so. */
    private static OptionalInt group(Device device) {
        return device instanceof PciDevice pci
                        && device.driver().filter(Vfio::isDriver).isPresent()
                ? pci.function().iommuGroup()
                : OptionalInt.empty();
    }

    private boolean mayRun(String uid) {
        return pods().filter(kubelet -> kubelet.mayRun(uid) || kubelet.claims().isUnread(uid))
                .isPresent();
    }

    /** Returns whether some user has lost a device by the notes, but may still have processes. */
    private boolean tell(Map<String, List<Noting>> byDevice, Instant written) {
        Set<String> quiet = quiet(byDevice);
        boolean isAnyEnding = false;
        for (String device : devices(byDevice)) {
            List<Noting> notings = byDevice.getOrDefault(device, List.of());
            // In one step, since a device with traces is offered to nobody unless its user is known.
            uses.tell(
                    device,
                    resource -> group(device, resource),
                    List.of(nodes.of(device), new Event.Noted(notings, written, quiet, isFirst, System.nanoTime())));
            isAnyEnding |= notings.isEmpty()
                    && custodian.of(device).holds().values().stream().anyMatch(hold -> hold.user() instanceof User.Pod);
        }
        return isAnyEnding;
    }

    /** The users without any process, among all that are known. */
    private Set<String> quiet(Map<String, List<Noting>> byDevice) {
        Set<String> uids = new HashSet<>();
        uses.all().values().forEach(use -> uids.addAll(use.pods()));
        custodian.all().forEach(one -> uids.addAll(one.uids()));
        byDevice.values().forEach(all -> all.forEach(one -> uids.add(one.user().uid())));
        uids.remove("");
        uids.removeIf(this::mayRun);
        return uids;
    }
}
