package io.edgeplug.model.custody;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.IdentifiedNode;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.Shares;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Latest;
import io.edgeplug.system.flow.SteadyClock;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Has the records of all devices. Every change goes through {@link #tell}. Any thread may tell and ask; the lock is held
 * for moments, and never while something is read or written.
 */
public final class Custodian {

    private static final Logger LOG = Logger.getLogger(Custodian.class.getName());

    private final Lock lock = new ReentrantLock();
    private final Latest<Long> changes = new Latest<>(0L, Long::longValue);
    private final List<Consumer<Change>> listeners = new CopyOnWriteArrayList<>();

    // The fields below are guarded by the lock.

    /** The devices that are not free, by ID. */
    private final SortedMap<String, Custody> records = new TreeMap<>();

    private final Kin kin = new Kin();

    /**
     * The resources as which somebody has or had a device. A kubelet may note a pod long after it has ended, and the end
     * is found only as long as the resource is known here. They are few, since each was the name of a class.
     */
    private final Set<String> resources = new HashSet<>();

    private long grants;

    /** Runs the listener after each change, on the thread that made it and under the lock. It must return at once. */
    public void addListener(Consumer<Change> listener) {
        listeners.add(listener);
    }

    /** The record of a device; a free one if nothing is known. */
    public Custody of(String device) {
        return locked(() -> record(device));
    }

    /** The records of all devices that are not free, in the order of their IDs. */
    public List<Custody> all() {
        return locked(() -> List.copyOf(records.values()));
    }

    /** The devices that somebody has, as far as they were seen. */
    public Set<String> held() {
        return locked(() -> records.values().stream()
                .filter(one -> one.device().isPresent())
                .map(Custody::id)
                .collect(Collectors.toSet()));
    }

    private <T> T locked(Supplier<T> reading) {
        lock.lock();
        try {
            return reading.get();
        } finally {
            lock.unlock();
        }
    }

    private Custody record(String device) {
        Custody known = records.get(device);
        return known == null ? Custody.free(device) : known;
    }

    /** Whether nothing prevents any device from being offered. */
    public boolean areAllFree() {
        return locked(() -> records.isEmpty());
    }

    /** Waits for any change, up to a deadline, until a condition is met. Returns whether it is. */
    public boolean await(BooleanSupplier condition, Deadline deadline) throws InterruptedException {
        while (true) {
            long seen = changes.get();
            if (condition.getAsBoolean()) {
                return true;
            }
            if (deadline.isOver()) {
                return false;
            }
            long ignored = changes.awaitNewerThan(seen, deadline.wakeUp());
        }
    }

    /** Why nobody new gets a device as that face; empty if it is offered. */
    public Optional<Verdict> listed(Face face) {
        return locked(() -> Verdict.ofList(face, record(face.device()), kin(face.device()), kin.mates(face)));
    }

    /**
     * Why a caller does not get these devices, as far as their users are the reason; empty if it gets them.
     *
     * @param faces of all devices of the call
     */
    public Optional<Map.Entry<Face, Verdict>> objection(Collection<Face> faces) {
        return locked(() -> {
            Set<String> devices = ids(faces);
            Set<User> callers = new HashSet<>();
            // Only with mates in a group does it matter who calls, and a device may have a thousand shares.
            if (faces.stream().anyMatch(face -> !kin.mates(face).isEmpty())) {
                devices.forEach(device -> record(device).holds().values().forEach(hold -> callers.add(hold.user())));
            }
            return first(
                    faces,
                    face -> Verdict.ofCall(
                            face, record(face.device()), kin(face.device()), kin.mates(face), devices, callers));
        });
    }

    private static Set<String> ids(Collection<Face> faces) {
        return faces.stream().map(Face::device).collect(Collectors.toSet());
    }

    private static Optional<Map.Entry<Face, Verdict>> first(
            Collection<Face> faces, Function<Face, Optional<Verdict>> verdict) {
        for (Face face : faces) {
            Optional<Verdict> one = verdict.apply(face);
            if (one.isPresent()) {
                return Optional.of(Map.entry(face, one.orElseThrow()));
            }
        }
        return Optional.empty();
    }

    /**
     * Gives devices to a container, whose pod the kubelet notes soon, unless somebody's hold is in the way. Claims have
     * them before, so for them this only asks.
     *
     * @param devices as they are now, by face
     * @param ids the kubelet's IDs
     * @return why none is given; empty if all are
     */
    public Optional<Map.Entry<Face, Verdict>> give(Map<Face, Device> devices, Collection<String> ids) {
        return locked(() -> {
            Optional<Map.Entry<Face, Verdict>> objection = objection(devices.keySet());
            if (objection.isEmpty() && devices.keySet().stream().noneMatch(Face::isClaimed)) {
                put(devices, ids, User.Grant.of(++grants, System.nanoTime(), SteadyClock.now()));
            }
            return objection;
        });
    }

    /**
     * Gives devices to a claim until its release, unless somebody else has one.
     *
     * @param devices as they are now, by face
     * @param ids of the devices, or of shares
     * @return why it gets none; empty if it has all
     */
    public Optional<Map.Entry<Face, Verdict>> claim(
            User.Claim claim, Map<Face, Device> devices, Collection<String> ids) {
        return locked(() -> {
            Set<String> all = ids(devices.keySet());
            Optional<Map.Entry<Face, Verdict>> objection = first(
                    devices.keySet(),
                    face -> Verdict.ofClaim(
                            face,
                            record(face.device()),
                            kin(face.device()),
                            kin.mates(face),
                            all,
                            own(face, ids),
                            claim));
            if (objection.isEmpty()) {
                put(devices, ids, claim);
            }
            return objection;
        });
    }

    private void put(Map<Face, Device> devices, Collection<String> ids, User user) {
        devices.forEach((face, device) -> tell(face.device(), new Event.Given(own(face, ids), face, device, user)));
    }

    private static Set<String> own(Face face, Collection<String> ids) {
        Set<String> own = new TreeSet<>(ids);
        own.removeIf(id -> !Shares.whole(id).equals(face.device()));
        return own;
    }

    /** Tells events of a device in one step, so that nobody sees the record between them. The one place where it changes. */
    public void tell(String device, Event... events) {
        lock.lock();
        try {
            Custody before = record(device);
            Custody after = before;
            for (Event event : events) {
                after = Rules.on(after, event);
            }
            Change change = Change.of(before, after, events);
            if (!change.isNone()) {
                put(change);
            }
        } finally {
            lock.unlock();
        }
    }

    private void put(Change change) {
        Custody after = change.after();
        if (after.isFree()) {
            records.remove(after.id());
        } else {
            records.put(after.id(), after);
        }
        kin.change(change.before(), after);
        change.ids().forEach(id -> after.hold(id).map(Hold::resource).ifPresent(resources::add));
        LOG.fine(() -> after.id() + ": " + change.before().text() + " -> " + after.text());
        Long ignored = changes.change(count -> count + 1);
        listeners.forEach(listener -> listener.accept(change));
    }

    private @Nullable Hold kin(String device) {
        return kin.heldKin(device).flatMap(other -> record(other).holder()).orElse(null);
    }

    /** Whether somebody has another device that a scrub of this one would change. */
    public boolean isKinHeld(String device) {
        return locked(() -> kin(device) != null || kin.isPartHeld(device));
    }

    /** Whether somebody has or had a device as that resource, which may have no class any more. */
    public boolean wasAnyHeldAs(String resource) {
        return locked(() -> resources.contains(resource));
    }

    /** Whether somebody has any device of a function. */
    public boolean isFunctionHeld(PciAddress address) {
        return locked(() -> kin.isFunctionHeld(address));
    }

    /** Whether a pod has a device, a part of it or all of it, from the device plugin and not by a claim. */
    public boolean isHeldByPlugin(String device) {
        return locked(() -> Stream.concat(record(device).holds().values().stream(), Stream.ofNullable(kin(device)))
                .anyMatch(hold -> !(hold.user() instanceof User.Claim)));
    }

    /** By device, the nodes that it was when those got it who have it. */
    public Map<String, List<IdentifiedNode>> nodes() {
        return locked(() -> {
            Map<String, List<IdentifiedNode>> nodes = new TreeMap<>();
            records.values().stream()
                    .filter(one -> !one.nodes().isEmpty())
                    .forEach(one -> nodes.put(one.id(), one.nodes()));
            return nodes;
        });
    }
}
