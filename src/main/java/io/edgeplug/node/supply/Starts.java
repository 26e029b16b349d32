package io.edgeplug.node.supply;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.Event.Noting;
import io.edgeplug.model.custody.Trouble;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.prepare.Guest;
import io.edgeplug.node.prepare.Preparation;
import io.edgeplug.node.prepare.PreparedStarts;
import io.edgeplug.node.prepare.Preparer;
import io.edgeplug.system.flow.Deadline;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The starts of containers with devices. They wait until the devices are scrubbed after others, their pods or claims are
 * noted as users, and the devices are prepared, and are frozen in the inventory meanwhile. Thread-safe.
 *
 * @param prepared notes them
 * @param objection why a device must be left alone, see {@link Preparations}
 */
record Starts(
        Monitor monitor,
        Uses uses,
        HolderReading reading,
        Releases releases,
        Preparer preparer,
        PreparedStarts prepared,
        Function<Device, Optional<String>> objection) {

    /** How often a start looks whether a scrub that was refused may begin now. */
    private static final Duration LOOK = Duration.ofMillis(500);

    /**
     * Prepares these devices at the same time, or joins preparations that run. Before that, traces of another pod are
     * scrubbed.
     *
     * @param recipe that of the class, with the choices of a claim
     * @param ids the kubelet's IDs: of the devices, or of shares
     * @param kubeletDir the directory of the kubelet that has noted the starting container
     * @param lost why the caller must not get a device any more, asked once no other process can change the device; the
     *     text continues a sentence about the device
     * @throws PrepareException if one could not be prepared, with a sentence that names it
     * @throws TimeoutException if one takes longer than the class allows, with a sentence that names it
     */
    void prepare(
            DeviceClass deviceClass,
            Recipe recipe,
            List<Device> devices,
            Set<String> ids,
            Path kubeletDir,
            Function<Device, Optional<String>> lost)
            throws PrepareException, TimeoutException, InterruptedException {
        Deadline deadline = Deadline.in(recipe.timeout());
        Map<Device, Set<String>> pods = deviceClass.tracksUse()
                ? awaitScrub(deviceClass, devices, ids, deadline)
                : starters().starting(deviceClass, devices, ids);
        expectInterfaces(deviceClass, recipe, pods);
        List<Preparation> all = devices.stream()
                .map(device -> preparer.prepare(device, recipe, pods.getOrDefault(device, Set.of()), () -> {
                    refuse(objection.apply(device).orElse(null));
                    refuse(lost.apply(device).orElse(null));
                    if (deviceClass.tracksUse()) {
                        note(deviceClass, device, kubeletDir, pods.getOrDefault(device, Set.of()));
                    }
                }))
                .toList();
        List<Preparation> late = await(all, deadline);
        if (!late.isEmpty()) {
            Preparation first = late.getFirst();
            throw new TimeoutException(
                    "Device %s of %s is not prepared after %d s: %s; the preparation goes on, and the next try waits for it."
                            .formatted(
                                    first.device().id(),
                                    deviceClass.resource(),
                                    recipe.timeout().toSeconds(),
                                    first.progress()));
        }
        for (Preparation one : all) {
            prepared.note(one.device());
            // Earlier containers may have had it unprepared, but the one that starts now has it prepared.
            custodian().tell(one.device().id(), new Event.Unprepared(Optional.empty(), "", System.nanoTime()));
            preparer.collect(one);
        }
    }

    /**
     * Returns the preparations that have not ended by the deadline.
     *
     * @throws PrepareException that of the first device that could not be prepared, once all others have ended or are late
     */
    private List<Preparation> await(List<Preparation> all, Deadline deadline)
            throws PrepareException, InterruptedException {
        PrepareException failed = null;
        List<Preparation> late = new ArrayList<>();
        for (Preparation one : all) {
            try {
                if (!one.await(deadline.left())) {
                    late.add(one);
                }
            } catch (PrepareException e) {
                // The next caller has it tried again.
                preparer.collect(one);
                failed = failed == null ? e : failed;
            }
        }
        late.forEach(this::reportIfStuck);
        late.forEach(preparer::passBy);
        if (failed != null) {
            throw failed;
        }
        return late;
    }

    private void expectInterfaces(DeviceClass deviceClass, Recipe recipe, Map<Device, Set<String>> users)
            throws PrepareException {
        if (recipe.movedInterface().isPresent()) {
            SortedMap<String, Guest> guests = starters().guests(deviceClass, users);
            preparer.interfaces().expect(guests, starters().heldBy(guests.values()), recipe);
        }
    }

    private static void refuse(@Nullable String text) throws IOException {
        if (text != null) {
            throw new IOException(text);
        }
    }

    private void tellLate(Device device, String progress) {
        custodian()
                .of(device.id())
                .work()
                .ifPresent(work -> custodian().tell(device.id(), new Event.Late(work.kind(), progress)));
    }

    /** Reports a device that the kernel may never release. */
    private void reportIfStuck(Preparation late) {
        if (!monitor.isFrozen(late.device())) {
            return;
        }
        if (late.isInKernel()) {
            tellLate(late.device(), "is being prepared: " + late.progress());
        } else if (late.device() instanceof PciDevice pci && preparer.isGivingBackDriver(pci)) {
            tellLate(late.device(), Releases.LATE);
        }
    }

    /**
     * Before a container starts: waits until its devices are scrubbed that another pod has used.
     *
     * @param ids the kubelet's IDs: of the devices, or of shares
     * @return by device, the UIDs of the users of which one starts
     * @throws PrepareException if one is not available, with a sentence that names it
     * @throws TimeoutException if that takes longer than the container's start waits
     */
    Map<Device, Set<String>> awaitScrub(
            DeviceClass deviceClass, List<Device> devices, Set<String> ids, Deadline deadline)
            throws PrepareException, TimeoutException, InterruptedException {
        Map<Device, Set<String>> users = new LinkedHashMap<>();
        Map<Device, Set<String>> starting = new LinkedHashMap<>();
        for (Device device : devices) {
            List<Noting> all = starters().of(deviceClass, device);
            users.put(device, Starters.uids(all));
            // Other users of a shared device may run.
            starting.put(
                    device,
                    Starters.uids(
                            all.stream().filter(one -> ids.contains(one.id())).toList()));
        }
        uses.readAgain();
        long begun = System.nanoTime();
        tell(starting, 1);
        try {
            for (Map.Entry<Device, Set<String>> one : users.entrySet()) {
                awaitScrub(deviceClass, one.getKey(), one.getValue(), begun, deadline);
            }
        } finally {
            tell(starting, -1);
        }
        return starting;
    }

    private void tell(Map<Device, Set<String>> users, int more) {
        users.forEach((device, uids) ->
                uids.forEach(uid -> custodian().tell(device.id(), new Event.Starting(uid, more, System.nanoTime()))));
    }

    private void awaitScrub(DeviceClass deviceClass, Device device, Set<String> uids, long begun, Deadline deadline)
            throws PrepareException, TimeoutException, InterruptedException {
        String id = device.id();
        String resource = deviceClass.resource().toString();
        while (!isReady(id, resource, uids)) {
            Optional<Duration> ignored = releases.follow(id, true);
            Optional<Trouble> failure = custodian()
                    .of(id)
                    .trouble()
                    .filter(one -> one.kind() == Trouble.Kind.OBSTACLE
                            || (one.kind() == Trouble.Kind.SCRUB && one.since() - begun > 0));
            if (failure.isPresent()) {
                throw new PrepareException(id, "it " + failure.orElseThrow().text());
            }
            if (deadline.isOver()) {
                throw late(deviceClass, id);
            }
            awaitChange(id, deadline);
        }
    }

    private void awaitChange(String id, Deadline deadline) throws InterruptedException {
        Custody seen = custodian().of(id);
        Deadline next = deadline.orEarlier(Deadline.in(LOOK));
        boolean ignored = custodian().await(() -> !custodian().of(id).equals(seen), next);
    }

    private boolean isReady(String id, String resource, Set<String> uids) {
        Custody now = custodian().of(id);
        return now.work().isEmpty() && now.isClearFor(resource, uids);
    }

    private TimeoutException late(DeviceClass deviceClass, String id) {
        String progress = releases.passBy(id);
        return new TimeoutException(
                "Device %s of %s is still being scrubbed after the pod that used it before: %s; that goes on, and the next try waits for it."
                        .formatted(id, deviceClass.resource(), progress));
    }

    /**
     * Notes that a container's pod uses a device from now on. Call it only while no other process can change the
     * device, because much may have happened during the wait.
     *
     * @param waited the users of which one started when it asked for the device
     * @throws IOException if it belongs to another pod now
     */
    void note(DeviceClass deviceClass, Device device, Path kubeletDir, Set<String> waited) throws IOException {
        Set<String> now;
        try {
            now = Starters.uids(starters().of(deviceClass, device));
        } catch (PrepareException e) {
            throw new IOException("is not available any more: " + e.problem(), e);
        }
        if (now.stream().noneMatch(waited::contains)) {
            throw new IOException("is another pod's now");
        }
        uses.note(device, deviceClass, now, kubeletDir);
    }

    private Starters starters() {
        return new Starters(reading, custodian());
    }

    private Custodian custodian() {
        return monitor.custodian();
    }
}
