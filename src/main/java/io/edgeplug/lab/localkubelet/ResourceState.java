package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The kubelet's state of one resource at one moment.
 *
 * @param known whether it was ever listed, or a checkpoint names it; otherwise the node does not have it
 * @param endpoint the file name of its plugin's socket; empty once the kubelet has noticed the end of the plugin's
 *     stream
 * @param devices in the order of their IDs; an ID that is listed both healthy and unhealthy is here twice, as the
 *     kubelet counts it
 * @param allocated IDs that pods hold, listed or not
 */
public record ResourceState(
        ResourceName resource,
        boolean known,
        Optional<String> endpoint,
        List<ListedDevice> devices,
        SortedSet<String> allocated) {

    public ResourceState {
        devices = List.copyOf(devices);
        allocated = Collections.unmodifiableSortedSet(new TreeSet<>(allocated));
    }

    /** Whether a plugin serves it now. */
    public boolean registered() {
        return endpoint.isPresent();
    }

    /** How many devices the node's status shows. */
    public int capacity() {
        return devices.size();
    }

    /** How many of them are healthy, whether a pod holds them or not. */
    public int allocatable() {
        return (int) devices.stream().filter(ListedDevice::healthy).count();
    }

    /** One line for a person. */
    public String text() {
        return "%s %s, %d of %d devices healthy, %d allocated%s"
                .formatted(
                        resource,
                        endpoint.map(socket -> "registered on " + socket)
                                .orElse(known ? "has no plugin" : "is unknown"),
                        allocatable(),
                        capacity(),
                        allocated.size(),
                        ListedDevice.text(devices));
    }
}
