package io.edgeplug.lab.localkubelet;

import io.edgeplug.lab.localkubelet.KubeletEvent.DeviceHealth;
import io.edgeplug.lab.localkubelet.KubeletEvent.PodStatus;
import io.edgeplug.model.device.ResourceName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The health of pods' devices in their status. It follows genericDeviceUpdateCallback and
 * UpdateAllocatedResourcesStatus in manager.go.
 *
 * <p>Only lists count: a device that is not listed is healthy, even after its plugin's stream has ended.
 *
 * @param byResource whether a device is looked up only among those of its own resource
 */
record PodHealth(PodDevices pods, Map<ResourceName, ResourceEntry> entries, boolean byResource) {

    /**
     * The status of each pod with a device whose health differs from the list before, or that was not in it.
     *
     * @param before the devices of that list by their IDs
     */
    List<PodStatus> changed(ResourceName resource, Map<String, ListedDevice> before) {
        Set<String> changed = new TreeSet<>();
        pods.holders(other -> !byResource || other.equals(resource))
                .forEach((id, pod) -> device(resource, id)
                        .filter(device -> !isAsBefore(device, before))
                        .ifPresent(device -> changed.add(pod)));
        return changed.stream()
                .flatMap(pod -> pods.pod(pod).stream())
                .map(this::status)
                .toList();
    }

    private static boolean isAsBefore(ListedDevice device, Map<String, ListedDevice> before) {
        return Optional.ofNullable(before.get(device.id()))
                .filter(old -> old.healthy() == device.healthy())
                .isPresent();
    }

    private PodStatus status(Pod pod) {
        List<DeviceHealth> devices = new ArrayList<>();
        pod.containers()
                .forEach(container -> container
                        .devices()
                        .forEach((resource, ids) -> ids.forEach(id -> devices.add(
                                new DeviceHealth(container.name(), resource, id, isHealthy(resource, id))))));
        return new PodStatus(pod.name(), devices);
    }

    private boolean isHealthy(ResourceName resource, String id) {
        return device(resource, id).map(ListedDevice::healthy).orElse(true);
    }

    private Optional<ListedDevice> device(ResourceName resource, String id) {
        return Optional.ofNullable(entries.get(resource)).flatMap(entry -> entry.device(id));
    }
}
