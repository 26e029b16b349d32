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

/**
 * Keeps the inventory current: a uevent makes it look again at one function, and now and then it looks at all.
 *
 * <p>Its {@link InventoryThread} scans and publishes; any other thread reads what was published last, hands over, and asks
 * for a look, and never waits for one.
 */
public final class Monitor implements AutoCloseable {

    private final UeventSource uevents;
    private final ScanRequests requests = new ScanRequests();
    private final DevicesInPreparation inPreparation = new DevicesInPreparation();
    private final Publication publication = new Publication();
    private final InventoryThread inventory;
    private final LongAdder heard = new LongAdder();
    private final Thread listener;

    /** Whether an Allocate is news for other resources. */
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

    /** Waits for an inventory of a higher generation, which may be there already. */
    public Inventory awaitNewerThan(long generation) throws InterruptedException {
        return publication.newest().awaitNewerThan(generation);
    }

    /** Waits for an inventory of a higher generation, or for {@code timeout}, and returns the newest. */
    public Inventory awaitNewerThan(long generation, Duration timeout) throws InterruptedException {
        return publication.newest().awaitNewerThan(generation, timeout);
    }

    /** How many uevents it has heard. */
    public long uevents() {
        return heard.sum();
    }

    /** Runs that after each newer inventory, on the thread that publishes it; it must return at once. */
    public void addListener(Runnable listener) {
        publication.addListener(listener);
    }

    public void removeListener(Runnable listener) {
        publication.removeListener(listener);
    }

    /** The same devices as {@link #handOver} returns, of which it says nothing. */
    public List<Device> available(ResourceName resource, Set<String> ids) throws DeviceUnavailableException {
        return publication.available(resource, ids);
    }

    /**
     * Hands devices over to a container, which may hold them from now on: should one go, it stays listed as unhealthy, since
     * the kubelet tells a pod only of devices that it knows. Never blocks for long.
     *
     * @return the devices, as the newest inventory has them
     * @throws DeviceUnavailableException if one cannot be had now; then none is handed over
     */
    public List<Device> handOver(ResourceName resource, Set<String> ids) throws DeviceUnavailableException {
        List<Device> devices = publication.handOver(resource, ids);
        if (hasFaces || blocksGroupMates()) {
            requests.addJudgement();
        }
        return devices;
    }

    /**
     * Notes which devices pods hold, as the kubelet has noted it: these count as handed over, also if another run did it, and
     * of the others only those of the last few seconds, which it may be about to note.
     *
     * @param holder of a device
     * @param written when the kubelet wrote the notes that tell so
     */
    public void noteHolders(Function<Device, Optional<HeldAs>> holder, Instant written) {
        if (publication.noteHolders(holder, written)) {
            requests.addJudgement();
        }
        missing().forEach(device -> lookAgain(device.id()));
    }

    /** Notes the same of one device, whose holder is about to start. */
    public void noteHolder(ResourceName resource, String id, HeldAs holder, Instant written) {
        publication.noteHolder(resource, id, holder, written);
    }

    /**
     * Keeps a device from all but who gets it as the resource that it was used as, until {@link #endUse}: a pod has used it,
     * and it is not yet as the next pod must find it.
     *
     * @param resource as which the device was used; empty if that is not known
     * @param waits whether that is over soon, so that who prepares it next can wait for it
     * @param reason why nobody gets the device once nobody holds it
     */
    public void noteUse(String id, Optional<String> resource, boolean waits, String reason) {
        if (publication.noteUse(id, resource, waits, reason)) {
            requests.addJudgement();
        }
    }

    /** Offers a device to all again, since it is as the next pod must find it. */
    public void endUse(String id) {
        if (publication.endUse(id)) {
            requests.addJudgement();
        }
    }

    /**
     * The devices that pods use or have used, and that are not as the next pod must find them: by ID, whether each is so soon
     * without anybody's help.
     */
    public Map<String, Boolean> used() {
        return publication.used();
    }

    /** Waits until the inventory offers nothing that is kept for somebody, as it is noted now; but not for ever. */
    public void awaitUses(Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        Inventory newest = current();
        while (!publication.judged(newest.items()).equals(newest.items()) && end - System.nanoTime() > 0) {
            newest = awaitNewerThan(newest.generation(), Duration.ofNanos(end - System.nanoTime()));
        }
    }

    /**
     * The resources of which the kubelet was given devices a while ago, and has written no notes since that tell whether a
     * pod holds them.
     */
    public Set<String> unnoted() {
        return publication.unnoted();
    }

    /** Whether the kubelet was given devices of late that it may be about to note. */
    public boolean isAllocating() {
        return publication.isAllocating();
    }

    /** Who may hold a device: a pod, or the Allocate of one that the kubelet has not noted yet. */
    public Optional<HeldAs> holder(String id) {
        return publication.holder(id);
    }

    /** Whether a claim holds any device, as the holders were noted last. */
    public boolean haveClaims() {
        return publication.haveClaims();
    }

    /** Whether devices are unhealthy since a container has another member of their IOMMU group. */
    public boolean blocksGroupMates() {
        return publication.heldGroups().blocksAny(current().items());
    }

    /** The devices that are gone and still listed, since containers may hold them. */
    public List<Device> missing() {
        return current().devices().stream()
                .filter(device -> device.health().isGone())
                .toList();
    }

    /**
     * Keeps a device as it is, whatever happens to it and whatever uevents say, until its preparation ends. Waits for who
     * looks at it just now.
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

    /** Has a device listed as unhealthy, whatever uevents say, until it is said that it has no such problem any more. */
    public void mark(String id, Optional<String> problem) {
        if (inPreparation.mark(id, problem)) {
            lookAgain(id);
        }
    }

    /** Has a device listed as healthy again that could not be prepared, unless more is wrong with it. */
    public void forgetFailure(String id) {
        if (inPreparation.forgetFailure(id)) {
            lookAgain(id);
        }
    }

    /** Whether a device is kept as it is, since it is being prepared. */
    public boolean isInPreparation(Device device) {
        return inPreparation.contains(device);
    }

    /** Gives the devices to these classes from now on, and waits until they have them. */
    public void use(List<DeviceClass> newClasses) throws InterruptedException {
        hasFaces = newClasses.stream().anyMatch(DeviceClass::isFace);
        inventory.use(newClasses);
    }

    /** Has good news of a device wait that long from now on. */
    public void settle(Duration settle) {
        inventory.settle(settle);
    }

    /** Has a device looked at again soon, as after a uevent of its own. Never waits for the look. */
    public void lookAgain(String id) {
        PciAddress.parse(id)
                .ifPresentOrElse(
                        requests::add,
                        () -> current().devices().stream()
                                .filter(device -> device.id().equals(id))
                                .findFirst()
                                .ifPresentOrElse(requests::add, requests::addEverything));
    }

    private void listen() {
        for (Optional<Uevent> event = uevents.next(); event.isPresent(); event = uevents.next()) {
            heard.increment();
            inPreparation.allowRetry(event.orElseThrow());
            requests.add(event.orElseThrow());
        }
    }

    /** Stops following; the last inventory stays readable. */
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
