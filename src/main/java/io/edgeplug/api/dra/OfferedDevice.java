package io.edgeplug.api.dra;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.DeviceClass;
import java.util.Optional;

/**
 * A device as the cluster knows it: a whole device, a device with a capacity of shares, or one of its shares.
 *
 * @param id the ID of the device or the share on this node
 * @param capacity the shares that several claims can consume of it; empty if one claim gets it
 * @param used how many of its shares claims have
 * @param isLeft whether it is listed only because a claim has it, which got it when shares had another form
 */
record OfferedDevice(
        DeviceClass deviceClass, Device device, String id, Optional<ShareCapacity> capacity, int used, boolean isLeft) {

    /** A device that one claim gets, or a share of one. */
    OfferedDevice(DeviceClass deviceClass, Device device, String id) {
        this(deviceClass, device, id, Optional.empty(), 0, false);
    }

    /** The name in its slice, which is unique on the node. */
    String name() {
        return DeviceNames.of(deviceClass, id);
    }
}
