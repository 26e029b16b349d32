package io.edgeplug.kubelet;

import io.edgeplug.container.ContainerDirectories;
import io.edgeplug.container.ContainerFiles;
import io.edgeplug.container.Equipment;
import io.edgeplug.container.IommuGroups;
import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.inventory.DeviceUnavailableException;
import io.edgeplug.inventory.Difference;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.linux.Sysfs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Has ready what the containers of one resource get: computed and written whenever the inventory changes, so that the
 * kubelet is told of no device whose files are not there, and Allocate has nothing left to do that could block.
 *
 * <p>Bad news does not wait for files: what is gone or broken is offered as such before any is written.
 */
final class Supply implements AutoCloseable {

    /** How often nodes and files are looked at when nothing has happened; Allocate looks at those it gives. */
    private static final Duration QUIET = Duration.ofSeconds(60);

    /** The same while something is wrong with them. */
    private static final Duration RETRY = Duration.ofSeconds(10);

    private final DeviceClass deviceClass;
    private final Monitor monitor;
    private final NodeWatch nodes;
    private final ContainerFiles files;
    private final SupplyLog log;
    private final List<Thread> threads;
    private final Semaphore asked = new Semaphore(0);

    /** The nodes that may have come or gone since they were looked at. */
    private final AtomicReference<Set<String>> stirred = new AtomicReference<>(Set.of());

    /** Held while one looks, so that no two write files. */
    private final Lock looking = new ReentrantLock();

    /** Guarded by {@code looking}. */
    private final Equipped equipped;

    /** By ID, why what a device brings cannot be handed over, as it was found then; guarded by {@code looking}. */
    private Map<String, String> found = Map.of();

    /** Changed while looking, and read by anyone. */
    private final Ready ready;

    private boolean stopped;

    private final Offers offers = new Offers();

    private Supply(DeviceClass deviceClass, Monitor monitor, NodeWatch nodes, Sysfs sysfs, ContainerFiles files) {
        this.deviceClass = deviceClass;
        this.monitor = monitor;
        this.nodes = nodes;
        this.files = files;
        this.ready = new Ready(deviceClass, monitor, sysfs, files);
        this.equipped = new Equipped(deviceClass);
        this.log = new SupplyLog(deviceClass);
        this.threads = List.of(
                Thread.ofVirtual().name("supply " + deviceClass.resource()).unstarted(this::follow),
                Thread.ofVirtual().name("upkeep " + deviceClass.resource()).unstarted(this::keepUp));
    }

    /** Makes the first offer, and then one whenever it differs. */
    static Supply open(
            DeviceClass deviceClass, Monitor monitor, NodeWatch nodes, Sysfs sysfs, ContainerDirectories directories) {
        Supply supply = new Supply(deviceClass, monitor, nodes, sysfs, new ContainerFiles(directories, deviceClass));
        supply.look();
        supply.threads.forEach(Thread::start);
        return supply;
    }

    DeviceClass deviceClass() {
        return deviceClass;
    }

    Monitor monitor() {
        return monitor;
    }

    /** The newest offer. */
    Offer current() {
        return offers.current();
    }

    /** Waits for an offer of a higher number, or for {@code timeout}, and returns the newest. */
    Offer awaitNewerThan(long number, Duration timeout) throws InterruptedException {
        return offers.awaitNewerThan(number, timeout);
    }

    /**
     * What these devices bring, whose nodes and files are there now.
     *
     * @throws DeviceUnavailableException if one cannot be handed over; it is offered as unhealthy then
     */
    List<Equipment> equipment(Collection<Device> devices) throws DeviceUnavailableException {
        Offer current = current();
        List<Equipment> equipment = new ArrayList<>();
        for (Device device : devices) {
            Equipment one = current.problems().containsKey(device.id()) ? asNow(device) : ready(device);
            Optional<String> problem =
                    Optional.ofNullable(current.problems().get(device.id())).or(() -> ready.problem(one));
            if (problem.isPresent()) {
                offers.spoil(device.id(), problem.orElseThrow());
                asked.release();
                throw DeviceUnavailableException.unhealthy(deviceClass.resource(), device.id(), problem.orElseThrow());
            }
            // the next scan finds it, and till then it is no worse than before
            Optional<String> replaced = ready.replaced(one);
            if (replaced.isPresent()) {
                throw DeviceUnavailableException.unhealthy(deviceClass.resource(), device.id(), replaced.orElseThrow());
            }
            equipment.add(one);
        }
        return equipment;
    }

    /** Whether {@link #equipment} may take seconds, since files may be where looks hang. */
    boolean isFar() {
        return ready.isFar();
    }

    /** What was computed, if the device is as it was then; else whether what has changed matters is found out now. */
    private Equipment ready(Device device) throws DeviceUnavailableException {
        Optional<Equipment> known = ready.of(device.id());
        if (known.filter(one -> one.device().equals(device)).isPresent()) {
            return known.orElseThrow();
        }
        Equipment now = asNow(device);
        if (known.filter(now::isLike).isEmpty()) {
            throw DeviceUnavailableException.unhealthy(
                    deviceClass.resource(), device.id(), "it has just changed, and is not ready to be handed over yet");
        }
        return now;
    }

    private Equipment asNow(Device device) {
        return Equipment.of(
                deviceClass, device, IommuGroups.of(monitor.current().devices()));
    }

    /** What a device's recipe was to make, and has not. */
    Optional<String> missingAfterwards(Device device) {
        return ready.of(device.id()).flatMap(ready::missingAfterwards);
    }

    private void follow() {
        try {
            while (true) {
                monitor.awaitNewerThan(current().inventory());
                lookAtChanges();
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    private void keepUp() {
        try {
            long next = System.nanoTime() + pause();
            while (true) {
                boolean ignored = asked.tryAcquire(next - System.nanoTime(), TimeUnit.NANOSECONDS);
                asked.drainPermits();
                Set<String> paths = Objects.requireNonNull(stirred.getAndSet(Set.of()));
                long now = System.nanoTime();
                if (paths.isEmpty() || next - now <= 0) {
                    look(Extent.UPKEEP, paths);
                    next = now + pause();
                } else {
                    look(Extent.CHANGES, paths);
                    next = Math.min(next, now + pause());
                }
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    private long pause() {
        return (current().problems().isEmpty() ? QUIET : RETRY).toNanos();
    }

    /** Has what brings these nodes looked at, by the thread for that. */
    void lookAtNodes(Set<String> paths) {
        Set<String> ignored = stirred.accumulateAndGet(paths, Supply::union);
        asked.release();
    }

    private static Set<String> union(Set<String> some, Set<String> others) {
        Set<String> union = new HashSet<>(some);
        union.addAll(others);
        return union;
    }

    /** Looks at devices, nodes and files now; returns when the offer is made and the files are written. */
    void look() {
        look(Extent.ALL, Set.of());
    }

    /** Looks at what has changed since it looked last. */
    private void lookAtChanges() {
        boolean wasSound = current().problems().isEmpty();
        look(Extent.CHANGES, Set.of());
        if (wasSound && !current().problems().isEmpty()) {
            // whoever waits for the next look has known of no hurry
            asked.release();
        }
    }

    private enum Extent {
        /** What has changed, and what had a problem. */
        CHANGES,
        /** That, and what has a node or a file that is not as it was. */
        UPKEEP,
        /** All, to the last byte of each file. */
        ALL
    }

    private void look(Extent extent, Set<String> paths) {
        // while the files of thousands are looked at, too
        tellBadNews();
        // before the lock: for thousands it takes a while, and what has settled meanwhile need not wait
        Set<String> suspects = extent == Extent.UPKEEP ? ready.suspects() : ready.having(paths);
        looking.lock();
        try {
            boolean isOffered = stopped || offer(extent, suspects);
            while (!isOffered) {
                // what it has just found is looked at again, and what has changed since
                isOffered = offer(Extent.CHANGES, suspects);
            }
        } finally {
            looking.unlock();
        }
    }

    /** Looks, with the lock held; false if bad news of a newer inventory was told meanwhile, so that it is to be looked at. */
    private boolean offer(Extent extent, Set<String> suspects) {
        Inventory inventory = monitor.current();
        int shares = inventory.listedShares(deviceClass);
        List<Device> devices = inventory.devices(deviceClass.resource());
        Equipped.Change change = equipped.follow(inventory);
        Set<String> troubled = new HashSet<>(current().problems().keySet());
        troubled.addAll(found.keySet());
        troubled.addAll(suspects);
        if (extent == Extent.UPKEEP) {
            // all others were looked at, unless a look has ended in the middle
            equipped.all().stream()
                    .map(Equipment::id)
                    .filter(id -> ready.of(id).isEmpty())
                    .forEach(troubled::add);
        }
        boolean all = files.list(shares) || extent == Extent.ALL || (extent == Extent.UPKEEP && files.hasLeftovers());
        if (extent == Extent.CHANGES && !all && troubled.isEmpty() && change.isEmpty()) {
            return offers.publish(inventory, devices, shares, Map.of());
        }
        Collection<Equipment> looked = all ? equipped.all() : withTroubled(change.changed(), troubled);
        Map<String, String> problems = all ? files.keep(looked) : files.update(equipped.all(), looked, change.gone());
        nodes.follow(looked);
        for (Equipment one : looked) {
            ready.withoutFiles(one).ifPresent(problem -> problems.put(one.id(), problem));
        }
        found = Map.copyOf(problems);
        ready.update(looked, problems, change.gone());
        log.tell(problems, files.unread(), shares);
        return offers.publish(inventory, Offer.withProblems(devices, problems), shares, problems);
    }

    private Collection<Equipment> withTroubled(List<Equipment> changed, Set<String> troubled) {
        if (troubled.isEmpty()) {
            return changed;
        }
        Map<String, Equipment> looked = new LinkedHashMap<>();
        changed.forEach(one -> looked.put(one.id(), one));
        equipped.all().stream().filter(one -> troubled.contains(one.id())).forEach(one -> looked.put(one.id(), one));
        return looked.values();
    }

    /** A device that is new, or was unhealthy, waits; one that the kubelet knows as healthy stays so if it is. */
    private void tellBadNews() {
        boolean isTold = false;
        while (!isTold) {
            Inventory inventory = monitor.current();
            Offer before = current();
            isTold = before.number() == 0 || before.inventory() >= inventory.generation();
            if (!isTold) {
                List<Device> old = Offer.noBetter(before.devices(), inventory.devices(deviceClass.resource()));
                // a look that ends meanwhile has found problems that this offer knows nothing of
                isTold = Difference.of(before.devices(), old).isEmpty() || offers.replace(before, inventory, old);
            }
        }
    }

    /** Ends its threads, and leaves its files to whoever supplies the resource next. */
    void stop() {
        looking.lock();
        try {
            // not in the middle of a look: whoever is interrupted can write no file
            stopped = true;
            threads.forEach(Thread::interrupt);
        } finally {
            looking.unlock();
        }
        try {
            for (Thread thread : threads) {
                thread.join(Duration.ofSeconds(1));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends its threads, and removes all files. */
    @Override
    public void close() {
        stop();
        looking.lock();
        try {
            Map<String, String> ignored = files.keep(List.of());
        } finally {
            looking.unlock();
        }
    }
}
