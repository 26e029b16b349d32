package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceUnavailableException;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.linux.Uevent;
import io.edgeplug.linux.UeventSource;
import io.edgeplug.rules.DeviceClass;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
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
    private final DevicesInPreparation inPreparation = new DevicesInPreparation();
    private final Publication publication = new Publication();
    private final InventoryThread inventory;
    private final LongAdder heard = new LongAdder();
    private final Thread listener;

    /** Whether an Allocate changes what other resources can offer. */
    private volatile boolean hasFaces;

    private Monitor(
            Sysfs sysfs, List<DeviceClass> classes, UeventSource uevents, Duration settle, Heartbeat heartbeat) {
        this.uevents = uevents;
        this.hasFaces = classes.stream().anyMatch(DeviceClass::isFace);
        this.inventory = new InventoryThread(
                sysfs, classes, settle, heartbeat, requests, inPreparation, publication, this::lookAgain);
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

    /** Waits for an inventory of a higher generation, and returns at once if there is one. */
    public Inventory awaitNewerThan(long generation) throws InterruptedException {
        return publication.newest().awaitNewerThan(generation);
    }

    /** Waits for an inventory of a higher generation, or for {@code timeout}, and returns the newest. */
    public Inventory awaitNewerThan(long generation, Duration timeout) throws InterruptedException {
        return publication.newest().awaitNewerThan(generation, timeout);
    }

    /** How many uevents were received. */
    public long uevents() {
        return heard.sum();
    }

    /**
     * Runs the listener after each newer inventory, on the thread that publishes it. The listener must return at once.
     */
    public void addListener(Runnable listener) {
        publication.addListener(listener);
    }

    public void removeListener(Runnable listener) {
        publication.removeListener(listener);
    }

    /** The devices that {@link #handOver} would return, without handing them over. */
    public List<Device> available(ResourceName resource, Set<String> ids) throws DeviceUnavailableException {
        return publication.available(resource, ids);
    }

    /**
     * Hands devices over to a container, which may hold them from now on. If one disappears, it stays listed as
     * unhealthy, because the kubelet informs a pod only about devices that it knows. Never blocks for long.
     *
     * @return the devices from the newest inventory
     * @throws DeviceUnavailableException if one is not available now; then none is handed over
     */
    public List<Device> handOver(ResourceName resource, Set<String> ids) throws DeviceUnavailableException {
        List<Device> devices = publication.handOver(resource, ids);
        if (hasFaces || blocksGroupMates()) {
            requests.addJudgement();
        }
        return devices;
    }

    /**
     * Notes which devices pods hold by the kubelet's notes. These count as handed over, even if another run of the
     * daemon did it. Of the other devices, only those of the last few seconds still count, because the kubelet may be
     * about to note them.
     *
     * @param holder of a device
     * @param written when the kubelet wrote its notes
     */
    public void noteHolders(Function<Device, Optional<HeldAs>> holder, Instant written) {
        if (publication.noteHolders(holder, written)) {
            requests.addJudgement();
        }
        missing().forEach(device -> lookAgain(device.id()));
    }

    /** Notes the same for one device, whose holder is about to start. */
    public void noteHolder(ResourceName resource, String id, HeldAs holder, Instant written) {
        publication.noteHolder(resource, id, holder, written);
    }

    /**
     * Withholds a used device until {@link #endUse}, because it is not scrubbed yet. Only the resource as which it was
     * used still gets it.
     *
     * @param resource as which the device was used; empty if that is not known
     * @param waits whether this ends soon, so that the next preparation can wait for it
     * @param reason why nobody gets the device once nobody holds it
     */
    public void noteUse(String id, Optional<String> resource, boolean waits, String reason) {
        if (publication.noteUse(id, resource, waits, reason)) {
            requests.addJudgement();
        }
    }

    /** Offers a device to all again, because it is scrubbed. */
    public void endUse(String id) {
        if (publication.endUse(id)) {
            requests.addJudgement();
        }
    }

    /**
     * The IDs of devices that pods use or have used and that are not scrubbed yet, each with whether it is soon
     * scrubbed without help.
     */
    public Map<String, Boolean> used() {
        return publication.used();
    }

    /** Why a used device is not scrubbed soon without help; empty if it is, or need not be. */
    public Optional<String> scrubProblem(String id) {
        return publication.scrubProblem(id);
    }

    /** Waits, up to a limit, until the inventory withholds all devices that are noted as used. */
    public void awaitUses(Duration patience) throws InterruptedException {
        await(newest -> publication.judged(newest.items()).equals(newest.items()), patience);
    }

    /**
     * The resources with an old Allocate after which the kubelet has written no notes, so that its holder is not known.
     */
    public Set<String> unnoted() {
        return publication.unnoted();
    }

    /** Whether there was a recent Allocate that the kubelet may be about to note. */
    public boolean isAllocating() {
        return publication.isAllocating();
    }

    /** The possible holder of a device: a pod, or an Allocate whose pod the kubelet has not noted yet. */
    public Optional<HeldAs> holder(String id) {
        return publication.holder(id);
    }

    /** Whether a claim holds any device, as the holders were noted last. */
    public boolean haveClaims() {
        return publication.haveClaims();
    }

    /** Whether devices are unhealthy because a container has another member of their IOMMU group. */
    public boolean blocksGroupMates() {
        return publication.heldGroups().blocksAny(current().items());
    }

    /** The devices that are gone and still listed, because containers may hold them. */
    public List<Device> missing() {
        return current().devices().stream()
                .filter(device -> device.health().isGone())
                .toList();
    }

    /**
     * Freezes a device in the inventory until its preparation ends, whatever uevents arrive. Waits for a scan of it
     * that is running.
     */
    public DeviceInPreparation beginPreparation(Device device) {
        inPreparation.begin(device);
        return new DeviceInPreparation(
                problem -> {
                    inPreparation.report(device, problem);
                    requests.add(device);
                },
                problem -> {
                    inPreparation.end(device, problem);
                    requests.add(device);
                });
    }

    /** Lists a device as unhealthy, whatever uevents arrive, until the problem is cleared by an empty one. */
    public void mark(String id, Optional<String> problem) {
        if (inPreparation.mark(id, problem)) {
            lookAgain(id);
        }
    }

    /** Clears the failed preparation of a device. It is healthy again unless there is another problem. */
    public void forgetFailure(String id) {
        if (inPreparation.forgetFailure(id)) {
            lookAgain(id);
        }
    }

    /** Whether a device is frozen because it is being prepared. */
    public boolean isInPreparation(Device device) {
        return inPreparation.contains(device);
    }

    /** Gives the devices to these classes from now on, and waits until they have them. */
    public void use(List<DeviceClass> newClasses) throws InterruptedException {
        hasFaces = newClasses.stream().anyMatch(DeviceClass::isFace);
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
                        () -> current().devices().stream()
                                .filter(device -> device.id().equals(id))
                                .findFirst()
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
        long end = System.nanoTime() + patience.toNanos();
        Inventory newest = current();
        while (!wanted.test(newest) && end - System.nanoTime() > 0) {
            newest = awaitNewerThan(newest.generation(), Duration.ofNanos(end - System.nanoTime()));
        }
    }

    private void listen() {
        for (Optional<Uevent> event = uevents.next(); event.isPresent(); event = uevents.next()) {
            heard.increment();
            inPreparation.allowRetry(event.orElseThrow());
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
