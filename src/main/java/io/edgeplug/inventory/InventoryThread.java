package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.PathDevice;
import io.edgeplug.flow.Threads;
import io.edgeplug.linux.FileWatch;
import io.edgeplug.linux.Supervisor;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.rules.DeviceClass;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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
    private final DevicesInPreparation inPreparation;
    private final Publication publication;
    private final Heartbeat heartbeat;
    private final Thread thread;

    private final ScanThread reader;
    private final FileWatch files;
    private final HealthCommands commands;
    private final Classes classes;
    private final Settling settling;

    /** Only the thread uses it, once it runs. */
    private final NodeDevices node;

    private final Matching matching = new Matching();
    private final HealthWatch health;
    private final ChangeLog changes = new ChangeLog(LOG);
    private long nextTick;

    /**
     * The thread of a node.
     *
     * @param lookAgain gets the ID of a device that can be scanned again, on any thread
     */
    InventoryThread(
            Sysfs sysfs,
            List<DeviceClass> classes,
            Duration settle,
            Heartbeat heartbeat,
            ScanRequests requests,
            DevicesInPreparation inPreparation,
            Publication publication,
            Consumer<String> lookAgain) {
        this.requests = requests;
        this.inPreparation = inPreparation;
        this.publication = publication;
        this.heartbeat = heartbeat;
        this.settling = new Settling(settle);
        this.classes = new Classes(classes);
        this.reader = new ScanThread(sysfs, this::goOnWithoutThread, lookAgain);
        this.files = new FileWatch("files", this::filesChanged);
        this.commands = new HealthCommands(Supervisor.of(sysfs));
        this.health = new HealthWatch(reader, classes, commands, inPreparation);
        this.node = new NodeDevices(reader, Optional.of(files), classes, inPreparation);
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
        nextTick = System.nanoTime() + TICK.toNanos();
        publish(Set.of(), device -> true, true);
        thread.start();
    }

    /** Gives the devices to these classes from now on, and waits until they have them. */
    void use(List<DeviceClass> newClasses) throws InterruptedException {
        classes.want(newClasses);
        requests.addEverything();
        requests.awaitPublished();
    }

    /** Sets how long good news of a device waits from now on. */
    void settle(Duration settle) {
        settling.use(settle);
    }

    private void filesChanged(Set<String> paths) {
        inPreparation.allowRetry(paths);
        requests.addFiles(paths);
    }

    /** A preparation must not wait for a scan whose thread is lost. */
    private void goOnWithoutThread() {
        heartbeat.beat().run();
        inPreparation.giveUpLook();
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
        long end = now + next(now);
        if (node.hasMore()) {
            scanMore(end);
            end = now;
        }
        ScanRequests.Batch batch = requests.await(end);
        boolean isReload = classes.takeUp();
        if (isReload) {
            node.use(classes.current());
            health.use(classes.current());
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
        long ours = Math.min(settling.next(now) - now, Math.min(health.next(now) - now, node.next(now) - now));
        return Math.min(ours, Math.min(nextTick - now, heartbeat.every().toNanos()));
    }

    /** Goes on with a full scan until there is a request or that time has come, but for a little while in any case. */
    private void scanMore(long end) {
        long least = System.nanoTime() + LITTLE.toNanos();
        node.scanMore(() -> least - System.nanoTime() > 0 || (!requests.hasAny() && end - System.nanoTime() > 0));
    }

    /**
     * Scans a batch. For a full scan, the functions that still exist are left for later, so that news is published
     * first.
     */
    private void scan(ScanRequests.Batch batch, boolean everything) {
        boolean isTick = nextTick - System.nanoTime() <= 0;
        if (isTick) {
            reader.takeTurns();
        }
        if (everything || batch.everything() || isTick) {
            nextTick = System.nanoTime() + TICK.toNanos();
            try {
                node.beginScan();
            } catch (IOException e) {
                LOG.warning(() -> "cannot scan, devices stay as they were: " + e.getMessage());
            }
        } else {
            if (batch.withoutFunction()) {
                node.scanWithoutFunction();
            }
            for (PathDevice device : node.scanFiles(batch.files().keySet())) {
                batch.span(device).ifPresent(when -> settling.note(Place.of(device), when));
            }
        }
        node.scan(batch.functions().keySet());
        node.scanDuePfs(System.nanoTime());
        batch.functions().forEach((address, when) -> settling.note(Place.of(address), when));
    }

    /** Devices of new classes do not settle: they have not just appeared, they were asked for. */
    private void publish(Set<Place> settled, Predicate<Device> isNews, boolean isReload) {
        long now = System.nanoTime();
        publication
                .publish(
                        inPreparation.judged(node.devices()),
                        node.numaNodes(),
                        devices -> publication.judged(
                                health.judge(matching.match(classes.current(), devices), isNews, now)),
                        change -> isReload ? change : settling.pass(change, settled, now))
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
