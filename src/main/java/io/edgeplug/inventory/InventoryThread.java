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
 * The one thread that writes the inventory: it takes what is to be looked at, has it scanned, judges what was found, keeps
 * good news until it has settled, and publishes the rest.
 *
 * <p>Any thread may call {@link #use} and {@link #settle}; all else is its own.
 */
final class InventoryThread implements AutoCloseable {

    /** How often everything is looked at: what changes without a uevent is seen after this long. */
    private static final Duration TICK = Duration.ofSeconds(60);

    /** So long news may wait for the scan of everything, which would never end if it always gave way. */
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

    /** Touched by the thread only, once it runs. */
    private final NodeDevices node;

    private final Matching matching = new Matching();
    private final HealthWatch health;
    private final ChangeLog changes = new ChangeLog(LOG);
    private long nextTick;

    /**
     * Of a node.
     *
     * @param lookAgain told the ID of a device that can be looked at again, on any thread
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
     * Scans everything, publishes that, and goes on by itself.
     *
     * @throws IOException if the node does not tell which devices it has; then all is closed
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
        classes.awaitUse();
    }

    /** Has good news of a device wait that long from now on. */
    void settle(Duration settle) {
        settling.use(settle);
    }

    private void filesChanged(Set<String> paths) {
        inPreparation.allowRetry(paths);
        requests.addFiles(paths);
    }

    /** A look that is lost keeps no preparation waiting any longer. */
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

    /** All stations that a change passes, in their order. */
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
        classes.used();
        node.followPfs(System.nanoTime());
    }

    /** How long there is nothing to do if nothing is asked for, in nanoseconds. */
    private long next(long now) {
        long ours = Math.min(settling.next(now) - now, Math.min(health.next(now) - now, node.next(now) - now));
        return Math.min(ours, Math.min(nextTick - now, heartbeat.every().toNanos()));
    }

    /** Goes on with a scan of everything, until something is asked for or it is that time; a little of it in any case. */
    private void scanMore(long end) {
        long least = System.nanoTime() + LITTLE.toNanos();
        node.scanMore(() -> least - System.nanoTime() > 0 || (!requests.hasAny() && end - System.nanoTime() > 0));
    }

    /** Of everything, all but the functions that are still there: the scan goes on once that is published. */
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

    /** Devices of new classes need not settle: nothing of them has come up, they are asked for. */
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
