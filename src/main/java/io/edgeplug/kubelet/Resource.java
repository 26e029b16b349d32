package io.edgeplug.kubelet;

import io.edgeplug.container.Allocation;
import io.edgeplug.device.Affinity;
import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.DeviceUnavailableException;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.inventory.Monitor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** One resource as the plugin sees it, before any version of the kubelet's API; answers at once, from any thread. */
record Resource(DeviceClass deviceClass, Monitor monitor) {

    ResourceName name() {
        return deviceClass.resource();
    }

    /** What the kubelet is to know now. */
    List<Advertised> list() {
        return Advertised.list(monitor.current(), deviceClass);
    }

    /**
     * What each of these containers gets with its devices.
     *
     * @throws DeviceUnavailableException if any cannot be given, or to two of them; all are then looked at again
     */
    List<Allocation> allocate(List<? extends Collection<String>> containers) throws DeviceUnavailableException {
        List<String> all = containers.stream().flatMap(Collection::stream).toList();
        if (containers.isEmpty()) {
            return List.of();
        }
        try {
            // a container that asks for nothing spoils the request as one that asks for too much does
            boolean oneIsEmpty = containers.stream().anyMatch(Collection::isEmpty);
            List<Device> given = monitor.handOut(name(), oneIsEmpty ? List.of() : all);
            List<Allocation> allocations = new ArrayList<>();
            for (Collection<String> ids : containers) {
                Set<String> own = Set.copyOf(ids);
                allocations.add(Allocation.of(
                        deviceClass,
                        given.stream()
                                .filter(device -> own.contains(device.id()))
                                .toList()));
            }
            return allocations;
        } catch (DeviceUnavailableException e) {
            all.forEach(monitor::lookAgain);
            throw e;
        }
    }

    /**
     * Which of the available devices a container had best be given: those that must be there, and others near them up
     * to {@code size}. IDs that are unknown come last, and there is always an answer, since an error would fail the pod.
     */
    List<String> prefer(Collection<String> available, Collection<String> must, int size) {
        Inventory inventory = monitor.current();
        Set<String> chosen = new LinkedHashSet<>(must);
        Affinity.choose(devices(inventory, available), devices(inventory, must), size, deviceClass.preference())
                .forEach(device -> chosen.add(device.id()));
        chosen.addAll(available);
        return chosen.stream()
                .limit(Math.max(Math.max(size, 0), new LinkedHashSet<>(must).size()))
                .toList();
    }

    private List<Device> devices(Inventory inventory, Collection<String> ids) {
        return ids.stream().flatMap(id -> inventory.device(name(), id).stream()).toList();
    }
}
