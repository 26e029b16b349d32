package io.edgeplug.supply;

import io.edgeplug.device.Device;
import io.edgeplug.flow.Backoff;
import io.edgeplug.flow.Deadline;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.linux.Journal;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.prepare.Preparation;
import io.edgeplug.prepare.PrepareEvent;
import io.edgeplug.prepare.UseNotes.Use;
import io.edgeplug.rules.DeviceClass;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/**
 * Has each device scrubbed once the last pod that used it is gone, and withholds it with a reason until then. One
 * thread looks.
 */
final class ReleasedDevices {

    private static final Logger LOG = Logger.getLogger(ReleasedDevices.class.getName());

    private static final Duration FIRST_RETRY = Duration.ofSeconds(5);
    private static final Duration LONGEST_RETRY = Duration.ofMinutes(5);

    private final Monitor monitor;
    private final DeviceUsers users;
    private final UnnotedStarts unnoted;
    private final Scrubbing scrubbing;

    /** By ID, the last try if it failed. */
    private final Map<String, Failure> failures = new ConcurrentHashMap<>();

    // The fields below belong to the thread that looks.
    private final Map<String, Run> runs = new HashMap<>();
    private Set<String> known = Set.of();

    /** A scrub that runs. */
    private record Run(Preparation preparation, Instant since, Deadline deadline) {}

    /**
     * A scrub that failed.
     *
     * @param backoff only the thread that alone has the device uses it
     */
    private record Failure(String problem, Backoff backoff, Deadline next) {}

    ReleasedDevices(Monitor monitor, DeviceUsers users, Scrubbing scrubbing) {
        this.monitor = monitor;
        this.users = users;
        this.unnoted = new UnnotedStarts(monitor, users);
        this.scrubbing = scrubbing;
    }

    /**
     * Begins all scrubs that can begin.
     *
     * @param held what pods hold; empty if that is not known
     * @return whether any device that exists is not scrubbed yet
     */
    synchronized boolean look(Optional<HeldDevices> held) {
        held.ifPresent(unnoted::note);
        List<Use> uses = users.notes();
        runs.values().removeIf(run -> run.preparation().hasEnded());
        Set<String> ids = uses.stream().map(Use::device).collect(Collectors.toSet());
        for (String id : known) {
            if (!ids.contains(id)) {
                failures.remove(id);
                users.forgetTold(id);
                monitor.endUse(id);
            }
        }
        known = ids;
        uses.forEach(use -> follow(use, held));
        return monitor.current().devices().stream()
                .anyMatch(
                        device -> ids.contains(device.id()) && !device.health().isGone());
    }

    /** That pause, or the time until the next retry of a scrub if that is sooner. */
    Duration sooner(Duration pause) {
        return failures.values().stream()
                .map(Failure::next)
                .filter(next -> !next.isOver())
                .map(Deadline::wakeUp)
                .filter(due -> due.compareTo(pause) < 0)
                .min(Duration::compareTo)
                .orElse(pause);
    }

    private void follow(Use use, Optional<HeldDevices> held) {
        Optional<DeviceClass> deviceClass = users.classOf(use);
        Optional<Device> device = monitor.current().devices().stream()
                .filter(one -> one.id().equals(use.device()) && !one.health().isGone())
                .findFirst();
        Optional<Failure> failure = Optional.ofNullable(failures.get(use.device()))
                .filter(one -> !one.next().isOver());
        Optional<Run> run = Optional.ofNullable(runs.get(use.device()));
        Optional<String> obstacle = obstacle(use, deviceClass, device);
        if (obstacle.isPresent()) {
            users.tellOnce(use.device(), "is not offered: " + obstacle.orElseThrow());
            keep(use, false, obstacle.orElseThrow());
        } else if (run.isPresent()) {
            watch(use, run.orElseThrow());
        } else if (failure.isPresent()) {
            keep(use, false, failure.orElseThrow().problem());
        } else if (held.isEmpty() || device.isEmpty()) {
            keep(use, true, "was used by a pod that may not be gone");
        } else if (users.isHeld(use, device.orElseThrow(), held.orElseThrow())) {
            keep(use, true, "was used by a pod, and is not scrubbed yet");
        } else if (users.mayRun(use)) {
            keep(use, true, "is used by processes of a pod that have not ended yet");
        } else {
            begin(use, device.orElseThrow(), deviceClass.orElseThrow());
        }
    }

    /** A case that only a person can decide. */
    private static Optional<String> obstacle(Use use, Optional<DeviceClass> deviceClass, Optional<Device> device) {
        if (deviceClass.isEmpty()) {
            return Optional.of(DeviceUsers.unknown(use));
        }
        return device.filter(one -> !use.isOf(one))
                .map(one -> "is not the device that a pod has used here; to scrub it anyway, "
                        + "run: edgeplug prepare --release " + use.device());
    }

    private void keep(Use use, boolean waits, String reason) {
        monitor.noteUse(use.device(), use.resource(), waits, reason);
        // A scrub may have ended since the notes were read.
        if (!users.isNoted(use)) {
            monitor.endUse(use.device());
        }
    }

    private void begin(Use use, Device device, DeviceClass deviceClass) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        keep(use, true, "is being scrubbed since " + now);
        runs.put(
                use.device(),
                new Run(
                        scrubbing.begin(device, deviceClass),
                        now,
                        Deadline.in(deviceClass.release().timeout())));
    }

    /** A scrub that takes long delays no other, and is logged once. */
    private void watch(Use use, Run run) {
        String text = "is being scrubbed since " + run.since();
        if (run.deadline().isOver()) {
            scrubbing.passBy(run.preparation());
            text = text + ": " + run.preparation().progress();
            users.tellOnce(use.device(), text);
        }
        keep(use, !run.deadline().isOver(), text);
    }

    /** The result of a scrub, on the thread that did it. */
    void tell(PrepareEvent.Scrubbed end) {
        String id = end.device().id();
        if (end.problem().isEmpty()) {
            failures.remove(id);
            monitor.endUse(id);
            log(Level.INFO, id, "scrubbed in " + end.took().toMillis() + " ms");
            return;
        }
        String problem = "could not be scrubbed: " + end.problem().orElseThrow();
        Backoff backoff = Optional.ofNullable(failures.get(id))
                .map(Failure::backoff)
                .orElseGet(() -> new Backoff(FIRST_RETRY, LONGEST_RETRY));
        backoff.failed();
        Deadline next = backoff.due().orElse(Deadline.in(FIRST_RETRY));
        failures.put(id, new Failure(problem, backoff, next));
        users.find(end.device()).ifPresent(use -> keep(use, false, problem));
        // The time is rounded, because a moment of it has already passed.
        long pause = next.left().plusMillis(500).toSeconds();
        log(Level.WARNING, id, problem + "; it is not offered, and this is tried again in " + pause + " s");
    }

    private static void log(Level level, String id, String text) {
        LOG.log(level, id + ": " + text, new Object[] {Journal.device(id)});
    }
}
