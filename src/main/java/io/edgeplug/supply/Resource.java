package io.edgeplug.supply;

import io.edgeplug.container.Allocation;
import io.edgeplug.container.Equipment;
import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceUnavailableException;
import io.edgeplug.device.PrepareException;
import io.edgeplug.device.ResourceName;
import io.edgeplug.device.Shares;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.rules.ClaimChoice;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.rules.HandOver;
import java.io.IOException;
import java.nio.file.Path;
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
import java.util.stream.Stream;

/**
 * One resource as the plugin sees it, before any version of the kubelet's API; answers at once, from any thread, except
 * where it says otherwise.
 *
 * @param kubeletDir where the kubelet notes who holds what
 * @param handsOver whether what is allocated counts as held by a container from then on
 * @param noteGiven told the IDs, as the kubelet knows them, that a container is given or has made ready; returns at once
 */
public record Resource(
        Supply supply,
        Preparations preparations,
        Path kubeletDir,
        boolean handsOver,
        Consumer<Collection<String>> noteGiven) {

    public Resource(Supply supply, Preparations preparations, Path kubeletDir, Consumer<Collection<String>> noteGiven) {
        this(supply, preparations, kubeletDir, true, noteGiven);
    }

    /** The same, for who only rehearses. */
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
     * Tells what each of these containers gets with its devices, as {@link #allocate(List, HandOver)} does: here and now,
     * unless files are where a look may hang, and then by a thread that may. Either is told once.
     *
     * @param given told what they get
     * @param refused told why they get nothing
     */
    public void allocate(
            List<? extends Collection<String>> containers,
            HandOver most,
            Consumer<List<Allocation>> given,
            Consumer<DeviceUnavailableException> refused) {
        // what is too late may still hand over, which is forgotten as soon as the kubelet turns out to have noted
        // nobody
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
     * What each of these containers gets with its devices, each of which it gets once, however many shares it has. Waits
     * if files are where a look may hang.
     *
     * @param most the way of handing over that the kubelet knows last: names, if it knows of those
     * @throws DeviceUnavailableException if any cannot be given, or an ID is asked for twice; devices that cannot be
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
                // last, for a device that is refused is held by nobody, and leaves the list when it is gone
                List<Device> ignored = supply.monitor().handOver(name(), all);
                containers.forEach(noteGiven);
            }
            return allocations;
        } catch (DeviceUnavailableException e) {
            all.forEach(supply.monitor()::lookAgain);
            throw e;
        }
    }

    /** Whether devices are to be prepared before a container starts. */
    public boolean prepares() {
        return deviceClass().preparesStarts();
    }

    /**
     * Prepares a container's devices, and waits for it as long as the class says.
     *
     * @throws DeviceUnavailableException if one is not there
     * @throws PrepareException if one could not be prepared; the message is a sentence
     * @throws TimeoutException if it takes longer; it goes on, and who asks again gets its result
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
     * The same, for who knows that nobody else holds them.
     *
     * @param choice what was chosen of what the recipe says
     * @param lost why a device is not for whoever asks any more, asked once nobody else can do anything to it; the text goes
     *     on after the device
     */
    public void makeReady(Set<String> wanted, ClaimChoice choice, Function<Device, Optional<String>> lost)
            throws DeviceUnavailableException, PrepareException, TimeoutException, InterruptedException {
        if (!prepares()) {
            return;
        }
        Inventory inventory = supply.monitor().current();
        Map<String, Device> here = byId(inventory);
        List<Device> devices = new ArrayList<>();
        for (String id : wanted) {
            devices.add(shares().device(id)
                    .flatMap(device -> Optional.ofNullable(here.get(device)))
                    .orElseThrow(() -> inventory.absence(name(), id)));
        }
        noteGiven.accept(wanted);
        preparations.prepare(deviceClass(), deviceClass().recipe().with(choice), devices, kubeletDir, lost);
        for (Device device : devices) {
            Optional<String> missing = supply.lastLook().missingAfterwards(device);
            if (missing.isPresent()) {
                throw DeviceUnavailableException.unfitAfterwards(name(), device.id(), missing.orElseThrow());
            }
        }
    }

    /** A device that could not be prepared as it was asked for is offered again. */
    public void forgetFailure(String id) {
        supply.monitor().forgetFailure(id);
    }

    /**
     * The kubelet notes a container's devices before it starts, and has them all prepared at each of its starts. So if it
     * has noted any of these and no container with just these, this is no start of a container. Notes that cannot be read
     * name nobody.
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

    /** The devices that one container asks for; what it asks for is added to {@code seen}. */
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

    /** Two containers of one request would have the same VFIO group, which only the first could open. */
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
     * Which of the available IDs a container had best be given: those that must be there, and others up to {@code size},
     * as {@link GroupChoice} and {@link ShareChoice} say. IDs that are unknown come last, and there is always an answer, since an error would
     * fail the pod.
     */
    public List<String> prefer(Collection<String> available, Collection<String> must, int size) {
        Map<String, Device> devices = byId(supply.monitor().current());
        Map<String, Device> known = new HashMap<>();
        Stream.concat(available.stream(), must.stream())
                .forEach(id -> shares().device(id).map(devices::get).ifPresent(device -> known.put(id, device)));
        // shares of a device are for several containers, and no VFIO group is
        Set<String> chosen = deviceClass().sharing().isShared()
                ? ShareChoice.choose(known, available, must, size, deviceClass().preference())
                : GroupChoice.choose(deviceClass(), known, available, must, size);
        int wanted = Math.max(size, new HashSet<>(must).size());
        return Stream.concat(chosen.stream(), available.stream())
                .distinct()
                .limit(wanted)
                .toList();
    }

    private Shares shares() {
        return new Shares(deviceClass().sharing().shares());
    }
}
