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
 * The devices that are being prepared, which nobody scans, and the problems of those that could not be prepared.
 *
 * <p>A scan must not even start: the kernel blocks a reader of the configuration space while the function is being
 * reset, for as long as that takes. Thread-safe.
 */
final class DevicesInPreparation {

    /** For this long after a preparation, uevents of the device may come from the preparation itself. */
    private static final Duration ECHO = Duration.ofSeconds(2);

    private final Lock lock = new ReentrantLock();
    private final Condition looked = lock.newCondition();

    /** The function that is being scanned; guarded by the lock, which nobody holds during a scan. */
    private Optional<PciAddress> lookedAt = Optional.empty();

    /** The thread of the last scan; guarded by the lock. */
    private Thread looker = Thread.currentThread();

    private final Map<String, Device> byId = new ConcurrentHashMap<>();
    private final Map<String, Problem> problems = new ConcurrentHashMap<>();

    /** By ID, the problems of devices that no uevent clears. */
    private final Map<String, String> marks = new ConcurrentHashMap<>();

    /** A problem, and since when by the monotonic clock. */
    private record Problem(Device device, String text, long since) {}

    /** Stops all scans of a device from now on. Waits for a scan of it that is running, but for no other one. */
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

    /** Returns whether that changes something. */
    boolean forgetFailure(String id) {
        return !byId.containsKey(id) && problems.remove(id) != null;
    }

    /** Returns whether that changes something. */
    boolean mark(String id, Optional<String> problem) {
        Optional<String> before =
                Optional.ofNullable(problem.isPresent() ? marks.put(id, problem.orElseThrow()) : marks.remove(id));
        return !problem.equals(before);
    }

    /** Scans a function, unless a device of it is in preparation. One thread at a time. */
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

    /** Does nothing if this thread was given up and another one scans. */
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

    /** No longer waits for the running scan, which does not return. */
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

    /** The devices that were found, but each device in preparation as it was before. */
    List<Device> keep(List<Device> before, List<Device> found) {
        Map<String, Device> kept = new LinkedHashMap<>();
        found.forEach(device -> kept.put(device.id(), device));
        before.stream()
                .filter(device -> byId.containsKey(device.id()))
                .forEach(device -> kept.put(device.id(), device));
        return List.copyOf(kept.values());
    }

    /** The devices, each with the problem of its preparation. */
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

    /** Clears the failed preparation of a device that a uevent names. Never waits for a scan. */
    void allowRetry(Uevent uevent) {
        long now = System.nanoTime();
        problems.values()
                .removeIf(problem -> !byId.containsKey(problem.device().id())
                        && Place.of(problem.device()).isNamedBy(uevent)
                        && (now - problem.since() > ECHO.toNanos() || isPulled(problem.device(), uevent)));
    }

    /**
     * A preparation never removes a device. So the device was pulled, and the next one at that place is another one.
     */
    private static boolean isPulled(Device device, Uevent uevent) {
        return Place.of(device).isPulledBy(uevent);
    }

    /** Clears the failed preparations of files at these paths or below. */
    void allowRetry(Set<String> paths) {
        long now = System.nanoTime();
        problems.values()
                .removeIf(problem -> problem.device() instanceof PathDevice path
                        && !byId.containsKey(path.id())
                        && now - problem.since() > ECHO.toNanos()
                        && path.files().stream().anyMatch(file -> FileWatch.concerns(paths, file.path())));
    }
}
