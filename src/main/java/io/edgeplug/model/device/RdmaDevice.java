package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;

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

    /** What is wrong with a device that needs its node GUID. */
    public static final String NO_NODE_GUID = "its node GUID is zero: not configured yet";

    public RdmaDevice {
        ports = List.copyOf(ports);
        nodes = List.copyOf(nodes);
    }

    /**
     * Unhealthy while a GUID is zero: an administrator must set those of a VF. With Ethernet, all but the connection
     * manager works without a node GUID, so that is left to the class.
     */
    public Health health() {
        if (hasNoNodeGuid() && !isEthernet()) {
            return Health.unhealthy(NO_NODE_GUID);
        }
        return ports.stream().anyMatch(port -> isZero(port.guid()))
                ? Health.unhealthy("its port GUID is zero: not configured yet")
                : Health.HEALTHY;
    }

    /** Whether its node GUID is zero, as that of a VF whose MAC address nobody has set. */
    public boolean hasNoNodeGuid() {
        return isZero(nodeGuid);
    }

    private boolean isEthernet() {
        return !ports.isEmpty()
                && ports.stream().allMatch(port -> port.linkType().equals(Optional.of("ether")));
    }

    private static boolean isZero(String guid) {
        return !guid.isEmpty() && guid.matches("[0:]*");
    }
}
