package io.edgeplug.supply;

import io.edgeplug.container.Allocation;
import io.edgeplug.container.Equipment;
import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceUnavailableException;
import io.edgeplug.device.PrepareException;
import io.edgeplug.device.ResourceName;
import io.edgeplug.device.Shares;
import io.edgeplug.flow.Deadline;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.rules.ClaimChoice;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.rules.HandOver;
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
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
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
        // A late answer may still hand devices over. This is forgotten as soon as the kubelet's notes show no holder.
        AtomicBoolean isAnswered = new AtomicBoolean();
        Consumer<DeviceUnavailableException> refuse = why -> {
            if (!isAnswered.getAndSet(true)) {
                supply.allocations().countFailed();
                refused.accept(why);
            }
        };
        supply.lastLook()
                .run(
                        () -> {
                            try {
                                List<Allocation> allocations = allocate(containers, most);
                                if (!isAnswered.getAndSet(true)) {
                                    if (handsOver) {
                                        supply.allocations().countDone();
                                    }
                                    given.accept(allocations);
                                }
                            } catch (DeviceUnavailableException e) {
                                refuse.accept(e);
                            }
                        },
                        refuse);
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
        List<Set<String>> wanted = new ArrayList<>();
        Set<String> all = new LinkedHashSet<>();
        Set<String> seen = new HashSet<>();
        for (Collection<String> ids : containers) {
            Set<String> own = devices(ids, seen);
            wanted.add(own);
            all.addAll(own);
        }
        try {
            List<Device> devices = supply.monitor().available(name(), all);
            refuseSplitGroups(devices, wanted);
            List<Equipment> equipment = supply.lastLook().equipment(devices);
            List<Allocation> allocations = new ArrayList<>();
            for (Set<String> own : wanted) {
                allocations.add(allocation(
                        equipment.stream().filter(one -> own.contains(one.id())).toList(), most));
            }
            if (handsOver) {
                // This comes last: nobody holds a refused device, so it leaves the list when it is gone.
                List<Device> ignored = supply.monitor().handOver(name(), all);
                containers.forEach(noteGiven);
            }
            return allocations;
        } catch (DeviceUnavailableException e) {
            all.forEach(supply.monitor()::lookAgain);
            throw e;
        }
    }

    /** Whether devices are prepared before a container starts. */
    public boolean prepares() {
        return deviceClass().preparesStarts();
    }

    /**
     * Prepares a container's devices, and waits as long as the class allows.
     *
     * @throws DeviceUnavailableException if one is missing
     * @throws PrepareException if one could not be prepared; the message is a sentence
     * @throws TimeoutException if it takes longer; it goes on, and the next caller gets its result
     */
    public void prepare(Collection<String> ids)
            throws DeviceUnavailableException, PrepareException, TimeoutException, InterruptedException {
        if (!prepares()) {
            return;
        }
        Set<String> wanted = new LinkedHashSet<>(ids);
        refuseIfHeld(wanted);
        makeReady(wanted, ClaimChoice.NONE, device -> Optional.empty());
    }

    /**
     * Waits until devices that others have used are scrubbed and offered, for a caller that knows that nobody else holds
     * them. Then {@link #allocate} sees them as they are after the scrub, which may have changed their driver.
     *
     * @throws DeviceUnavailableException if one is missing, or its scrub has failed or hangs
     * @throws PrepareException if one cannot be scrubbed; the message is a sentence
     * @throws TimeoutException if it takes longer; it goes on, and the next caller gets its result
     */
    public void awaitScrub(Set<String> wanted, Deadline deadline)
            throws DeviceUnavailableException, PrepareException, TimeoutException, InterruptedException {
        if (!deviceClass().tracksUse()) {
            return;
        }
        List<Device> devices = devices(wanted);
        for (Device device : devices) {
            Optional<String> problem = supply.monitor().scrubProblem(device.id());
            if (problem.isPresent()) {
                throw DeviceUnavailableException.unhealthy(name(), device.id(), problem.orElseThrow());
            }
        }
        preparations.awaitScrub(deviceClass(), devices, kubeletDir, deadline);
        supply.monitor()
                .awaitOffered(name(), devices.stream().map(Device::id).collect(Collectors.toSet()), OFFERED_WITHIN);
    }

    private List<Device> devices(Set<String> wanted) throws DeviceUnavailableException {
        Inventory inventory = supply.monitor().current();
        Map<String, Device> here = byId(inventory);
        List<Device> devices = new ArrayList<>();
        for (String id : wanted) {
            devices.add(shares().device(id)
                    .flatMap(device -> Optional.ofNullable(here.get(device)))
                    .orElseThrow(() -> inventory.absence(name(), id)));
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
        List<Device> devices = devices(wanted);
        noteGiven.accept(wanted);
        preparations.prepare(deviceClass(), deviceClass().recipe().with(choice), devices, kubeletDir, lost);
        for (Device device : devices) {
            Optional<String> missing = supply.lastLook().missingAfterwards(device);
            if (missing.isPresent()) {
                throw DeviceUnavailableException.unfitAfterwards(name(), device.id(), missing.orElseThrow());
            }
        }
    }

    /** Offers a device again after its preparation has failed. */
    public void forgetFailure(String id) {
        supply.monitor().forgetFailure(id);
    }

    /**
     * The kubelet notes a container's devices before it starts, and has all of them prepared at each start. So if it
     * has noted one of these devices, but no container with exactly these, the call is not for the start of a
     * container. Notes that cannot be read name nobody.
     */
    private void refuseIfHeld(Set<String> ids) throws DeviceUnavailableException {
        Optional<HeldDevices.Holding> other;
        try {
            other = HeldDevices.read(kubeletDir).otherHolder(name(), ids);
        } catch (IOException e) {
            return;
        }
        if (other.isPresent()) {
            HeldDevices.Holding holder = other.orElseThrow();
            throw DeviceUnavailableException.held(name(), holder.id(), holder.container(), holder.pod());
        }
    }

    private Map<String, Device> byId(Inventory inventory) {
        Map<String, Device> devices = new HashMap<>();
        inventory.devices(name()).forEach(device -> devices.put(device.id(), device));
        return devices;
    }

    /** The devices that one container asks for. Its IDs are added to {@code seen}. */
    private Set<String> devices(Collection<String> ids, Set<String> seen) throws DeviceUnavailableException {
        if (ids.isEmpty()) {
            throw DeviceUnavailableException.none(name());
        }
        if (deviceClass().sharing().oneOnly() && ids.size() > 1) {
            throw DeviceUnavailableException.moreThanOneShare(name(), List.copyOf(ids));
        }
        Set<String> devices = new LinkedHashSet<>();
        for (String id : ids) {
            devices.add(shares().device(id).orElseThrow(() -> DeviceUnavailableException.notHere(name(), id)));
            if (!seen.add(id)) {
                throw DeviceUnavailableException.twice(name(), id);
            }
        }
        return devices;
    }

    /** Two containers of one request would get the same VFIO group, which only the first could open. */
    private void refuseSplitGroups(List<Device> devices, List<Set<String>> containers)
            throws DeviceUnavailableException {
        Map<Integer, Device> first = new HashMap<>();
        for (Device device : devices) {
            OptionalInt group = deviceClass().vfioGroup(device);
            if (group.isEmpty()) {
                continue;
            }
            Device mate = first.putIfAbsent(group.getAsInt(), device);
            if (mate != null
                    && containers.stream().anyMatch(ids -> ids.contains(mate.id()) != ids.contains(device.id()))) {
                throw DeviceUnavailableException.unhealthy(
                        name(),
                        device.id(),
                        "its IOMMU group " + group.getAsInt() + " is in use: a container of the same request gets "
                                + mate.id());
            }
        }
    }

    private Allocation allocation(List<Equipment> given, HandOver most) throws DeviceUnavailableException {
        HandOver way = most == HandOver.CDI ? deviceClass().container().handOver() : most;
        try {
            return Allocation.of(deviceClass(), given, way);
        } catch (IllegalArgumentException e) {
            List<String> ids = given.stream().map(Equipment::id).toList();
            throw DeviceUnavailableException.notTogether(name(), ids, "in it " + e.getMessage());
        }
    }

    /**
     * The IDs that a container should get: those in {@code must}, and others up to {@code size}, as {@link GroupChoice}
     * and {@link ShareChoice} decide. Unknown IDs come last. There is always an answer, because an error would fail the
     * pod.
     */
    public List<String> prefer(Collection<String> available, Collection<String> must, int size) {
        Map<String, Device> devices = byId(supply.monitor().current());
        Map<String, Device> known = new HashMap<>();
        Stream.concat(available.stream(), must.stream())
                .forEach(id -> shares().device(id).map(devices::get).ifPresent(device -> known.put(id, device)));
        // Shares of a device are for several containers, and are never a VFIO group.
        Set<String> chosen = deviceClass().sharing().isShared()
                ? ShareChoice.choose(known, available, must, size, deviceClass().preference())
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
