package io.edgeplug.kubelet;

import io.edgeplug.container.ContainerDirectories;
import io.edgeplug.container.ContainerFiles;
import io.edgeplug.container.Equipment;
import io.edgeplug.container.IommuGroups;
import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.DeviceUnavailableException;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.linux.Sysfs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * Has ready what the containers of one resource get: computed and written whenever the inventory changes, so that the
 * kubelet is told of no device whose files are not there, and Allocate has nothing left to do that could block.
 *
 * <p>Bad news does not wait for files: what is gone or broken is offered as such before any is written.
 */
final class Supply implements AutoCloseable {

    /** How often nodes and files are looked at when nothing has happened. */
    private static final Duration UPKEEP = Duration.ofSeconds(10);

    private final DeviceClass deviceClass;
    private final Monitor monitor;
    private final HostNodes nodes;
    private final ContainerFiles files;
    private final SupplyLog log;
    private final List<Thread> threads;
    private final Semaphore asked = new Semaphore(0);

    /** Held while one looks, so that no two write files. */
    private final Lock looking = new ReentrantLock();

    private final Lock lock = new ReentrantLock();
    private final Condition published = lock.newCondition();

    /** Guarded by the lock. */
    private Offer offer = Offer.NOTHING;

    private Supply(DeviceClass deviceClass, Monitor monitor, HostNodes nodes, ContainerFiles files) {
        this.deviceClass = deviceClass;
        this.monitor = monitor;
        this.nodes = nodes;
        this.files = files;
        this.log = new SupplyLog(deviceClass.resource());
        this.threads = List.of(
                Thread.ofVirtual().name("supply " + deviceClass.resource()).unstarted(this::follow),
                Thread.ofVirtual().name("upkeep " + deviceClass.resource()).unstarted(this::keepUp));
    }

    /** Makes the first offer, and then one whenever it differs. */
    static Supply open(DeviceClass deviceClass, Monitor monitor, Sysfs sysfs, ContainerDirectories directories) {
        Supply supply =
                new Supply(deviceClass, monitor, HostNodes.of(sysfs), new ContainerFiles(directories, deviceClass));
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
        lock.lock();
        try {
            return offer;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for an offer of a higher number, or for {@code timeout}, and returns the newest. */
    Offer awaitNewerThan(long number, Duration timeout) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = timeout.toNanos();
            while (offer.number() <= number && left > 0) {
                left = published.awaitNanos(left);
            }
            return offer;
        } finally {
            lock.unlock();
        }
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
            Equipment one = current.problems().containsKey(device.id())
                    ? Equipment.of(deviceClass, device, groups(monitor.current()))
                    : ready(current, device);
            Optional<String> problem = Optional.ofNullable(current.problems().get(device.id()))
                    .or(one::problem)
                    .or(() -> missingNode(one))
                    .or(() -> files.damage(one));
            if (problem.isPresent()) {
                spoil(device, problem.orElseThrow());
                throw DeviceUnavailableException.unhealthy(deviceClass.resource(), device.id(), problem.orElseThrow());
            }
            equipment.add(one);
        }
        return equipment;
    }

    /** What was computed, if the device is as it was then; else whether what has changed matters is found out now. */
    private Equipment ready(Offer current, Device device) throws DeviceUnavailableException {
        Equipment known = current.ready().get(device.id());
        if (known != null && known.device().equals(device)) {
            return known;
        }
        Equipment now = Equipment.of(deviceClass, device, groups(monitor.current()));
        if (known == null || !now.isLike(known)) {
            throw DeviceUnavailableException.unhealthy(
                    deviceClass.resource(), device.id(), "it has just changed, and is not ready to be handed over yet");
        }
        return now;
    }

    /** While a device is prepared its nodes come and go, as they should. */
    private Optional<String> missingNode(Equipment equipment) {
        return monitor.isHeld(equipment.device()) ? Optional.empty() : nodes.missing(equipment.nodesBeforehand());
    }

    private void spoil(Device device, String problem) {
        lock.lock();
        try {
            if (!problem.equals(offer.problems().get(device.id()))) {
                offer = offer.without(device.id(), problem);
                published.signalAll();
            }
        } finally {
            lock.unlock();
        }
        asked.release();
    }

    private void follow() {
        try {
            while (true) {
                monitor.awaitNewerThan(current().inventory());
                look();
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    private void keepUp() {
        try {
            while (true) {
                boolean ignored = asked.tryAcquire(UPKEEP.toNanos(), TimeUnit.NANOSECONDS);
                asked.drainPermits();
                look();
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    /** Looks at devices, nodes and files now; returns when the offer is made and the files are written. */
    void look() {
        looking.lock();
        try {
            Inventory inventory = monitor.current();
            List<Device> devices = inventory.devices(deviceClass.resource());
            Map<String, Equipment> equipment = equip(inventory, devices);
            tellBadNews(inventory, devices);
            Map<String, String> problems = files.keep(equipment.values());
            for (Equipment one : equipment.values()) {
                one.problem().or(() -> missingNode(one)).ifPresent(problem -> problems.put(one.id(), problem));
            }
            publish(inventory, Offer.withProblems(devices, problems), equipment, problems);
            log.tell(problems);
        } finally {
            looking.unlock();
        }
    }

    private Map<String, Equipment> equip(Inventory inventory, List<Device> devices) {
        Map<String, Equipment> equipment = new HashMap<>();
        IommuGroups groups = groups(inventory);
        devices.forEach(device -> equipment.put(device.id(), Equipment.of(deviceClass, device, groups)));
        return equipment;
    }

    private static IommuGroups groups(Inventory inventory) {
        return IommuGroups.of(
                inventory.items().stream().map(Inventory.Item::device).toList());
    }

    /** A device that is new, or was unhealthy, waits; one that the kubelet knows as healthy stays so if it is. */
    private void tellBadNews(Inventory inventory, List<Device> devices) {
        Offer before = current();
        if (before.number() == 0 || before.inventory() == inventory.generation()) {
            return;
        }
        Set<String> known = before.ids().collect(Collectors.toSet());
        List<Device> old =
                devices.stream().filter(device -> known.contains(device.id())).toList();
        Map<String, String> problems = new HashMap<>(before.problems());
        before.devices()
                .forEach(device ->
                        device.health().problem().ifPresent(problem -> problems.putIfAbsent(device.id(), problem)));
        publish(inventory, Offer.withProblems(old, problems), before.ready(), before.problems());
    }

    private void publish(
            Inventory inventory, List<Device> devices, Map<String, Equipment> ready, Map<String, String> problems) {
        Map<String, Equipment> fit = new HashMap<>(ready);
        fit.keySet().removeAll(problems.keySet());
        lock.lock();
        try {
            Offer next = new Offer(
                    offer.number() + 1, inventory.generation(), devices, inventory.numaNodes(), fit, problems);
            offer = next;
            published.signalAll();
        } finally {
            lock.unlock();
        }
    }

    ResourceName resource() {
        return deviceClass.resource();
    }

    /** Ends its threads, and leaves its files to whoever supplies the resource next. */
    void stop() {
        threads.forEach(Thread::interrupt);
        Set<Thread> left = new HashSet<>(threads);
        try {
            for (Thread thread : left) {
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
