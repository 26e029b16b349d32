package io.edgeplug.dra;

import io.edgeplug.device.Device;
import io.edgeplug.device.Shares;
import io.edgeplug.rules.DeviceClass;
import java.util.ArrayList;
import java.util.List;

/**
 * A device as the cluster knows it: a whole device, or one of its shares.
 *
 * @param id the ID of the device or the share on this node
 */
record OfferedDevice(DeviceClass deviceClass, Device device, String id) {

    /** All devices of a class. One share of each device comes first, so that claims get shares of different devices. */
    static List<OfferedDevice> of(DeviceClass deviceClass, List<Device> devices, int shares) {
        Shares perDevice = new Shares(deviceClass.sharing().shares());
        List<List<String>> ids = devices.stream()
                .map(device -> perDevice.ids(device.id(), shares))
                .toList();
        List<OfferedDevice> all = new ArrayList<>();
        for (int share = 0; share < shares; share++) {
            for (int i = 0; i < devices.size(); i++) {
                all.add(new OfferedDevice(
                        deviceClass, devices.get(i), ids.get(i).get(share)));
            }
        }
        return all;
    }

    /** The name in its slice, which is unique on the node. */
    String name() {
        return DeviceNames.of(deviceClass, id);
    }
}
