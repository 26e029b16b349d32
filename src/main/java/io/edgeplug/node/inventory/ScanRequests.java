package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.UsbPort;
import io.edgeplug.system.files.FileWatch;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Latest;
import io.edgeplug.system.udev.Uevent;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * The requests to scan parts of the node, each once however often it was named. Any thread adds, one thread takes.
 *
 * <p>It cannot grow beyond the functions and files that were named since it was last taken from. It keeps some
 * thousands of files; if there are more, it requests a scan of all. Files are given out at a limited rate, because a
 * user who can write to a directory can change it without end.
 */
final class ScanRequests {

    /** How many paths are kept. A user who can write to a directory can make any number of files. */
    private static final int MAX_FILES = 4096;

    /** How often files are given out at once. After that they wait for the interval, which names each of them once. */
    private static final int AT_ONCE = 20;

    private static final long INTERVAL = Duration.ofMillis(50).toNanos();

    private final Lock lock = new ReentrantLock();
    private final Condition added = lock.newCondition();

    /** The number of the last batch that is scanned and published. */
    private final Latest<Long> published = new Latest<>(0L, Long::longValue);

    // The fields below are guarded by the lock.
    private Map<PciAddress, Span> functions = new HashMap<>();
    private Map<UsbPort, Span> usb = new HashMap<>();
    private Map<String, Span> files = new HashMap<>();

    /** The time up to which intervals are used up. Each time that files are given out uses one. */
    private long used = System.nanoTime();

    private boolean withoutFunction;
    private boolean everything;
    private boolean judgement;
    private long taken;

    /**
     * The parts of the node to scan.
     *
     * @param number how many batches were taken, with this one
     * @param files paths that may have changed, each with everything below it
     * @param withoutFunction whether to scan devices that are neither functions nor files
     */
    record Batch(
            long number,
            Map<PciAddress, Span> functions,
            Map<UsbPort, Span> usb,
            Map<String, Span> files,
            boolean withoutFunction,
            boolean everything) {

        /** Whether the batch names that device. */
        boolean names(Device device) {
            if (everything) {
                return true;
            }
            if (device instanceof PciDevice pci) {
                return functions.containsKey(pci.function().address());
            }
            if (device instanceof UsbDevice one) {
                return usb.containsKey(one.port());
            }
            return device instanceof PathDevice path ? span(path).isPresent() : withoutFunction;
        }

        /** When the device, an interface or a node of it was named. */
        Optional<Span> span(UsbDevice device) {
            return Optional.ofNullable(usb.get(device.port()));
        }

        /** When one of the device's files was named. */
        Optional<Span> span(PathDevice device) {
            return device.files().stream()
                    .flatMap(file -> FileWatch.upFrom(file.path()).stream())
                    .flatMap(path -> Stream.ofNullable(files.get(path)))
                    .reduce(Span::and);
        }
    }

    /** The first and the last time at which something was named, in {@link System#nanoTime}. */
    record Span(long first, long last) {

        Span and(Span later) {
            return new Span(first, later.last);
        }
    }

    /** Adds the scan for a uevent; some need none. */
    void add(Uevent event) {
        Optional<UsbPort> port = UsbPort.lastIn(event.devpath());
        port.ifPresent(this::add);
        // An interface of a USB adapter may carry the node's traffic, so it also counts for its host controller.
        if (port.isPresent() && !event.subsystem().equals("net")) {
            return;
        }
        Optional<PciAddress> address = PciAddress.lastIn(event.devpath());
        if (address.isPresent()) {
            add(address.orElseThrow());
            return;
        }
        switch (event.subsystem()) {
            // An RDMA device in software belongs to the function whose interface it sends through.
            case "infiniband", "infiniband_verbs", "infiniband_mad" -> addEverything();
            case "fpga_manager", "fpga_region", "dfl" -> change(() -> withoutFunction = true);
            default -> {
                boolean isNodeOfAllRdma = event.devpath().endsWith("/misc/rdma_cm");
                // All others belong to no listed device: interfaces of containers, bridges, tunnels.
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

    /** Requests a scan of the USB device at that port, for its own events and those of its interfaces and nodes. */
    private void add(UsbPort port) {
        long now = System.nanoTime();
        change(() -> usb.merge(port, new Span(now, now), Span::and));
    }

    /** Requests a scan of a device after an unknown change; of everything if there is no smaller unit. */
    void add(Device device) {
        if (device instanceof PciDevice pci) {
            add(pci.function().address());
        } else if (device instanceof UsbDevice one) {
            add(one.port());
        } else if (device instanceof PathDevice path) {
            addFiles(path.files().stream().map(PathDevice.File::path).toList());
        } else {
            addEverything();
        }
    }

    /** Adds paths that may lead elsewhere now. */
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

    /** Requests a new judgement of the known devices, without a scan. */
    void addJudgement() {
        change(() -> judgement = true);
    }

    /** Whether there is a request for a scan or a judgement now. */
    boolean hasAny() {
        lock.lock();
        try {
            boolean hasFiles = !files.isEmpty() && untilFiles() <= 0;
            return !functions.isEmpty() || !usb.isEmpty() || hasFiles || withoutFunction || everything || judgement;
        } finally {
            lock.unlock();
        }
    }

    /** How long files must still wait, in nanoseconds. */
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

    /** Waits for a request, or until that time, and takes it. */
    Batch await(Deadline end) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!hasAny() && !end.isOver()) {
                long left = end.left().toNanos();
                long ignored = added.awaitNanos(files.isEmpty() ? left : Math.min(left, untilFiles()));
            }
            taken++;
            Batch batch = new Batch(taken, functions, usb, takeFiles(), withoutFunction, everything);
            functions = new HashMap<>();
            usb = new HashMap<>();
            withoutFunction = false;
            everything = false;
            judgement = false;
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** Reports that a batch is scanned, and that its news is published. */
    void published(Batch batch) {
        Long ignored = published.change(before -> batch.number());
    }

    /**
     * Waits until the functions that were requested so far are scanned and published. Files may follow later, and so may
     * functions that only a scan of everything names.
     */
    void awaitPublished() throws InterruptedException {
        AtomicLong before = new AtomicLong();
        change(() -> {
            before.set(taken);
            judgement = true;
        });
        Long ignored = published.awaitNewerThan(before.get());
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
