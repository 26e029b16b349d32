package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.linux.FileWatch;
import io.edgeplug.linux.Uevent;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * What the node is to be looked at for, each thing once however often it was named; any thread adds, one takes.
 *
 * <p>It cannot grow beyond the functions and the files that were named since it was taken from last, of which files it
 * keeps some thousands: of more, it asks to look at all. Files are given out at a bounded rate, for whoever can write to a
 * directory can change it without end.
 */
final class ScanRequests {

    /** So many paths are kept; whoever can write to a directory makes any number of files. */
    private static final int MAX_FILES = 4096;

    /** So often files are given out at once. After that they wait for the interval, in which each is named once. */
    private static final int AT_ONCE = 20;

    private static final long INTERVAL = Duration.ofMillis(50).toNanos();

    private final Lock lock = new ReentrantLock();
    private final Condition added = lock.newCondition();

    // below: guarded by the lock
    private Map<PciAddress, Span> functions = new HashMap<>();
    private Map<String, Span> files = new HashMap<>();

    /** Until when intervals are used up, each by files that were given out. */
    private long used = System.nanoTime();

    private boolean withoutFunction;
    private boolean everything;
    private boolean judgement;

    /**
     * What to look at.
     *
     * @param files paths that may lead elsewhere, each with all that is below it
     * @param withoutFunction whether at what is neither a function nor a file
     */
    record Batch(
            Map<PciAddress, Span> functions, Map<String, Span> files, boolean withoutFunction, boolean everything) {

        /** Whether something was said of that device. */
        boolean names(Device device) {
            if (everything) {
                return true;
            }
            if (device instanceof PciDevice pci) {
                return functions.containsKey(pci.function().address());
            }
            return device instanceof PathDevice path ? span(path).isPresent() : withoutFunction;
        }

        /** When one of its files was named. */
        Optional<Span> span(PathDevice device) {
            return device.files().stream()
                    .flatMap(file -> FileWatch.upFrom(file.path()).stream())
                    .flatMap(path -> Stream.ofNullable(files.get(path)))
                    .reduce(Span::and);
        }
    }

    /** When something was named first and last, in {@link System#nanoTime}. */
    record Span(long first, long last) {

        Span and(Span later) {
            return new Span(first, later.last);
        }
    }

    /** Notes what a uevent asks to look at, which may be nothing. */
    void add(Uevent event) {
        Optional<PciAddress> address = PciAddress.lastIn(event.devpath());
        if (address.isPresent()) {
            add(address.orElseThrow());
            return;
        }
        switch (event.subsystem()) {
            // an RDMA device in software is one of the function whose interface it sends through
            case "infiniband", "infiniband_verbs", "infiniband_mad" -> addEverything();
            case "fpga_manager", "fpga_region", "dfl" -> change(() -> withoutFunction = true);
            default -> {
                boolean isNodeOfAllRdma = event.devpath().endsWith("/misc/rdma_cm");
                // all others are of no device that is listed: interfaces of containers, bridges, tunnels
                if (isNodeOfAllRdma || event.equals(Uevent.MISSED)) {
                    addEverything();
                }
            }
        }
    }

    void add(PciAddress address) {
        long now = System.nanoTime();
        change(() -> functions.merge(address, new Span(now, now), Span::and));
    }

    /** What happened to a device is not known; all is looked at if there is no smaller unit. */
    void add(Device device) {
        if (device instanceof PciDevice pci) {
            add(pci.function().address());
        } else if (device instanceof PathDevice path) {
            addFiles(path.files().stream().map(PathDevice.File::path).toList());
        } else {
            addEverything();
        }
    }

    /** These paths may lead elsewhere. */
    void addFiles(Collection<String> paths) {
        long now = System.nanoTime();
        change(() -> {
            paths.forEach(path -> files.merge(path, new Span(now, now), Span::and));
            if (files.size() > MAX_FILES) {
                files = new HashMap<>(Map.of(FileWatch.EVERYTHING, new Span(now, now)));
            }
        });
    }

    void addEverything() {
        change(() -> everything = true);
    }

    /** Has what is known judged again, and nothing looked at. */
    void addJudgement() {
        change(() -> judgement = true);
    }

    /** Whether there is something to look at now, or to judge again. */
    boolean hasAny() {
        lock.lock();
        try {
            boolean hasFiles = !files.isEmpty() && untilFiles() <= 0;
            return !functions.isEmpty() || hasFiles || withoutFunction || everything || judgement;
        } finally {
            lock.unlock();
        }
    }

    /** How long files are to wait, in nanoseconds. */
    private long untilFiles() {
        return used - AT_ONCE * INTERVAL - System.nanoTime();
    }

    private Map<String, Span> takeFiles() {
        if (files.isEmpty() || untilFiles() > 0) {
            return Map.of();
        }
        Map<String, Span> taken = files;
        files = new HashMap<>();
        long now = System.nanoTime();
        used = Math.max(used - now, 0) + now + INTERVAL;
        return taken;
    }

    /** Waits until there is something to look at, or until that {@link System#nanoTime}, and takes it. */
    Batch await(long end) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = end - System.nanoTime();
            while (!hasAny() && left > 0) {
                long ignored = added.awaitNanos(files.isEmpty() ? left : Math.min(left, untilFiles()));
                left = end - System.nanoTime();
            }
            Batch batch = new Batch(functions, takeFiles(), withoutFunction, everything);
            functions = new HashMap<>();
            withoutFunction = false;
            everything = false;
            judgement = false;
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private void change(Runnable addition) {
        lock.lock();
        try {
            addition.run();
            added.signal();
        } finally {
            lock.unlock();
        }
    }
}
