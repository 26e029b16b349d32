package io.edgeplug.node.supply;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.custody.Event.Noting;
import io.edgeplug.model.custody.Hold;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.prepare.Guest;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The users of devices whose containers start. */
record Starters(HolderReading reading, Custodian custodian) {

    /**
     * The users of a device of that class, one of which starts now.
     *
     * @throws PrepareException if the kubelet does not report one, or the device is held as another resource
     */
    List<Noting> of(DeviceClass deviceClass, Device device) throws PrepareException {
        String resource = deviceClass.resource().toString();
        List<Noting> own;
        try {
            own = reading.read().of(device.id(), resource);
        } catch (IOException e) {
            throw new PrepareException(device.id(), "it is not known which pod gets it: " + e.getMessage(), e);
        }
        Optional<Hold> other = custodian.of(device.id()).holds().values().stream()
                .filter(hold -> !hold.resource().equals(resource))
                .findFirst();
        if (deviceClass.isFace() && other.isPresent()) {
            throw new PrepareException(
                    device.id(),
                    "it is held as " + other.orElseThrow().resource() + " by "
                            + other.orElseThrow().user().name());
        }
        if (own.isEmpty()) {
            throw new PrepareException(device.id(), "the kubelet has not noted which pod gets it");
        }
        return own;
    }

    /** By device, the UIDs of the users that start; none if that cannot be read. */
    Map<Device, Set<String>> starting(DeviceClass deviceClass, List<Device> devices, Set<String> ids) {
        try {
            HolderReading.Holders all = reading.read();
            return devices.stream()
                    .collect(Collectors.toMap(
                            device -> device,
                            device -> uids(
                                    all.of(device.id(), deviceClass.resource().toString()).stream()
                                            .filter(one -> ids.contains(one.id()))
                                            .toList())));
        } catch (IOException e) {
            return Map.of();
        }
    }

    /** Who gets the devices with their network interfaces. */
    SortedMap<String, Guest> guests(DeviceClass deviceClass, Map<Device, Set<String>> users) throws PrepareException {
        SortedMap<String, Guest> guests = new TreeMap<>();
        for (Map.Entry<Device, Set<String>> one : users.entrySet()) {
            Set<String> pods = of(deviceClass, one.getKey()).stream()
                    .flatMap(noting -> noting.user().inPod().stream())
                    .map(User.Pod::uid)
                    .collect(Collectors.toSet());
            guests.put(one.getKey().id(), new Guest(one.getValue(), pods));
        }
        return guests;
    }

    /** The devices that the pods of these guests have. */
    Set<String> heldBy(Collection<Guest> guests) {
        Set<String> pods =
                guests.stream().flatMap(guest -> guest.pods().stream()).collect(Collectors.toSet());
        return custodian.all().stream()
                .filter(one -> one.holds().values().stream()
                        .flatMap(hold -> hold.user().inPod().stream())
                        .anyMatch(pod -> pods.contains(pod.uid())))
                .map(Custody::id)
                .collect(Collectors.toSet());
    }

    static Set<String> uids(List<Noting> users) {
        return users.stream().map(one -> one.user().uid()).collect(Collectors.toSet());
    }
}
