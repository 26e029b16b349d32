package io.edgeplug.node.supply;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.ContainerDirectories;
import io.edgeplug.node.container.ContainerFiles;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.prepare.InterfaceNotes;
import io.edgeplug.node.supply.LookRequests.Extent;
import io.edgeplug.node.supply.LookRequests.Request;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Latest;
import io.edgeplug.system.flow.Outcomes;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Keeps the stock of one resource. What its devices bring is worked out, checked and written whenever the inventory
 * changes. So the kubelet sees no device whose files are missing, and Allocate has nothing left to do that could block.
 *
 * <p>One thread looks at files and writes them. Bad news does not wait for it. The thread that publishes an inventory
 * takes broken and missing devices out of the stock. An Allocate that finds a missing file notes it in the stock
 * itself.
 */
public final class Supply implements AutoCloseable {

    /** How often nodes and files are checked when nothing has happened. Allocate checks those that it gives. */
    private static final Duration QUIET = Duration.ofSeconds(60);

    /** The same while one of them has a problem. */
    private static final Duration RETRY = Duration.ofSeconds(10);

    /** A look at all devices of a class takes some milliseconds, unless files are on a server that does not answer. */
    private static final Duration WRITTEN_WITHIN = Duration.ofSeconds(2);

    private final DeviceClass deviceClass;
    private final Monitor monitor;
    private final NodeWatch nodes;
    private final HostFiles hostFiles;
    private final ContainerFiles files;
    private final SupplyLog log;
    private final Runnable listener = this::hear;
    private final Thread thread;

    private final Latest<Stock> stock = new Latest<>(Stock.EMPTY, Stock::number);
    private final LookRequests requests = new LookRequests();
    private final LastLook lastLook;
    private final Outcomes allocations = new Outcomes();

    private final AtomicLong toldAgain = new AtomicLong();

    private volatile boolean isStopped;

    // The fields below belong to the thread.

    private final EquipmentIndex index;
    private long generation;

    /** Makes the first stock, and then a newer one for each difference. */
    Supply(DeviceClass deviceClass, Monitor monitor, NodeWatch nodes, Sysfs sysfs, ContainerDirectories directories) {
        this.deviceClass = deviceClass;
        this.monitor = monitor;
        this.nodes = nodes;
        this.hostFiles = new HostFiles(sysfs, deviceClass, monitor::isFrozen);
        InterfaceNotes interfaces = new InterfaceNotes(sysfs);
        this.files = new ContainerFiles(directories, deviceClass, interfaces::of);
        Supplier<MountedNodes> looks = () -> new MountedNodes(sysfs, deviceClass, nodes::followAllIn);
        this.lastLook = new LastLook(deviceClass, monitor, stock, hostFiles, looks, files, requests);
        this.index = new EquipmentIndex(deviceClass, looks);
        this.log = new SupplyLog(deviceClass);
        this.thread =
                Thread.ofVirtual().name("supply " + deviceClass.resource()).unstarted(this::keepCurrent);
        monitor.publication().addListener(listener);
        look(Extent.ALL, Set.of());
        thread.start();
    }

    public DeviceClass deviceClass() {
        return deviceClass;
    }

    Monitor monitor() {
        return monitor;
    }

    /** How many Allocates were answered with devices, and how many were refused. */
    public Outcomes allocations() {
        return allocations;
    }

    /** The look at devices that are about to be handed over. */
    LastLook lastLook() {
        return lastLook;
    }

    public Stock current() {
        return stock.get();
    }

    /** The newest stock, for threads that wait for it. */
    public Latest<Stock> stock() {
        return stock;
    }

    /**
     * Sends the kubelet the list once more. It writes its notes after each list. So it becomes clear whether an old
     * Allocate is held.
     */
    void tellAgain() {
        toldAgain.incrementAndGet();
        Stock ignored = stock.change(Stock::again);
    }

    /** How often the list was to be sent once more. */
    public long toldAgain() {
        return toldAgain.get();
    }

    /** Runs on the thread that has just published an inventory. */
    private void hear() {
        Stock ignored =
                stock.change(before -> before.withBadNews(monitor.current().devices(deviceClass.resource())));
        requests.wake();
    }

    /** Requests a look at devices that bring these nodes. */
    void lookAtNodes(Set<String> paths) {
        requests.add(Extent.CHANGES, paths);
    }

    /** Requests a full look, and waits, up to a limit, until the files are written and the stock is current. */
    public void look(Duration patience) throws InterruptedException {
        requests.addAndAwait(patience);
    }

    /**
     * Writes where the network interfaces of these devices are now, for the container runtime, which reads it next.
     *
     * @throws PrepareException if it could not be written; the message is a sentence
     */
    void tellInterfaces(Collection<Device> devices) throws PrepareException, InterruptedException {
        look(WRITTEN_WITHIN);
        for (Device device : devices) {
            if (!files.areCurrent(device)) {
                String problem = current().problems().get(device.id());
                throw new PrepareException(
                        device.id(), problem == null ? "its CDI specification could not be written in time" : problem);
            }
        }
    }

    private void keepCurrent() {
        try {
            Deadline due = Deadline.in(pause());
            while (true) {
                Request request = requests.await(due);
                if (isStopped) {
                    return;
                }
                Extent extent = request.extent();
                look(extent, extent == Extent.UPKEEP ? damaged() : index.having(request.nodes()));
                requests.answer(request);
                Deadline next = Deadline.in(pause());
                due = extent == Extent.CHANGES ? due.orEarlier(next) : next;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Duration pause() {
        return current().problems().isEmpty() ? QUIET : RETRY;
    }

    /** The IDs of devices with a node or file that has changed. */
    private Set<String> damaged() {
        Set<String> damaged = new HashSet<>();
        for (Equipment one : index.all().values()) {
            if (hostFiles.look(one).problem().or(() -> files.damage(one)).isPresent()) {
                damaged.add(one.id());
            }
            // A look at all 4,096 devices takes a while. A device that has settled meanwhile must not wait for it.
            if (monitor.current().generation() > generation) {
                look(Extent.CHANGES, Set.of());
            }
        }
        return damaged;
    }

    private void look(Extent extent, Set<String> suspects) {
        Inventory inventory = monitor.current();
        generation = inventory.generation();
        int shares = inventory.listedShares(deviceClass);
        EquipmentIndex.Change change =
                index.update(inventory, extent == Extent.CHANGES ? suspects : index.havingDirectories());
        Collection<Equipment> all = index.all().values();
        boolean isWhole =
                files.list(shares) || extent == Extent.ALL || (extent == Extent.UPKEEP && files.hasLeftovers());
        Map<String, Equipment> looked = isWhole ? index.all() : lookedAt(change.changed(), suspects);
        if (extent == Extent.CHANGES && looked.isEmpty() && change.gone().isEmpty() && !isWhole) {
            Stock ignored = publish(inventory, shares, looked, Map.of());
            return;
        }
        Map<String, String> problems = isWhole ? files.keep(all) : files.update(all, looked.values(), change.gone());
        nodes.follow(looked.values());
        for (Equipment one : looked.values()) {
            hostFiles.look(one).problem().ifPresent(problem -> problems.put(one.id(), problem));
        }
        Stock now = publish(inventory, shares, looked, problems);
        log.tell(ofPresent(now), files.unread(), shares);
    }

    /** The problems of devices that are on the node. That others are gone is logged already, so their files need no line. */
    private static Map<String, String> ofPresent(Stock stock) {
        Map<String, String> problems = new HashMap<>(stock.problems());
        stock.devices().stream()
                .filter(device -> device.health().isGone())
                .forEach(device -> problems.remove(device.id()));
        return problems;
    }

    /** Devices that are new or suspect, or had a problem. */
    private Map<String, Equipment> lookedAt(List<Equipment> changed, Set<String> suspects) {
        Map<String, Equipment> looked = new LinkedHashMap<>();
        changed.forEach(one -> looked.put(one.id(), one));
        for (Collection<String> ids : List.of(suspects, current().problems().keySet())) {
            for (String id : ids) {
                Optional.ofNullable(index.all().get(id)).ifPresent(one -> looked.put(id, one));
            }
        }
        return looked;
    }

    /**
     * Publishes a stock, but keeps the findings of Allocates and the bad news of a newer inventory that came meanwhile.
     */
    private Stock publish(Inventory inventory, int shares, Map<String, Equipment> looked, Map<String, String> found) {
        return stock.change(before -> {
            Map<String, String> problems = new HashMap<>(before.problems());
            problems.keySet().retainAll(index.all().keySet());
            problems.keySet().removeAll(looked.keySet());
            problems.putAll(found);
            return before.next(
                            inventory.devices(deviceClass.resource()),
                            shares,
                            inventory.numaNodes(),
                            index.all(),
                            problems)
                    .withBadNews(monitor.current().devices(deviceClass.resource()));
        });
    }

    /** Ends its thread after the present write, and leaves its files to the next supply of the resource. */
    void stop() {
        monitor.publication().removeListener(listener);
        isStopped = true;
        requests.wake();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends its thread, and removes all files. */
    @Override
    public void close() {
        stop();
        Map<String, String> ignored = files.keep(List.of());
    }
}
