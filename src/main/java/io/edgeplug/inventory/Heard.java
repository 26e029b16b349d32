package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.linux.FileWatch;
import io.edgeplug.linux.Uevent;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * What is to be looked at, each thing once however often it was named; any thread adds, one takes.
 *
 * <p>It cannot grow beyond the functions and the files that were named since it was taken from last, of which files it
 * keeps some thousands: of more, it asks to look at all.
 */
final class Heard {

    /** So many paths are kept; whoever can write to a directory makes any number of files. */
    private static final int MAX_FILES = 4096;

    private final Lock lock = new ReentrantLock();
    private final Condition added = lock.newCondition();

    // below: guarded by the lock
    private Map<PciAddress, Span> functions = new HashMap<>();
    private Map<String, Span> files = new HashMap<>();
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
    void hear(Uevent event) {
        Optional<PciAddress> address = PciAddress.lastIn(event.devpath());
        if (address.isPresent()) {
            lookAt(address.orElseThrow());
            return;
        }
        switch (event.subsystem()) {
            // an RDMA device in software is one of the function whose interface it sends through
            case "infiniband", "infiniband_verbs", "infiniband_mad" -> lookAtEverything();
            case "fpga_manager", "fpga_region", "dfl" -> add(() -> withoutFunction = true);
            default -> {
                boolean isNodeOfAllRdma = event.devpath().endsWith("/misc/rdma_cm");
                // all others are of no device that is listed: interfaces of containers, bridges, tunnels
                if (isNodeOfAllRdma || event.equals(Uevent.MISSED)) {
                    lookAtEverything();
                }
            }
        }
    }

    void lookAt(PciAddress address) {
        long now = System.nanoTime();
        add(() -> functions.merge(address, new Span(now, now), Span::and));
    }

    /** These paths may lead elsewhere. */
    void lookAt(Collection<String> paths) {
        long now = System.nanoTime();
        add(() -> {
            paths.forEach(path -> files.merge(path, new Span(now, now), Span::and));
            if (files.size() > MAX_FILES) {
                files = new HashMap<>(Map.of(FileWatch.EVERYTHING, new Span(now, now)));
            }
        });
    }

    void lookAtEverything() {
        add(() -> everything = true);
    }

    /** Has what is known judged again, and nothing looked at. */
    void judgeAgain() {
        add(() -> judgement = true);
    }

    /** Whether there is something to look at, or to judge again. */
    boolean hasAny() {
        lock.lock();
        try {
            return !functions.isEmpty() || !files.isEmpty() || withoutFunction || everything || judgement;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is something to look at, or until that {@link System#nanoTime}, and takes it. */
    Batch await(long end) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = end - System.nanoTime();
            while (!hasAny() && left > 0) {
                left = added.awaitNanos(left);
            }
            Batch batch = new Batch(functions, files, withoutFunction, everything);
            functions = new HashMap<>();
            files = new HashMap<>();
            withoutFunction = false;
            everything = false;
            judgement = false;
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private void add(Runnable change) {
        lock.lock();
        try {
            change.run();
            added.signal();
        } finally {
            lock.unlock();
        }
    }
}
