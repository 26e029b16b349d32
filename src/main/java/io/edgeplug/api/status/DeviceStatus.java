package io.edgeplug.api.status;

import io.edgeplug.model.device.Device;
import java.util.List;

/**
 * One device of a resource.
 *
 * @param device with the health for the kubelet
 * @param holders the containers that have it, or shares of it, by the kubelet's notes
 * @param heldShares how many of its shares they have; 1 if it is held and not shared
 * @param areHoldersKnown whether these are all containers that have it
 * @param isStuck whether it is withheld, and does not come back by itself soon
 */
public record DeviceStatus(
        Device device,
        List<Holder> holders,
        int heldShares,
        boolean isInPreparation,
        boolean areHoldersKnown,
        boolean isStuck) {

    public DeviceStatus {
        holders = List.copyOf(holders);
    }

    /** The one state in which it is counted. A problem comes before a preparation, and that before a holder. */
    public DeviceState state() {
        if (!device.health().isHealthy()) {
            return device.health().isWithheld() ? DeviceState.WITHHELD : DeviceState.UNHEALTHY;
        }
        if (isInPreparation) {
            return DeviceState.PREPARING;
        }
        return !holders.isEmpty() ? DeviceState.HELD : areHoldersKnown ? DeviceState.FREE : DeviceState.UNKNOWN;
    }
}
