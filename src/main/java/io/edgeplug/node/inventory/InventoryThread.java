package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.system.files.FileWatch;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Difference;
import io.edgeplug.system.flow.Threads;
import io.edgeplug.system.programs.Supervisor;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.logging.Logger;

/**
 * The one thread that writes the inventory. It takes the scan requests, has them scanned, judges the devices that were
 * found, holds back good news until it has settled, and publishes the rest.
 *
 * <p>Any thread may call {@link #use} and {@link #settle}. All other methods are for the thread itself.
 */
final class InventoryThread implements AutoCloseable {

    /** How often everything is scanned. Changes without a uevent are seen after this time. */
    private static final Duration TICK = Duration.ofSeconds(60);

    /** How long news may wait for the full scan. The scan would never end if it always gave way. */
    private static final Duration LITTLE = Duration.ofMillis(1);

    private static final Logger LOG = Logger.getLogger(Monitor.class.getName());

    private final ScanRequests requests;
    private final ScanGate gate;
    private final Publication publication;
    private final Judgement judgement;
    private final Retries retries;
    private final Monitor.Heartbeat heartbeat;
    private final Thread thread;

    private final ScanThread reader;
    private final FileWatch files;
    private final HealthCommands commands;
    private final Settling settling;

    /** The classes that were asked for last. */
    private volatile List<DeviceClass> wanted;

    /** Those that get the devices: the thread takes up the wanted ones. */
    private volatile List<DeviceClass> classes;

    /** Only the thread uses it, once it runs. */
    private final NodeDevices node;

    private final Matching matching = new Matching();
    private final HealthWatch health;
    private final ChangeLog changes = new ChangeLog(LOG);
    private Deadline nextTick = Deadline.in(TICK);

    /**
     * The thread of a node.
     *
     * @param lookAgain gets the ID of a device that can be scanned again, on any thread
     * @param retries gets paths of files that have changed, before these are scanned
     */
    InventoryThread(
            Sysfs sysfs,
            List<DeviceClass> classes,
            Duration settle,
            Monitor.Heartbeat heartbeat,
            ScanRequests requests,
            ScanGate gate,
            Publication publication,
            Judgement judgement,
            Consumer<String> lookAgain,
            Retries retries) {
        this.retries = retries;
        this.requests = requests;
        this.gate = gate;
        this.publication = publication;
        this.judgement = judgement;
        this.heartbeat = heartbeat;
        this.settling = new Settling(settle);
        this.wanted = List.copyOf(classes);
        this.classes = wanted;
        this.reader = new ScanThread(sysfs, this::goOnWithoutThread, lookAgain);
        this.files = new FileWatch("files", this::filesChanged);
        this.commands = new HealthCommands(Supervisor.of(sysfs));
        this.health = new HealthWatch(reader, classes, commands, gate);
        this.node = new NodeDevices(reader, files, classes, gate);
        this.thread = Thread.ofPlatform().name("inventory").daemon().unstarted(this::run);
    }

    /**
     * Scans and publishes everything, and then goes on by itself.
     *
     * @throws IOException if the node does not list its devices; then everything is closed
     */
    void start() throws IOException {
        try {
            node.scanAll();
        } catch (IOException e) {
            close();
            throw e;
        }
        nextTick = Deadline.in(TICK);
        publish(Set.of(), device -> true, true);
        thread.start();
    }

    /** Gives the devices to these classes from now on, and waits until they have them. */
    void use(List<DeviceClass> newClasses) throws InterruptedException {
        wanted = List.copyOf(newClasses);
        requests.addEverything();
        requests.awaitPublished();
    }

    /** Whether these items are as they are to be published now, as far as who has which device matters. */
    boolean isCurrent(List<Item> items) {
        return judgement.judged(judgement.kept(classes, items)).equals(items);
    }

    /** Sets how long good news of a device waits from now on. */
    void settle(Duration settle) {
        settling.use(settle);
    }

    private void filesChanged(Set<String> paths) {
        retries.files(paths);
        requests.addFiles(paths);
    }

    /** A preparation must not wait for a scan whose thread is lost. */
    private void goOnWithoutThread() {
        heartbeat.beat().run();
        gate.giveUpLook();
    }

    private void run() {
        try {
            while (true) {
                heartbeat.beat().run();
                turn();
            }
        } catch (InterruptedException e) {
            LOG.fine("no longer following devices");
        }
    }

    /** All steps of a change, in their order. */
    private void turn() throws InterruptedException {
        long now = System.nanoTime();
        Deadline end = Deadline.in(Duration.ofNanos(next(now)));
        if (node.hasMore()) {
            scanMore(end);
            end = Deadline.in(Duration.ZERO);
        }
        ScanRequests.Batch batch = requests.await(end);
        List<DeviceClass> newest = wanted;
        boolean isReload = !newest.equals(classes);
        if (isReload) {
            classes = newest;
            node.use(newest);
            health.use(newest);
        }
        scan(batch, isReload);
        Set<Place> settled = settling.settle(node::at, System.nanoTime());
        node.scan(settled.stream().flatMap(place -> place.function().stream()).toList());
        publish(settled, device -> batch.names(device) || settled.contains(Place.of(device)), isReload);
        requests.published(batch);
        node.followPfs(System.nanoTime());
    }

    /** How long the thread can sleep if nothing is requested, in nanoseconds. */
    private long next(long now) {
        long ours = Math.min(settling.left(now), Math.min(health.left(now), node.left(now)));
        return Math.min(
                ours, Math.min(nextTick.left().toNanos(), heartbeat.every().toNanos()));
    }

    /** Goes on with a full scan until there is a request or that time has come, but for a little while in any case. */
    private void scanMore(Deadline end) {
        Deadline least = Deadline.in(LITTLE);
        node.scanMore(() -> !least.isOver() || (!requests.hasAny() && !end.isOver()));
    }

    /**
     * Scans a batch. For a full scan, the functions that still exist are left for later, so that news is published
     * first.
     */
    private void scan(ScanRequests.Batch batch, boolean everything) {
        // Other full scans do not put it off. If they came often, slow places would never get their turns.
        boolean isTick = nextTick.isOver();
        if (isTick) {
            nextTick = Deadline.in(TICK);
            reader.takeTurns();
        }
        if (everything || batch.everything() || isTick) {
            try {
                node.beginScan();
            } catch (IOException e) {
                LOG.warning(() -> "cannot scan, devices stay as they were: " + e.getMessage());
            }
        } else {
            if (batch.withoutFunction()) {
                node.scanWithoutFunction();
            }
            for (UsbDevice device : node.scanUsb(batch.usb().keySet())) {
                batch.span(device).ifPresent(when -> settling.note(Place.of(device), when));
            }
            for (PathDevice device : node.scanFiles(batch.files().keySet())) {
                batch.span(device).ifPresent(when -> settling.note(Place.of(device), when));
            }
        }
        node.scan(batch.functions().keySet());
        node.scanDue(System.nanoTime());
        batch.functions().forEach((address, when) -> settling.note(Place.of(address), when));
    }

    /** Devices of new classes do not settle: they have not just appeared, they were asked for. */
    private void publish(Set<Place> settled, Predicate<Device> isNews, boolean isReload) {
        long now = System.nanoTime();
        publication
                .publish(node.numaNodes(), before -> {
                    List<Item> items = matching.match(classes, judgement.known(node.devices()));
                    List<Item> healthy = health.judge(judgement.kept(classes, items), isNews, now);
                    Difference<Item> change = Difference.of(before, judgement.judged(healthy));
                    return isReload ? change : settling.pass(change, settled, now);
                })
                .ifPresent(changes::tell);
    }

    @Override
    public void close() {
        Threads.end(thread);
        files.close();
        reader.close();
        commands.close();
    }
}
