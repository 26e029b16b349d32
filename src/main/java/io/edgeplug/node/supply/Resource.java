package io.edgeplug.node.supply;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.device.IdentifiedNode;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.Shares;
import io.edgeplug.model.rules.ClaimChoice;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.HandOver;
import io.edgeplug.node.container.Allocation;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.system.flow.Deadline;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One resource for the plugin, independent of the versions of the kubelet's API. Any thread may call it, and unless a
 * method says otherwise, it answers at once.
 *
 * @param kubeletDir where the kubelet notes the holders of devices
 * @param handsOver whether a container holds what is allocated from then on
 * @param noteGiven gets the kubelet's IDs of devices that are given to a container or prepared for one; returns at once
 */
public record Resource(
        Supply supply,
        Preparations preparations,
        Path kubeletDir,
        boolean handsOver,
        Consumer<Collection<String>> noteGiven) {

    /** A device that was scrubbed settles within two seconds. */
    private static final Duration OFFERED_WITHIN = Duration.ofSeconds(3);

    public Resource(Supply supply, Preparations preparations, Path kubeletDir, Consumer<Collection<String>> noteGiven) {
        this(supply, preparations, kubeletDir, true, noteGiven);
    }

    /** The same for a rehearsal, after which no container holds anything. */
    public Resource handingNothingOver() {
        return new Resource(supply, preparations, kubeletDir, false, noteGiven);
    }

    public DeviceClass deviceClass() {
        return supply.deviceClass();
    }

    public ResourceName name() {
        return deviceClass().resource();
    }

    /**
     * Reports what each of these containers gets, as {@link #allocate(List, HandOver)} does: on this thread, or on
     * another one if a look at files may hang. Exactly one of the two callbacks runs.
     *
     * @param given gets what they get
     * @param refused gets the reason why they get nothing
     */
    public void allocate(
            List<? extends Collection<String>> containers,
            HandOver most,
            Consumer<List<Allocation>> given,
            Consumer<DeviceUnavailableException> refused) {
        new Allocate(this, containers, most).answer(given, refused);
    }

    /**
     * What each of these containers gets with its devices. A container gets a device once, however many shares it has.
     * Waits if a look at files may hang.
     *
     * @param most the newest way of handing over that the kubelet knows: names, if it knows CDI
     * @throws DeviceUnavailableException if one cannot be given, or an ID is asked for twice; devices that cannot be
     *     given are looked at again
     */
    public List<Allocation> allocate(List<? extends Collection<String>> containers, HandOver most)
            throws DeviceUnavailableException {
        return new Allocate(this, containers, most).allocations(true);
    }

    /** Whether devices are prepared before a container starts. */
    public boolean prepares() {
        return deviceClass().preparesStarts();
    }

    /**
     * Whether the kubelet is to ask before each start of a container: there are steps, or the paths that the container was
     * given may lead to another device by then.
     */
    public boolean checksStarts() {
        return prepares()
                || switch (deviceClass().kind()) {
                    case USB, HCA -> true;
                    case PATH -> !deviceClass().files().isFixed(supply.current().devices());
                    case VF, SF, NIC, FPGA, PCI -> false;
                };
    }

    /**
     * Prepares a container's devices, and waits as long as the class allows. Refuses if a device is another one than
     * the container was given.
     *
     * @throws DeviceUnavailableException if one is missing
     * @throws PrepareException if one could not be prepared; the message is a sentence
     * @throws TimeoutException if it takes longer; it goes on, and the next caller gets its result
     */
    public void prepare(Collection<String> ids)
            throws DeviceUnavailableException, PrepareException, TimeoutException, InterruptedException {
        Set<String> wanted = new LinkedHashSet<>(ids);
        try {
            noteGiven.accept(wanted);
            if (prepares()) {
                refuseIfHeld(wanted);
            }
            refuseIfAnother(wanted);
            if (prepares()) {
                prepare(wanted, ClaimChoice.NONE, device -> Optional.empty());
            }
            if (deviceClass().recipe().movedInterface().isPresent()) {
                supply.tellInterfaces(devices(wanted));
            }
            preparations.failures().wentWell(Failures.Kind.START, name(), wanted);
        } catch (DeviceUnavailableException | PrepareException | TimeoutException e) {
            preparations.failures().failed(Failures.Kind.START, name(), wanted, e);
            throw e;
        }
    }

    /** A container that starts again gets the paths that it was given at first, also if they lead elsewhere now. */
    private void refuseIfAnother(Set<String> wanted) throws DeviceUnavailableException {
        for (Device device : devices(wanted)) {
            List<IdentifiedNode> given = preparations.nodes.given(device.id());
            if (given.isEmpty() && device.identities().isEmpty()) {
                continue;
            }
            Optional<String> problem = device.health().isNamed()
                    ? device.changeSince(given).or(() -> changedFiles(device))
                    : device.health().problem();
            if (problem.isPresent()) {
                supply.monitor().lookAgain(device.id());
                throw DeviceUnavailableException.unhealthy(name(), device.id(), problem.orElseThrow());
            }
        }
        preparations.nodes.add();
    }

    /** Of a function, the steps of its recipe may make nodes that are missing before. */
    private Optional<String> changedFiles(Device device) {
        return device instanceof PciDevice
                ? Optional.empty()
                : supply.lastLook().changed(device);
    }

    /**
     * Waits until devices that others have used are scrubbed and offered, for a caller that knows that nobody else holds
     * them. Then {@link #allocate} sees them as they are after the scrub, which may have changed their driver.
     *
     * @throws DeviceUnavailableException if one is missing
     * @throws PrepareException if one cannot be scrubbed; the message is a sentence
     * @throws TimeoutException if it takes longer; it goes on, and the next caller gets its result
     */
    public void awaitScrub(Set<String> wanted, Deadline deadline)
            throws DeviceUnavailableException, PrepareException, TimeoutException, InterruptedException {
        if (!deviceClass().tracksUse()) {
            return;
        }
        List<Device> devices = devices(wanted);
        Map<Device, Set<String>> ignored = preparations.starts.awaitScrub(deviceClass(), devices, wanted, deadline);
        supply.monitor()
                .awaitOffered(name(), devices.stream().map(Device::id).collect(Collectors.toSet()), OFFERED_WITHIN);
    }

    /** Whether somebody else has a device or a share of it than the user with that UID. */
    public boolean isHeldByOthers(String device, String uid) {
        return supply.monitor().custodian().of(device).holds().values().stream()
                .anyMatch(hold -> !hold.user().uid().equals(uid));
    }

    private List<Device> devices(Set<String> wanted) throws DeviceUnavailableException {
        List<Device> devices = new ArrayList<>();
        for (String id : wanted) {
            devices.add(device(id).orElseThrow(() -> supply.monitor().current().absence(name(), id)));
        }
        return devices;
    }

    /**
     * Prepares a container's devices as {@link #prepare} does, for a caller that knows that nobody else holds them.
     *
     * @param choice the settings that a claim has chosen
     * @param lost why the caller must not get a device any more, asked once no other process can change the device; the
     *     text continues a sentence about the device
     */
    public void makeReady(Set<String> wanted, ClaimChoice choice, Function<Device, Optional<String>> lost)
            throws DeviceUnavailableException, PrepareException, TimeoutException, InterruptedException {
        if (!prepares()) {
            return;
        }
        noteGiven.accept(wanted);
        prepare(wanted, choice, lost);
    }

    private void prepare(Set<String> wanted, ClaimChoice choice, Function<Device, Optional<String>> lost)
            throws DeviceUnavailableException, PrepareException, TimeoutException, InterruptedException {
        List<Device> devices = devices(wanted);
        preparations.starts.prepare(
                deviceClass(), deviceClass().recipe().with(choice), devices, wanted, kubeletDir, lost);
        for (Device device : devices) {
            Optional<String> missing = supply.lastLook().missingAfterwards(device);
            if (missing.isPresent()) {
                throw DeviceUnavailableException.unfitAfterwards(name(), device.id(), missing.orElseThrow());
            }
        }
    }

    /**
     * The kubelet notes a container's devices before it starts, and has all of them prepared at each start. So if it
     * has noted one of these devices, but no container with exactly these, the call is not for the start of a
     * container. Notes that cannot be read name nobody.
     */
    private void refuseIfHeld(Set<String> ids) throws DeviceUnavailableException {
        Optional<HeldDevices.Holding> other;
        try {
            other = preparations.reading.read().held().otherHolder(name(), ids);
        } catch (IOException e) {
            return;
        }
        if (other.isPresent()) {
            HeldDevices.Holding holder = other.orElseThrow();
            throw DeviceUnavailableException.held(name(), holder.id(), holder.container(), holder.pod());
        }
    }

    /** The device that an ID of the kubelet belongs to; empty if this resource has none. */
    private Optional<Device> device(String id) {
        return shares().device(id)
                .flatMap(whole -> supply.monitor().items(whole).stream()
                        .filter(item -> item.resource().equals(Optional.of(name())))
                        .map(Item::device)
                        .findFirst());
    }

    /**
     * The IDs that a container should get: those in {@code must}, and others up to {@code size}, as {@link GroupChoice}
     * and {@link ShareChoice} decide. Unknown IDs come last. There is always an answer, because an error would fail the
     * pod.
     */
    public List<String> prefer(Collection<String> available, Collection<String> must, int size) {
        Map<String, Device> known = new HashMap<>();
        Stream.concat(available.stream(), must.stream())
                .forEach(id -> device(id).ifPresent(device -> known.put(id, device)));
        // Shares of a device are for several containers, and are never a VFIO group.
        Set<String> chosen = deviceClass().sharing().isShared()
                ? ShareChoice.choose(
                        known, available, must, size, deviceClass().placement().preference())
                : GroupChoice.choose(deviceClass(), known, available, must, size);
        int wanted = Math.max(size, new HashSet<>(must).size());
        return Stream.concat(chosen.stream(), available.stream())
                .distinct()
                .limit(wanted)
                .toList();
    }

    /** The IDs of its devices for the kubelet. */
    public Shares shares() {
        return new Shares(deviceClass().sharing().shares());
    }
}
