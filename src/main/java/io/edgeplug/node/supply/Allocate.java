package io.edgeplug.node.supply;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.rules.HandOver;
import io.edgeplug.node.container.Allocation;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.system.files.FarPathException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** One request for the devices of containers: an Allocate, or a part of a claim. */
final class Allocate {

    private final Resource resource;
    private final Supply supply;
    private final List<? extends Collection<String>> containers;
    private final HandOver most;

    /** A late answer may still hand devices over. This is forgotten as soon as the kubelet's notes show no holder. */
    private final AtomicBoolean isAnswered = new AtomicBoolean();

    /**
     * A request.
     *
     * @param containers the kubelet's IDs for each
     * @param most the newest way of handing over that the kubelet knows
     */
    Allocate(Resource resource, List<? extends Collection<String>> containers, HandOver most) {
        this.resource = resource;
        this.supply = resource.supply();
        this.containers = containers;
        this.most = most;
    }

    /** Answers by one of these: on this thread, or on another one if a look at files may hang. */
    void answer(Consumer<List<Allocation>> given, Consumer<DeviceUnavailableException> refused) {
        try {
            answer(false, given, refused);
        } catch (FarPathException e) {
            supply.lastLook().run(() -> answer(true, given, refused), late -> refuse(late, refused));
        }
    }

    private void answer(
            boolean mayWait, Consumer<List<Allocation>> given, Consumer<DeviceUnavailableException> refused) {
        List<Allocation> allocations;
        try {
            allocations = allocations(mayWait);
        } catch (DeviceUnavailableException e) {
            refuse(e, refused);
            return;
        }
        if (!isAnswered.getAndSet(true)) {
            if (resource.handsOver()) {
                supply.allocations().countDone();
                failures().wentWell(Failures.Kind.ALLOCATE, resource.name(), ids());
            }
            given.accept(allocations);
        }
    }

    private void refuse(DeviceUnavailableException why, Consumer<DeviceUnavailableException> refused) {
        if (!isAnswered.getAndSet(true)) {
            supply.allocations().countFailed();
            if (resource.handsOver()) {
                failures().failed(Failures.Kind.ALLOCATE, resource.name(), ids(), why);
            }
            refused.accept(why);
        }
    }

    private Failures failures() {
        return resource.preparations().failures();
    }

    private List<String> ids() {
        return containers.stream().<String>flatMap(Collection::stream).toList();
    }

    /**
     * What each of the containers gets.
     *
     * @throws DeviceUnavailableException if one cannot be given, or an ID is asked for twice; devices that cannot be
     *     given are looked at again
     * @throws FarPathException if a look may hang and it must not wait
     */
    List<Allocation> allocations(boolean mayWait) throws DeviceUnavailableException {
        List<Set<String>> wanted = new ArrayList<>();
        Set<String> all = new LinkedHashSet<>();
        Set<String> seen = new HashSet<>();
        for (Collection<String> ids : containers) {
            Set<String> own = devices(ids, seen);
            wanted.add(own);
            all.addAll(own);
        }
        try {
            List<Device> devices = supply.monitor().publication().fitDevices(resource.name(), all);
            GroupChoice.refuseSplit(supply.deviceClass(), devices, wanted);
            List<Equipment> equipment = supply.lastLook().equipment(devices, mayWait);
            List<Allocation> allocations = new ArrayList<>();
            for (Set<String> own : wanted) {
                allocations.add(allocation(
                        equipment.stream().filter(one -> own.contains(one.id())).toList()));
            }
            // Who has them is asked last: nobody holds a refused device, so it leaves the list when it is gone.
            if (resource.handsOver()) {
                List<Device> ignored = supply.monitor().publication().handOver(resource.name(), all, seen);
                containers.forEach(resource.noteGiven());
            } else {
                supply.monitor().publication().refuseUsed(resource.name(), all);
            }
            return allocations;
        } catch (DeviceUnavailableException e) {
            all.forEach(supply.monitor()::lookAgain);
            throw e;
        }
    }

    /** The devices that one container asks for. Its IDs are added to {@code seen}. */
    private Set<String> devices(Collection<String> ids, Set<String> seen) throws DeviceUnavailableException {
        if (ids.isEmpty()) {
            throw DeviceUnavailableException.none(resource.name());
        }
        if (supply.deviceClass().sharing().oneOnly() && ids.size() > 1) {
            throw DeviceUnavailableException.moreThanOneShare(resource.name(), List.copyOf(ids));
        }
        Set<String> devices = new LinkedHashSet<>();
        for (String id : ids) {
            devices.add(resource.shares()
                    .device(id)
                    .orElseThrow(() -> DeviceUnavailableException.notHere(resource.name(), id)));
            if (!seen.add(id)) {
                throw DeviceUnavailableException.twice(resource.name(), id);
            }
        }
        return devices;
    }

    private Allocation allocation(List<Equipment> given) throws DeviceUnavailableException {
        HandOver way = most == HandOver.CDI ? supply.deviceClass().container().handOver() : most;
        try {
            return Allocation.of(supply.deviceClass(), given, way);
        } catch (IllegalArgumentException e) {
            List<String> ids = given.stream().map(Equipment::id).toList();
            throw DeviceUnavailableException.notTogether(resource.name(), ids, "in it " + e.getMessage());
        }
    }
}
