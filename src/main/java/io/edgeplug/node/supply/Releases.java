package io.edgeplug.node.supply;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.custody.Due;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.Work;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.prepare.Preparation;
import io.edgeplug.node.prepare.PrepareEvent;
import io.edgeplug.node.prepare.Preparer;
import io.edgeplug.node.prepare.UseNotes.Use;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.systemd.Journal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Does what is due to a device that nobody has any more: scrubs it, or returns it to the host driver from which a recipe
 * has taken it, whatever classes there are now. A scrub returns it too. Thread-safe.
 */
final class Releases {

    private static final Logger LOG = Logger.getLogger(Releases.class.getName());

    /** Longer than any driver takes. The kernel waits for ever while a process uses the function. */
    private static final Duration RETURNED_WITHIN = Duration.ofSeconds(10);

    /** Continues a sentence about a function. */
    static final String LATE = "has not returned to its host driver yet, as if a process still used it";

    private final Monitor monitor;
    private final Custodian custodian;
    private final Preparer preparer;
    private final Uses uses;
    private final HolderReading reading;

    /** The scrubs that were begun and have not ended, by device; guarded by this. */
    private final Map<String, Run> runs = new HashMap<>();

    private record Run(Preparation preparation, Deadline deadline) {}

    Releases(Monitor monitor, Preparer preparer, Uses uses, HolderReading reading) {
        this.monitor = monitor;
        this.custodian = monitor.custodian();
        this.preparer = preparer;
        this.uses = uses;
        this.reading = reading;
    }

    /**
     * Does what is due for all devices.
     *
     * @param isRead whether it is known who holds what
     * @return when to look again, at the latest after {@code longest}
     */
    synchronized Duration follow(boolean isRead, Duration longest) {
        // A scrub that waited while somebody else did it has nothing left to do, and reports no end.
        Set<String> ids = new TreeSet<>(runs.keySet());
        custodian.all().stream().filter(one -> one.traces().isPresent()).forEach(one -> ids.add(one.id()));
        Duration pause = longest;
        for (String id : ids) {
            Duration due = follow(id, isRead).orElse(longest);
            pause = due.compareTo(pause) < 0 ? due : pause;
        }
        return pause;
    }

    /**
     * Does what is due for a device with traces.
     *
     * @param isRead whether it is known who holds what
     * @return when to look again at the latest; empty if an event will say so
     */
    synchronized Optional<Duration> follow(String id, boolean isRead) {
        watch(id);
        Optional<Use> use = Optional.ofNullable(uses.all().get(id)).or(() -> uses.find(id));
        if (use.isEmpty()) {
            return Optional.empty();
        }
        Optional<Device> device = monitor.here(id);
        // A reload may take the class away at any moment, so it is asked once.
        Optional<DeviceClass> deviceClass = uses.classOf(use.orElseThrow());
        Due due = Due.of(
                custodian.of(id),
                custodian.isKinHeld(id),
                device.isPresent(),
                isRead,
                Uses.obstacle(use.orElseThrow(), deviceClass.orElse(null), device.orElse(null)),
                System.nanoTime());
        if (!(due instanceof Due.Obstacle)) {
            // A class or the device itself may have come back.
            custodian.tell(id, new Event.Obstructed(Optional.empty(), System.nanoTime()));
        }
        return switch (due) {
            case Due.Nothing nothing -> Optional.empty();
            case Due.Later later -> Optional.of(later.pause());
            case Due.Obstacle obstacle -> {
                uses.tellOnce(id, "is not offered: " + obstacle.text());
                custodian.tell(id, new Event.Obstructed(Optional.of(obstacle.text()), System.nanoTime()));
                yield Optional.empty();
            }
            case Due.Scrub scrub -> {
                begin(
                        device.orElseThrow(),
                        deviceClass.map(DeviceClass::release).orElse(Recipe.NONE));
                yield Optional.empty();
            }
        };
    }

    private void begin(Device device, Recipe release) {
        String id = device.id();
        custodian.tell(id, new Event.Begun(Work.Kind.SCRUB, "", Instant.now().truncatedTo(ChronoUnit.SECONDS)));
        runs.put(
                id, new Run(preparer.scrub(device, release, () -> checkScrub(device)), Deadline.in(release.timeout())));
    }

    /** A scrub that takes long delays no other, and is logged once. One that was refused has reported no end. */
    private void watch(String id) {
        Run run = runs.get(id);
        if (run == null) {
            return;
        }
        if (run.preparation().hasEnded()) {
            runs.remove(id);
            custodian.tell(id, new Event.Left(Work.Kind.SCRUB));
        } else if (run.deadline().isOver()) {
            preparer.passBy(run.preparation());
            custodian.tell(id, new Event.Late(Work.Kind.SCRUB, run.preparation().progress()));
            uses.tellOnce(id, custodian.of(id).reason());
        }
    }

    /** Lets others go on that may wait behind a scrub that takes too long. Returns its progress, for a person. */
    synchronized String passBy(String id) {
        Run run = runs.get(id);
        if (run == null) {
            return custodian.of(id).reason();
        }
        preparer.passBy(run.preparation());
        return run.preparation().progress();
    }

    /** A pod that got the device meanwhile has not started yet if its start waits for this scrub. */
    private void checkScrub(Device device) throws IOException {
        Optional<Use> use = uses.find(device.id());
        if (use.isEmpty()) {
            return;
        }
        HolderReading.Holders ignored = reading.read();
        Custody custody = custodian.of(device.id());
        Optional<String> objection = Due.objection(custody, custodian.isKinHeld(device.id()));
        if (objection.isPresent()) {
            throw new IOException(objection.orElseThrow());
        }
        if (!use.orElseThrow().isOf(device)) {
            throw new IOException("is not the device that a pod has used here");
        }
    }

    /** The result of a scrub, on the thread that did it. */
    void scrubbed(PrepareEvent.Scrubbed end) {
        String id = end.device().id();
        Optional<String> problem = end.problem().map(text -> "could not be scrubbed: " + text);
        long now = System.nanoTime();
        custodian.tell(id, new Event.Ended(Work.Kind.SCRUB, problem, now));
        if (problem.isEmpty()) {
            uses.scrubbed(id);
            log(Level.INFO, id, "scrubbed in " + end.took().toMillis() + " ms");
        } else {
            // The time is rounded, because a moment of it has already passed.
            long pause = custodian
                    .of(id)
                    .trouble()
                    .map(one -> one.left(now))
                    .orElse(Duration.ZERO)
                    .plusMillis(500)
                    .toSeconds();
            log(
                    Level.WARNING,
                    id,
                    problem.orElseThrow() + "; it is not offered, and this is tried again in " + pause + " s");
        }
    }

    /**
     * Begins the returns that are due, on other threads.
     *
     * @param kubeletDir of the kubelet for whose pods they were bound; those of another one stay
     * @return whether there are others, which wait for their release
     */
    boolean returnDrivers(Path kubeletDir) {
        try {
            List<PciAddress> rebound = preparer.rebound(kubeletDir);
            for (PciAddress address : rebound) {
                here(address).ifPresent(this::tellIfLate);
                Optional<PciDevice> device = custodian.isFunctionHeld(address) ? Optional.empty() : here(address);
                device.filter(one -> custodian.of(one.id()).traces().isEmpty())
                        .ifPresent(one -> preparer.giveBackDriver(one, () -> checkReturn(kubeletDir, address)));
            }
            return rebound.stream().anyMatch(custodian::isFunctionHeld);
        } catch (IOException e) {
            LOG.fine(() -> "drivers stay as they are: " + e.getMessage());
            return false;
        }
    }

    /** A function that hangs on its way is frozen, and is reported once. */
    private void tellIfLate(PciDevice device) {
        boolean isLate = custodian
                .of(device.id())
                .work()
                .filter(work -> work.kind() == Work.Kind.RETURN
                        && work.late().isEmpty()
                        && work.since().plus(RETURNED_WITHIN).isBefore(Instant.now()))
                .isPresent();
        if (isLate) {
            log(Level.WARNING, device.id(), LATE);
            custodian.tell(device.id(), new Event.Late(Work.Kind.RETURN, LATE));
        }
    }

    private Optional<PciDevice> here(PciAddress address) {
        return monitor.current().devices().stream()
                .flatMap(device -> device instanceof PciDevice pci ? Stream.of(pci) : Stream.empty())
                .filter(device -> device.function().address().equals(address)
                        && !device.health().isGone())
                .findFirst();
    }

    /** The kubelet notes a device before its container starts. From then on, only the recipe binds drivers. */
    private void checkReturn(Path kubeletDir, PciAddress address) throws IOException {
        if (!preparer.rebound(kubeletDir).contains(address)) {
            throw new IOException("has been bound for another kubelet");
        }
        reading.readForSure();
        if (custodian.isFunctionHeld(address)) {
            throw new IOException("is held");
        }
        if (uses.find(address.toString()).isPresent()) {
            throw new IOException("must be scrubbed first");
        }
    }

    private static void log(Level level, String id, String text) {
        LOG.log(level, id + ": " + text, new Object[] {Journal.device(id)});
    }
}
