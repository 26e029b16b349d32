package io.edgeplug.status;

import io.edgeplug.device.Device;
import java.util.List;

/**
 * One device of a resource.
 *
 * @param device in the health that the kubelet is told
 * @param holders the containers that have it, or shares of it, by the kubelet's notes
 */
public record DeviceStatus(Device device, List<Holder> holders, boolean isInPreparation) {

    public DeviceStatus {
        holders = List.copyOf(holders);
    }

    /** The one state that it is counted in: what is wrong comes before what is done to it, and that before who has it. */
    public DeviceState state() {
        if (!device.health().isHealthy()) {
            return device.health().isWithheld() ? DeviceState.WITHHELD : DeviceState.UNHEALTHY;
        }
        return isInPreparation ? DeviceState.PREPARING : holders.isEmpty() ? DeviceState.FREE : DeviceState.HELD;
    }
}
