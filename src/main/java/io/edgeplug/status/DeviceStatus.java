package io.edgeplug.status;

import io.edgeplug.device.Device;
import java.util.List;

/**
 * One device of a resource.
 *
 * @param device with the health for the kubelet
 * @param holders the containers that have it, or shares of it, by the kubelet's notes
 */
public record DeviceStatus(Device device, List<Holder> holders, boolean isInPreparation) {

    public DeviceStatus {
        holders = List.copyOf(holders);
    }

    /** The one state in which it is counted. A problem comes before a preparation, and that before a holder. */
    public DeviceState state() {
        if (!device.health().isHealthy()) {
            return device.health().isWithheld() ? DeviceState.WITHHELD : DeviceState.UNHEALTHY;
        }
        return isInPreparation ? DeviceState.PREPARING : holders.isEmpty() ? DeviceState.FREE : DeviceState.HELD;
    }
}
