package io.edgeplug.node.inventory;

import io.edgeplug.model.custody.Change;
import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Latest;
import io.edgeplug.system.udev.Uevent;
import io.edgeplug.system.udev.UeventSource;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * Keeps the inventory current. A uevent makes it scan one function again, and now and then it scans everything.
 *
 * <p>Its {@link InventoryThread} scans and publishes. Other threads read the newest inventory, hand devices over and
 * request scans, and never wait for a scan unless a method says so.
 */
public final class Monitor implements AutoCloseable {

    private final UeventSource uevents;
    private final ScanRequests requests = new ScanRequests();
    private final ScanGate gate = new ScanGate();
    private final Custodian custodian = new Custodian();
    private final Publication publication = new Publication(custodian);
    private final Retries retries = new Retries(custodian, publication);
    private final InventoryThread inventory;
    private final LongAdder heard = new LongAdder();
    private final Thread listener;

    /**
     * Shows that the loop of the inventory is not stuck: the loop calls it at least this often.
     *
     * @param beat must not block
     */
    public record Heartbeat(Duration every, Runnable beat) {

        /** For callers without a watchdog. */
        public static final Heartbeat NONE = new Heartbeat(Duration.ofNanos(Long.MAX_VALUE), () -> {});
    }

    private Monitor(
            Sysfs sysfs, List<DeviceClass> classes, UeventSource uevents, Duration settle, Heartbeat heartbeat) {
        this.uevents = uevents;
        this.custodian.addListener(this::custodyChanged);
        this.inventory = new InventoryThread(
                sysfs,
                classes,
                settle,
                heartbeat,
                requests,
                gate,
                publication,
                new Judgement(custodian),
                this::lookAgain,
                retries);
        this.listener = Thread.ofPlatform().name("uevents").daemon().unstarted(this::listen);
    }

    /**
     * Scans the node and starts to follow it. Bad news is published at once, good news of a device once it has settled.
     *
     * @param uevents already subscribed, so that nothing is missed between the first scan and the first event; closed
     *     with the monitor
     * @param settle how long a device must have been left alone before good news of it is published
     * @throws IOException if the node does not list its devices
     */
    public static Monitor open(Sysfs sysfs, List<DeviceClass> classes, UeventSource uevents, Duration settle)
            throws IOException {
        return open(sysfs, classes, uevents, settle, Heartbeat.NONE);
    }

    /** The same, with a heartbeat for the thread. */
    public static Monitor open(
            Sysfs sysfs, List<DeviceClass> classes, UeventSource uevents, Duration settle, Heartbeat heartbeat)
            throws IOException {
        Monitor monitor = new Monitor(sysfs, classes, uevents, settle, heartbeat);
        try {
            monitor.inventory.start();
        } catch (IOException e) {
            uevents.close();
            throw e;
        }
        monitor.listener.start();
        return monitor;
    }

    /** The newest inventory. */
    public Inventory current() {
        return publication.newest().get();
    }

    /** The same, for threads that follow it or wait for a newer one. */
    public Latest<Inventory> inventories() {
        return publication.newest();
    }

    /** How many uevents were received. */
    public long uevents() {
        return heard.sum();
    }

    /** From where devices are handed over. */
    public Publication publication() {
        return publication;
    }

    /** Who has which device, and what must happen to it before somebody else gets it. */
    public Custodian custodian() {
        return custodian;
    }

    /** The items of a device: none, one, or one for each of its faces. */
    public List<Inventory.Item> items(String id) {
        return publication.items(id);
    }

    /** A device that is on the node; empty if it is not, also if it is still listed. */
    public Optional<Device> here(String id) {
        return items(id).stream()
                .map(Inventory.Item::device)
                .filter(device -> !device.health().isGone())
                .findFirst();
    }

    /** Waits, up to a limit, until the inventory shows what is known of the users of devices. */
    public void awaitJudged(Duration patience) throws InterruptedException {
        await(newest -> inventory.isCurrent(newest.items()), patience);
    }

    /** The devices that are gone or another one, and still listed, because containers may hold them. */
    public List<Device> missing() {
        return current().devices().stream()
                .filter(device -> !device.health().isNamed())
                .toList();
    }

    /** Freezes a device in the inventory, whatever uevents arrive. Waits for a scan of it that is running. */
    public void freeze(Device device) {
        gate.close(device);
    }

    /** Ends that, if the device is frozen, and has it scanned again. */
    public void thaw(Device device) {
        if (gate.open(device)) {
            requests.add(device);
        }
    }

    /** Whether a device is frozen because it is being changed. */
    public boolean isFrozen(Device device) {
        return gate.isClosed(device);
    }

    /** Another list may follow from who has a device, or from what is done to it. */
    private void custodyChanged(Change change) {
        if (publication.concernsLists(change)) {
            requests.addJudgement();
        }
    }

    /** Gives the devices to these classes from now on, and waits until they have them. */
    public void use(List<DeviceClass> newClasses) throws InterruptedException {
        inventory.use(newClasses);
    }

    /** Sets how long good news of a device waits from now on. */
    public void settle(Duration settle) {
        inventory.settle(settle);
    }

    /** Requests a scan of a device, as a uevent does. Never waits for the scan. */
    public void lookAgain(String id) {
        PciAddress.parse(id)
                .ifPresentOrElse(
                        requests::add,
                        () -> items(id).stream()
                                .findFirst()
                                .map(Inventory.Item::device)
                                .ifPresentOrElse(requests::add, requests::addEverything));
    }

    /** Waits until the inventory has the results of all scans of functions that were requested so far. */
    public void awaitScans() throws InterruptedException {
        requests.awaitPublished();
    }

    /** Waits, up to a limit, until none of these devices is withheld from a resource. */
    public void awaitOffered(ResourceName resource, Set<String> ids, Duration patience) throws InterruptedException {
        await(
                newest -> newest.devices(resource).stream()
                        .noneMatch(device ->
                                ids.contains(device.id()) && device.health().isWithheld()),
                patience);
    }

    private void await(Predicate<Inventory> wanted, Duration patience) throws InterruptedException {
        Deadline end = Deadline.in(patience);
        Inventory newest = current();
        while (!wanted.test(newest) && !end.isOver()) {
            newest = inventories().awaitNewerThan(newest.generation(), end.left());
        }
    }

    private void listen() {
        for (Optional<Uevent> event = uevents.next(); event.isPresent(); event = uevents.next()) {
            heard.increment();
            retries.uevent(event.orElseThrow());
            requests.add(event.orElseThrow());
        }
    }

    /** Stops following. The last inventory stays readable. */
    @Override
    public void close() {
        uevents.close();
        try {
            listener.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        inventory.close();
    }
}
