package io.edgeplug.kubelet;

import io.edgeplug.container.Allocation;
import io.edgeplug.container.Equipment;
import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.HandOver;
import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.DeviceUnavailableException;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.prepare.PrepareException;
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
import java.util.stream.Stream;

/**
 * One resource as the plugin sees it, before any version of the kubelet's API; answers at once, from any thread, except
 * where it says otherwise.
 */
record Resource(Supply supply, Preparations preparations) {

    DeviceClass deviceClass() {
        return supply.deviceClass();
    }

    ResourceName name() {
        return supply.resource();
    }

    /**
     * What each of these containers gets with its devices, each of which it gets once, however many shares it has.
     *
     * @param most the way of handing over that the kubelet knows last: names, if it knows of those
     * @throws DeviceUnavailableException if any cannot be given, or an ID is asked for twice; devices that cannot be
     *     given are looked at again
     */
    List<Allocation> allocate(List<? extends Collection<String>> containers, HandOver most)
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
            List<Equipment> given = supply.equipment(supply.monitor().available(name(), all));
            List<Allocation> allocations = new ArrayList<>();
            for (Set<String> own : wanted) {
                allocations.add(allocation(
                        given.stream().filter(one -> own.contains(one.id())).toList(), most));
            }
            // last, for a device that is refused is held by nobody, and leaves the list when it is gone
            List<Device> ignored = supply.monitor().handOut(name(), all);
            return allocations;
        } catch (DeviceUnavailableException e) {
            all.forEach(supply.monitor()::lookAgain);
            throw e;
        }
    }

    /** Whether devices are to be prepared before a container starts. */
    boolean prepares() {
        return !deviceClass().recipe().isEmpty();
    }

    /**
     * Prepares a container's devices, and waits for it as long as the class says.
     *
     * @throws DeviceUnavailableException if one is not there
     * @throws PrepareException if one could not be prepared; the message is a sentence
     * @throws TimeoutException if it takes longer; it goes on, and who asks again gets its result
     */
    void prepare(Collection<String> ids)
            throws DeviceUnavailableException, PrepareException, TimeoutException, InterruptedException {
        if (!prepares()) {
            return;
        }
        Inventory inventory = supply.monitor().current();
        List<Device> devices = new ArrayList<>();
        for (String id : ids) {
            devices.add(shares().device(id)
                    .flatMap(device -> inventory.device(name(), device))
                    .orElseThrow(() -> inventory.absence(name(), id)));
        }
        preparations.prepare(deviceClass(), devices);
        for (Device device : devices) {
            Optional<String> missing = supply.missingAfterwards(device);
            if (missing.isPresent()) {
                throw DeviceUnavailableException.unfitAfterwards(name(), device.id(), missing.orElseThrow());
            }
        }
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
     * as {@link ShareChoice} says. IDs that are unknown come last, and there is always an answer, since an error would
     * fail the pod.
     */
    List<String> prefer(Collection<String> available, Collection<String> must, int size) {
        Map<String, Device> devices = new HashMap<>();
        supply.monitor().current().devices(name()).forEach(device -> devices.put(device.id(), device));
        Map<String, Device> known = new HashMap<>();
        Stream.concat(available.stream(), must.stream())
                .forEach(id -> shares().device(id).map(devices::get).ifPresent(device -> known.put(id, device)));
        Set<String> chosen =
                ShareChoice.choose(known, available, must, size, deviceClass().preference());
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
