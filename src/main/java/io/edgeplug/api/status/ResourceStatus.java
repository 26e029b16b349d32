package io.edgeplug.api.status;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.flow.Outcomes;
import java.util.List;

/**
 * One resource.
 *
 * @param isRegistered whether the kubelet has its devices
 * @param shares of each device in the kubelet's list
 * @param devices with the health for the kubelet
 * @param allocations how many were answered with devices, and how many were refused
 */
public record ResourceStatus(
        ResourceName name, boolean isRegistered, int shares, List<DeviceStatus> devices, Outcomes.Counts allocations) {

    public ResourceStatus {
        devices = List.copyOf(devices);
    }

    /** How many of its devices are in that state. */
    public int count(DeviceState state) {
        return Math.toIntExact(
                devices.stream().filter(device -> device.state() == state).count());
    }
}
