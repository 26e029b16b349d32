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
import java.util.List;
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

    private Monitor(
            Sysfs sysfs, List<DeviceClass> classes, UeventSource uevents, Duration settle, Heartbeat heartbeat) {
        this.uevents = uevents;
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
        if (blocksGroupMates()) {
            requests.addJudgement();
        }
        return devices;
    }

    /**
     * Notes which devices pods hold, as the kubelet has noted it: these count as handed over, also if another run did it, and
     * of the others only those of the last few seconds, which it may be about to note.
     *
     * @param pod the UID of a pod that holds a device
     */
    public void noteHolders(Function<Device, Optional<String>> pod) {
        if (publication.noteHolders(pod)) {
            requests.addJudgement();
        }
        missing().forEach(device -> lookAgain(device.id()));
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

    /** Whether a device is kept as it is, since it is being prepared. */
    public boolean isInPreparation(Device device) {
        return inPreparation.contains(device);
    }

    /** Gives the devices to these classes from now on, and waits until they have them. */
    public void use(List<DeviceClass> newClasses) throws InterruptedException {
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
