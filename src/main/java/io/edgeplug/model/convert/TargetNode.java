package io.edgeplug.model.convert;

import io.edgeplug.model.device.Device;
import io.edgeplug.system.files.Sysfs;
import java.util.List;

/**
 * The node for which a configuration is converted. It provides what a class must name and the other plugin finds by
 * itself, such as the kind of a device.
 *
 * @param devices all of the node's devices
 */
public record TargetNode(Sysfs sysfs, List<Device> devices) {

    public TargetNode {
        devices = List.copyOf(devices);
    }
}
