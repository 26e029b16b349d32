package io.edgeplug.convert;

import io.edgeplug.device.Device;
import io.edgeplug.linux.Sysfs;
import java.util.List;

/**
 * The node for which a configuration is converted. What a class must name and the other plugin finds out by itself, as the
 * kind of a device, is looked up here.
 *
 * @param devices all of the node's devices
 */
public record TargetNode(Sysfs sysfs, List<Device> devices) {

    public TargetNode {
        devices = List.copyOf(devices);
    }
}
