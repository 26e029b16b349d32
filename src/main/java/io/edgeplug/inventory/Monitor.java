package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.DeviceScan;
import io.edgeplug.device.Health;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.VirtualFunction;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.linux.Uevent;
import io.edgeplug.linux.UeventSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Logger;

/**
 * Keeps the inventory current: a uevent makes it look again at one function, and now and then it looks at all.
 *
 * <p>There is no queue: readers ask for the newest inventory or wait for a newer one, so a slow reader misses what was
 * overtaken and nothing else, and no reader can take a change from another.
 */
public final class Monitor implements AutoCloseable {

    /** How often everything is looked at: what changes without a uevent is seen after this long. */
    private static final Duration TICK = Duration.ofSeconds(60);

    private static final Logger LOG = Logger.getLogger(Monitor.class.getName());

    private final DeviceScan scan;
    private final List<DeviceClass> classes;
    private final UeventSource uevents;
    private final ChangeLog changes = new ChangeLog(LOG);
    private final Thread listener;
    private final Thread scanner;

    /** Touched by the scanner only, once it runs. */
    private final Map<PciAddress, List<PciDevice>> functions = new TreeMap<>();

    private List<Device> withoutFunction = List.of();
    private List<PathDevice> paths = List.of();
    private List<String> pathProblems = List.of();
    private List<Integer> numaNodes = List.of();
    private long nextTick;

    /** What containers may hold, as it was last seen. */
    private final Map<String, Device> held = new ConcurrentSkipListMap<>();

    private final Lock lock = new ReentrantLock();
    private final Condition published = lock.newCondition();
    private final Condition dirtied = lock.newCondition();

    // below: guarded by the lock
    private Inventory current;
    private Set<PciAddress> dirty = new HashSet<>();
    private boolean allDirty;

    private Monitor(Sysfs sysfs, List<DeviceClass> classes, UeventSource uevents) {
        this.scan = new DeviceScan(sysfs);
        this.classes = List.copyOf(classes);
        this.uevents = uevents;
        this.current = Inventory.of(0, List.of(), List.of(), List.of());
        this.listener = Thread.ofPlatform().name("uevents").daemon().unstarted(this::listen);
        this.scanner = Thread.ofPlatform().name("inventory").daemon().unstarted(this::keepCurrent);
    }

    /**
     * Scans the node and starts to follow it.
     *
     * @param uevents already subscribed, so that nothing is missed between the first scan and the first event; closed
     *     with the monitor
     * @throws IOException if the node does not tell which devices it has
     */
    public static Monitor open(Sysfs sysfs, List<DeviceClass> classes, UeventSource uevents) throws IOException {
        Monitor monitor = new Monitor(sysfs, classes, uevents);
        try {
            monitor.scanAll();
        } catch (IOException e) {
            uevents.close();
            throw e;
        }
        monitor.publish();
        monitor.listener.start();
        monitor.scanner.start();
        return monitor;
    }

    /** The newest inventory. */
    public Inventory current() {
        lock.lock();
        try {
            return current;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for an inventory of a higher generation, which may be there already. */
    public Inventory awaitNewerThan(long generation) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (current.generation() <= generation) {
                published.await();
            }
            return current;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Says that containers may hold these devices from now on: should one go, it stays listed as unhealthy, since the
     * kubelet tells a pod only of devices that it knows. Never blocks.
     */
    public void handedOut(Collection<Device> devices) {
        devices.forEach(device -> held.put(device.id(), device));
    }

    /** Has a device looked at again soon, as after a uevent of its own. Never waits for the look. */
    public void lookAgain(String id) {
        dirty(PciAddress.parse(id));
    }

    /** Stops following; the last inventory stays readable. */
    @Override
    public void close() {
        uevents.close();
        scanner.interrupt();
        join(listener);
        join(scanner);
    }

    private void listen() {
        for (Optional<Uevent> event = uevents.next(); event.isPresent(); event = uevents.next()) {
            dirty(PciAddress.lastIn(event.orElseThrow().devpath()));
        }
    }

    private void dirty(Optional<PciAddress> address) {
        lock.lock();
        try {
            address.ifPresentOrElse(dirty::add, () -> allDirty = true);
            dirtied.signal();
        } finally {
            lock.unlock();
        }
    }

    private void keepCurrent() {
        try {
            while (true) {
                Optional<Set<PciAddress>> some = awaitDirty();
                if (some.isPresent()) {
                    some.orElseThrow().forEach(this::scanWithVirtualFunctions);
                } else {
                    scanAllOrKeep();
                }
                publish();
            }
        } catch (InterruptedException e) {
            LOG.fine("no longer following devices");
        }
    }

    /** Waits for something to look at; empty means everything. */
    private Optional<Set<PciAddress>> awaitDirty() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nextTick - System.nanoTime();
            while (dirty.isEmpty() && !allDirty && left > 0) {
                left = dirtied.awaitNanos(left);
            }
            Set<PciAddress> some = dirty;
            boolean all = allDirty || left <= 0;
            dirty = new HashSet<>();
            allDirty = false;
            return all ? Optional.empty() : Optional.of(some);
        } finally {
            lock.unlock();
        }
    }

    /** A VF is known by its PF's names, so what happens to a PF concerns its VFs too. */
    private void scanWithVirtualFunctions(PciAddress address) {
        scan(address);
        functions.values().stream()
                .flatMap(List::stream)
                .filter(device -> device instanceof VirtualFunction vf
                        && vf.physicalFunction().equals(address))
                .map(device -> device.function().address())
                .toList()
                .forEach(this::scan);
    }

    private void scan(PciAddress address) {
        List<PciDevice> found = scan.function(address, functions.getOrDefault(address, List.of()));
        if (found.isEmpty()) {
            functions.remove(address);
        } else {
            functions.put(address, found);
        }
    }

    private void scanAll() throws IOException {
        nextTick = System.nanoTime() + TICK.toNanos();
        List<PciAddress> addresses = scan.functions();
        numaNodes = scan.numaNodes();
        withoutFunction = scan.withoutFunction();
        functions.keySet().retainAll(new HashSet<>(addresses));
        addresses.forEach(this::scan);
        scanPaths();
    }

    /** Files in a directory that cannot be listed now are still listed, as unhealthy. */
    private void scanPaths() {
        DeviceScan.PathScan found = scan.paths(Inventory.paths(classes));
        Map<String, PathDevice> byPath = new TreeMap<>();
        if (!found.problems().isEmpty()) {
            Health unknown = Health.unhealthy(String.join("; ", found.problems()));
            paths.forEach(device -> byPath.put(device.path(), device.withHealth(unknown)));
        }
        found.devices().forEach(device -> byPath.put(device.path(), device));
        paths = List.copyOf(byPath.values());
        if (!found.problems().equals(pathProblems)) {
            found.problems().forEach(LOG::warning);
            pathProblems = found.problems();
        }
    }

    private void scanAllOrKeep() {
        try {
            scanAll();
        } catch (IOException e) {
            LOG.warning(() -> "cannot scan, devices stay as they were: " + e.getMessage());
        }
    }

    private void publish() {
        List<Device> devices = new ArrayList<>();
        functions.values().forEach(devices::addAll);
        devices.addAll(withoutFunction);
        devices.addAll(paths);
        devices.addAll(missed(devices));
        Inventory before = current();
        Inventory after = Inventory.of(before.generation() + 1, classes, devices, numaNodes);
        if (before.generation() > 0 && after.items().equals(before.items())) {
            return;
        }
        changes.tell(before, after);
        lock.lock();
        try {
            current = after;
            published.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Devices that a container may hold and that are no longer there. */
    private List<Device> missed(List<Device> found) {
        Set<String> ids = new HashSet<>();
        for (Device device : found) {
            ids.add(device.id());
            held.replace(device.id(), device);
        }
        return held.values().stream()
                .filter(device -> !ids.contains(device.id()))
                .map(device -> device.withHealth(Health.unhealthy("is gone, and a container may hold it")))
                .toList();
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        try {
            thread.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
