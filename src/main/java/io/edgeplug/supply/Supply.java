package io.edgeplug.supply;

import io.edgeplug.container.ContainerDirectories;
import io.edgeplug.container.ContainerFiles;
import io.edgeplug.container.Equipment;
import io.edgeplug.flow.Latest;
import io.edgeplug.flow.Outcomes;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.supply.LookRequests.Extent;
import io.edgeplug.supply.LookRequests.Request;
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

/**
 * Keeps the stock of one resource: what its devices bring is worked out, looked at and written whenever the inventory
 * changes, so that the kubelet is told of no device whose files are not there, and Allocate has nothing left to do that
 * could block.
 *
 * <p>One thread looks at files and writes them. Bad news does not wait for it: the thread that publishes an inventory
 * takes what is gone or broken out of the stock, and an Allocate that finds a file missing says so in the stock itself.
 */
public final class Supply implements AutoCloseable {

    /** How often nodes and files are looked at when nothing has happened; Allocate looks at those it gives. */
    private static final Duration QUIET = Duration.ofSeconds(60);

    /** The same while something is wrong with them. */
    private static final Duration RETRY = Duration.ofSeconds(10);

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

    // below: the thread's own

    private final EquipmentIndex index;
    private long generation;

    private Supply(DeviceClass deviceClass, Monitor monitor, NodeWatch nodes, Sysfs sysfs, ContainerFiles files) {
        this.deviceClass = deviceClass;
        this.monitor = monitor;
        this.nodes = nodes;
        this.hostFiles = HostFiles.of(sysfs, deviceClass, monitor::isInPreparation);
        this.files = files;
        this.lastLook = new LastLook(deviceClass, monitor, stock, hostFiles, files, requests);
        this.index = new EquipmentIndex(deviceClass);
        this.log = new SupplyLog(deviceClass);
        this.thread =
                Thread.ofVirtual().name("supply " + deviceClass.resource()).unstarted(this::keepCurrent);
    }

    /** Has the first stock ready, and then a newer one whenever it differs. */
    static Supply open(
            DeviceClass deviceClass, Monitor monitor, NodeWatch nodes, Sysfs sysfs, ContainerDirectories directories) {
        Supply supply = new Supply(deviceClass, monitor, nodes, sysfs, new ContainerFiles(directories, deviceClass));
        monitor.addListener(supply.listener);
        supply.look(Extent.ALL, Set.of());
        supply.thread.start();
        return supply;
    }

    public DeviceClass deviceClass() {
        return deviceClass;
    }

    Monitor monitor() {
        return monitor;
    }

    /** How many Allocates were answered with devices, and how many refused. */
    public Outcomes allocations() {
        return allocations;
    }

    /** What looks at devices that are about to be handed over. */
    LastLook lastLook() {
        return lastLook;
    }

    /** The newest stock. */
    public Stock current() {
        return stock.get();
    }

    /** The newest stock, for those who wait for it. */
    public Latest<Stock> stock() {
        return stock;
    }

    /**
     * Has the kubelet told of the devices once more. It writes its notes whenever it is told, so that it turns out whether
     * what was allocated a while ago is held.
     */
    void tellAgain() {
        toldAgain.incrementAndGet();
        Stock ignored = stock.change(Stock::again);
    }

    /** How often the kubelet was to be told once more. */
    public long toldAgain() {
        return toldAgain.get();
    }

    /** On the thread that has just published an inventory. */
    private void hear() {
        Stock ignored =
                stock.change(before -> before.withBadNews(monitor.current().devices(deviceClass.resource())));
        requests.wake();
    }

    /** Has what brings these nodes looked at. */
    void lookAtNodes(Set<String> paths) {
        requests.add(Extent.CHANGES, paths);
    }

    /** Has everything looked at; returns when the files are written and the stock is current. */
    public void look() {
        requests.addAndAwait();
    }

    private void keepCurrent() {
        try {
            long due = System.nanoTime() + pause();
            while (true) {
                Request request = requests.await(due);
                if (isStopped) {
                    return;
                }
                Extent extent = request.extent();
                look(extent, extent == Extent.UPKEEP ? damaged() : index.having(request.nodes()));
                requests.answer(request);
                long next = System.nanoTime() + pause();
                due = extent == Extent.CHANGES ? Math.min(due, next) : next;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long pause() {
        return (current().problems().isEmpty() ? QUIET : RETRY).toNanos();
    }

    /** The IDs of devices that have a node or a file which is not as it was. */
    private Set<String> damaged() {
        Set<String> damaged = new HashSet<>();
        for (Equipment one : index.all().values()) {
            if (hostFiles.look(one).problem().or(() -> files.damage(one)).isPresent()) {
                damaged.add(one.id());
            }
            // all 4,096 devices take a while, and one that has settled meanwhile does not wait for them
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
        EquipmentIndex.Change change = index.update(inventory);
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
        log.tell(now.problems(), files.unread(), shares);
    }

    /** What is new, suspect, or had a problem. */
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

    /** What an Allocate has found meanwhile stays, and so does the bad news of a newer inventory. */
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

    /** Ends its thread once that has written what it is writing, and leaves its files to whoever supplies the resource next. */
    void stop() {
        monitor.removeListener(listener);
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
