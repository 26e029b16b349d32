package io.edgeplug.device;

import java.util.List;

/**
 * An RDMA device as the kernel shows it; see Documentation/ABI/stable/sysfs-class-infiniband.
 *
 * @param name the kernel's, such as {@code mlx5_0}
 * @param nodeGuid in the kernel's form, {@code 248a:0703:00b4:7cd2}; empty if it does not report one
 * @param systemImageGuid of the whole adapter, in the same form
 * @param nodes the device nodes by which programs reach it, absolute and sorted
 */
public record RdmaDevice(
        String name, String nodeGuid, String systemImageGuid, List<RdmaPort> ports, List<String> nodes) {

    public RdmaDevice {
        ports = List.copyOf(ports);
        nodes = List.copyOf(nodes);
    }

    /** Unhealthy while a GUID is zero: an administrator must set those of a VF. */
    public Health health() {
        if (isZero(nodeGuid)) {
            return Health.unhealthy("its node GUID is zero: not configured yet");
        }
        return ports.stream().anyMatch(port -> isZero(port.guid()))
                ? Health.unhealthy("its port GUID is zero: not configured yet")
                : Health.HEALTHY;
    }

    private static boolean isZero(String guid) {
        return !guid.isEmpty() && guid.matches("[0:]*");
    }
}
