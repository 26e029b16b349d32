package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.Health;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.linux.FileWatch;
import io.edgeplug.linux.Uevent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The devices that are being prepared, which nobody looks at, and what is wrong with those that could not be.
 *
 * <p>Not to look is more than not to tell: the kernel keeps whoever reads the configuration space of a function that is
 * being reset, for as long as that takes. Thread-safe.
 */
final class DevicesInPreparation {

    /** For so long after a preparation, uevents of the device may be of the preparation itself. */
    private static final Duration ECHO = Duration.ofSeconds(2);

    private final Lock lock = new ReentrantLock();
    private final Condition looked = lock.newCondition();

    /** The function that is looked at now; guarded by the lock, which nobody has while looking. */
    private Optional<PciAddress> lookedAt = Optional.empty();

    /** Who looks at it, or did; guarded by the lock. */
    private Thread looker = Thread.currentThread();

    private final Map<String, Device> byId = new ConcurrentHashMap<>();
    private final Map<String, Problem> problems = new ConcurrentHashMap<>();

    /** By ID, what is wrong with devices whatever uevents say. */
    private final Map<String, String> marks = new ConcurrentHashMap<>();

    /** What is wrong, and since when by the clock that no one sets. */
    private record Problem(Device device, String text, long since) {}

    /** From now on nobody looks at a device; waits for who looks at it just now, and for no other look. */
    void begin(Device device) {
        lock.lock();
        try {
            byId.put(device.id(), device);
            while (device instanceof PciDevice pci
                    && lookedAt.equals(Optional.of(pci.function().address()))) {
                looked.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    void report(Device device, String problem) {
        problems.put(device.id(), new Problem(device, problem, System.nanoTime()));
    }

    void end(Device device, Optional<String> problem) {
        problem.ifPresentOrElse(text -> report(device, text), () -> problems.remove(device.id()));
        byId.remove(device.id());
    }

    /** Whether that is news. */
    boolean forgetFailure(String id) {
        return !byId.containsKey(id) && problems.remove(id) != null;
    }

    /** Whether that is news. */
    boolean mark(String id, Optional<String> problem) {
        Optional<String> before =
                Optional.ofNullable(problem.isPresent() ? marks.put(id, problem.orElseThrow()) : marks.remove(id));
        return !problem.equals(before);
    }

    /** Looks at a function, unless a device of it is in preparation. One thread at a time. */
    void unlessInPreparation(PciAddress address, Runnable look) {
        if (beginLook(address)) {
            try {
                look.run();
            } finally {
                endLook();
            }
        }
    }

    private boolean beginLook(PciAddress address) {
        lock.lock();
        try {
            if (contains(address)) {
                return false;
            }
            lookedAt = Optional.of(address);
            looker = Thread.currentThread();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Not if this thread was given up, and another one looks. */
    private void endLook() {
        lock.lock();
        try {
            if (looker.equals(Thread.currentThread())) {
                giveUpLook();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits no more for the look that there is, which does not return. */
    void giveUpLook() {
        lock.lock();
        try {
            lookedAt = Optional.empty();
            looked.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean contains(PciAddress address) {
        return byId.values().stream()
                .anyMatch(device -> device instanceof PciDevice pci
                        && pci.function().address().equals(address));
    }

    boolean contains(Device device) {
        return byId.containsKey(device.id());
    }

    /** What was found, but each device in preparation as it was before. */
    List<Device> keep(List<Device> before, List<Device> found) {
        Map<String, Device> kept = new LinkedHashMap<>();
        found.forEach(device -> kept.put(device.id(), device));
        before.stream()
                .filter(device -> byId.containsKey(device.id()))
                .forEach(device -> kept.put(device.id(), device));
        return List.copyOf(kept.values());
    }

    /** The devices, each with what its preparation says against it. */
    List<Device> judged(List<Device> devices) {
        return problems.isEmpty() && marks.isEmpty()
                ? devices
                : devices.stream().map(this::judged).toList();
    }

    private Device judged(Device device) {
        return Optional.ofNullable(problems.get(device.id()))
                .map(Problem::text)
                .or(() -> Optional.ofNullable(marks.get(device.id())))
                .map(text -> device.withHealth(Health.unhealthy(text)))
                .orElse(device);
    }

    /** A device that could not be prepared gets another chance once a uevent names it. Never waits for a look. */
    void allowRetry(Uevent uevent) {
        long now = System.nanoTime();
        problems.values()
                .removeIf(problem -> !byId.containsKey(problem.device().id())
                        && Place.of(problem.device()).isNamedBy(uevent)
                        && (now - problem.since() > ECHO.toNanos() || isPulled(problem.device(), uevent)));
    }

    /** No preparation takes a device from the node: it was pulled, and what is plugged there next is another one. */
    private static boolean isPulled(Device device, Uevent uevent) {
        return Place.of(device).isPulledBy(uevent);
    }

    /** The same, of files at these paths or below. */
    void allowRetry(Set<String> paths) {
        long now = System.nanoTime();
        problems.values()
                .removeIf(problem -> problem.device() instanceof PathDevice path
                        && !byId.containsKey(path.id())
                        && now - problem.since() > ECHO.toNanos()
                        && path.files().stream().anyMatch(file -> FileWatch.concerns(paths, file.path())));
    }
}
