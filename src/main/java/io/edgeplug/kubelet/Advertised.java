package io.edgeplug.kubelet;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What the kubelet is told of one device, in whatever version of the API.
 *
 * @param numaNodes empty if it is not told of any
 */
record Advertised(String id, boolean healthy, List<Integer> numaNodes) {

    /** The kubelet's bit masks of nodes have no room for more. */
    private static final int MAX_NUMA_NODES = 64;

    Advertised {
        numaNodes = List.copyOf(numaNodes);
    }

    /** Whether a device that was healthy is gone or no longer so: the kubelet must know before it hands it out. */
    static boolean isWorse(List<Advertised> before, List<Advertised> after) {
        Set<String> healthy = healthy(after);
        return !healthy.containsAll(healthy(before));
    }

    private static Set<String> healthy(List<Advertised> list) {
        return list.stream().filter(Advertised::healthy).map(Advertised::id).collect(Collectors.toSet());
    }

    /** The whole list of a class's resource. */
    static List<Advertised> list(List<Device> devices, List<Integer> numaNodes, DeviceClass deviceClass) {
        List<Integer> everywhere =
                deviceClass.excludeTopology() ? List.of() : nodesOfTheRest(devices, deviceClass, numaNodes);
        return devices.stream()
                .map(device -> new Advertised(
                        device.id(), device.health().isHealthy(), nodes(device, deviceClass, everywhere)))
                .toList();
    }

    private static List<Integer> nodes(Device device, DeviceClass deviceClass, List<Integer> everywhere) {
        List<Integer> nodes = deviceClass.excludeTopology()
                ? List.of()
                : deviceClass.numaNodes(device).stream()
                        .filter(node -> node < MAX_NUMA_NODES)
                        .toList();
        return nodes.isEmpty() ? everywhere : nodes;
    }

    /**
     * Either all devices of a resource have nodes or none has: next to one with nodes, the kubelet would find that one
     * without fits nowhere, so one without is said to be near them all.
     */
    private static List<Integer> nodesOfTheRest(List<Device> devices, DeviceClass deviceClass, List<Integer> online) {
        TreeSet<Integer> nodes = new TreeSet<>();
        devices.forEach(device -> nodes.addAll(deviceClass.numaNodes(device)));
        if (!nodes.isEmpty()) {
            nodes.addAll(online);
        }
        return nodes.stream().filter(node -> node < MAX_NUMA_NODES).toList();
    }
}
