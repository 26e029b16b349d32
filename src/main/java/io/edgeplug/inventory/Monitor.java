package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.Inventory.Item;
import io.edgeplug.linux.FileWatch;
import io.edgeplug.linux.Supervisor;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.linux.Uevent;
import io.edgeplug.linux.UeventSource;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.logging.Logger;

/**
 * Keeps the inventory current: a uevent makes it look again at one function, and now and then it looks at all.
 *
 * <p>Its own thread scans; all others read what was published last.
 */
public final class Monitor implements AutoCloseable {

    /** How often everything is looked at: what changes without a uevent is seen after this long. */
    private static final Duration TICK = Duration.ofSeconds(60);

    /** So long news may wait for the scan of everything, which would never end if it always gave way. */
    private static final Duration LITTLE = Duration.ofMillis(1);

    private static final Logger LOG = Logger.getLogger(Monitor.class.getName());

    private final Classes classes;
    private final UeventSource uevents;
    private final Heartbeat heartbeat;
    private final Heard heard = new Heard();
    private final HealthCommands commands;
    private final ChangeLog changes = new ChangeLog(LOG);
    private final Thread listener;
    private final Thread scanner;

    private final ScanThread reader;
    private final FileWatch files = new FileWatch("files", this::hear);

    /** Touched by the scanner only, once it runs. */
    private final NodeDevices node;

    private final EmptiedPfs emptied = new EmptiedPfs();
    private final Settling settling;
    private final HealthWatch health;
    private long nextTick;

    private final Matching matching = new Matching();
    private final Publication publication = new Publication();
    private final Holds holds = new Holds();

    private Monitor(
            Sysfs sysfs, List<DeviceClass> classes, UeventSource uevents, Duration settle, Heartbeat heartbeat) {
        this.settling = new Settling(settle);
        this.reader = new ScanThread(sysfs, this::goOnWithoutThread, this::lookAgain);
        this.commands = new HealthCommands(Supervisor.of(sysfs));
        this.health = new HealthWatch(reader, classes, commands, holds);
        this.node = new NodeDevices(reader, Optional.of(files), classes, holds);
        this.classes = new Classes(classes);
        this.uevents = uevents;
        this.heartbeat = heartbeat;
        this.listener = Thread.ofPlatform().name("uevents").daemon().unstarted(this::listen);
        this.scanner = Thread.ofPlatform().name("inventory").daemon().unstarted(this::keepCurrent);
    }

    /**
     * Scans the node and starts to follow it: bad news at once, good news of a device once it has settled.
     *
     * @param uevents already subscribed, so that nothing is missed between the first scan and the first event; closed
     *     with the monitor
     * @param settle how long a device must have been left alone before good news of it is told
     * @throws IOException if the node does not tell which devices it has
     */
    public static Monitor open(Sysfs sysfs, List<DeviceClass> classes, UeventSource uevents, Duration settle)
            throws IOException {
        return open(sysfs, classes, uevents, settle, Heartbeat.NONE);
    }

    /** The same, with a heartbeat of the thread that follows it. */
    public static Monitor open(
            Sysfs sysfs, List<DeviceClass> classes, UeventSource uevents, Duration settle, Heartbeat heartbeat)
            throws IOException {
        Monitor monitor = new Monitor(sysfs, classes, uevents, settle, heartbeat);
        try {
            monitor.node.scanAll();
            monitor.nextTick = System.nanoTime() + TICK.toNanos();
        } catch (IOException e) {
            monitor.files.close();
            uevents.close();
            throw e;
        }
        monitor.publish(Set.of(), device -> true, true);
        monitor.listener.start();
        monitor.scanner.start();
        return monitor;
    }

    /** The newest inventory. */
    public Inventory current() {
        return publication.current();
    }

    /** Waits for an inventory of a higher generation, which may be there already. */
    public Inventory awaitNewerThan(long generation) throws InterruptedException {
        return publication.awaitNewerThan(generation);
    }

    /** Waits for an inventory of a higher generation, or for {@code timeout}, and returns the newest. */
    public Inventory awaitNewerThan(long generation, Duration timeout) throws InterruptedException {
        return publication.awaitNewerThan(generation, timeout);
    }

    /** The same devices as {@link #handOut} returns, of which it says nothing. */
    public List<Device> available(ResourceName resource, Set<String> ids) throws DeviceUnavailableException {
        return publication.available(resource, ids);
    }

    /**
     * Says that containers may hold these devices from now on: should one go, it stays listed as unhealthy, since the
     * kubelet tells a pod only of devices that it knows. Never blocks for long.
     *
     * @return the devices, as the newest inventory has them
     * @throws DeviceUnavailableException if one cannot be had now; then none is handed out
     */
    public List<Device> handOut(ResourceName resource, Set<String> ids) throws DeviceUnavailableException {
        List<Device> devices = publication.handOut(resource, ids);
        if (blocksGroupMates()) {
            heard.judgeAgain();
        }
        return devices;
    }

    /**
     * Says which devices containers hold, as the kubelet has noted it: these count as handed out, also if another run did
     * it, and of the others only those of the last few seconds, which it may be about to note.
     *
     * @param pod the UID of a pod that holds a device
     */
    public void containersHold(Function<Device, Optional<String>> pod) {
        if (publication.containersHold(pod)) {
            heard.judgeAgain();
        }
        missing().forEach(device -> lookAgain(device.id()));
    }

    /** Whether devices are unhealthy since a container has another member of their IOMMU group. */
    public boolean blocksGroupMates() {
        return publication.heldGroups().blocksAny(current().items());
    }

    /** The devices that are gone and still listed, since containers may hold them. */
    public List<Device> missing() {
        return current().devices().stream().filter(HandedOut::isMissed).toList();
    }

    /**
     * Keeps a device as it is, whatever happens to it and whatever uevents say, until the hold is released. Waits for who
     * looks at it just now.
     */
    public Hold hold(Device device) {
        holds.take(device);
        return new Hold(
                problem -> {
                    holds.report(device, problem);
                    lookAgain(device);
                },
                problem -> {
                    holds.release(device, problem);
                    lookAgain(device);
                });
    }

    /** Has a device listed as unhealthy, whatever uevents say, until it is said that it has no such problem any more. */
    public void mark(String id, Optional<String> problem) {
        if (holds.mark(id, problem)) {
            lookAgain(id);
        }
    }

    /** Whether a device is kept as it is, since it is being prepared. */
    public boolean isHeld(Device device) {
        return holds.isHeld(device);
    }

    /** Gives the devices to these classes from now on, and waits until they have them. */
    public void use(List<DeviceClass> newClasses) throws InterruptedException {
        classes.want(newClasses);
        heard.lookAtEverything();
        classes.awaitUse();
    }

    /** Has good news of a device wait that long from now on. */
    public void settle(Duration settle) {
        settling.use(settle);
    }

    /** Has a device looked at again soon, as after a uevent of its own. Never waits for the look. */
    public void lookAgain(String id) {
        PciAddress.parse(id)
                .ifPresentOrElse(
                        heard::lookAt,
                        () -> current().devices().stream()
                                .filter(device -> device.id().equals(id))
                                .findFirst()
                                .ifPresentOrElse(this::lookAgain, heard::lookAtEverything));
    }

    /** Stops following; the last inventory stays readable. */
    @Override
    public void close() {
        uevents.close();
        scanner.interrupt();
        try {
            listener.join(Duration.ofSeconds(1));
            scanner.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        files.close();
        reader.close();
        commands.close();
    }

    private void lookAgain(Device device) {
        if (device instanceof PciDevice pci) {
            heard.lookAt(pci.function().address());
        } else if (device instanceof PathDevice path) {
            heard.lookAt(path.files().stream().map(PathDevice.File::path).toList());
        } else {
            heard.lookAtEverything();
        }
    }

    private void hear(Set<String> paths) {
        holds.heard(paths);
        heard.lookAt(paths);
    }

    private void listen() {
        for (Optional<Uevent> event = uevents.next(); event.isPresent(); event = uevents.next()) {
            holds.heard(event.orElseThrow());
            heard.hear(event.orElseThrow());
        }
    }

    private void keepCurrent() {
        try {
            while (true) {
                heartbeat.beat().run();
                long now = System.nanoTime();
                long end = now + next(now);
                if (node.hasMore()) {
                    scanMore(end);
                    end = now;
                }
                Heard.Batch batch = heard.await(end);
                boolean anew = classes.takeUp();
                if (anew) {
                    node.use(classes.current());
                    health.use(classes.current());
                }
                look(batch, anew);
                Set<String> settled = settling.settle(node::at, System.nanoTime());
                node.scan(settled.stream()
                        .flatMap(place -> PciAddress.parse(place).stream())
                        .toList());
                publish(settled, device -> batch.names(device) || settled.contains(Settling.place(device)), anew);
                classes.used();
                emptied.add(node.takeBereft(), System.nanoTime());
                emptied.keep(node::isEmptied, System.nanoTime());
            }
        } catch (InterruptedException e) {
            LOG.fine("no longer following devices");
        }
    }

    /** How long there is nothing to do if nothing is heard, in nanoseconds. */
    private long next(long now) {
        long ours = Math.min(settling.next(now) - now, Math.min(health.next(now) - now, emptied.next(now) - now));
        return Math.min(ours, Math.min(nextTick - now, heartbeat.every().toNanos()));
    }

    /** Goes on with a scan of everything, until something is heard or it is that time; a little of it in any case. */
    private void scanMore(long end) {
        long least = System.nanoTime() + LITTLE.toNanos();
        node.scanMore(() -> least - System.nanoTime() > 0 || (!heard.hasAny() && end - System.nanoTime() > 0));
    }

    /** A look that is lost holds nothing up any longer. */
    private void goOnWithoutThread() {
        heartbeat.beat().run();
        holds.giveUpLook();
    }

    /** Of everything, all but the functions that are still there: the scan goes on once that is published. */
    private void look(Heard.Batch batch, boolean everything) {
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
                batch.span(device).ifPresent(when -> settling.heard(Settling.place(device), when));
            }
        }
        node.scan(batch.functions().keySet());
        node.scan(emptied.due(System.nanoTime()));
        batch.functions().forEach((address, when) -> settling.heard(address.toString(), when));
    }

    /** What is anew need not settle: nothing of it has come up, it is asked for. */
    private void publish(Set<String> settled, Predicate<Device> isNews, boolean anew) {
        publication
                .publish(holds.judged(node.devices()), node.numaNodes(), (devices, last) -> {
                    long now = System.nanoTime();
                    List<Item> items = health.judge(matching.match(classes.current(), devices), isNews, now);
                    items = publication.heldGroups().judged(items);
                    return anew ? items : settling.passing(last, items, settled, now);
                })
                .ifPresent(changes::tell);
    }
}
