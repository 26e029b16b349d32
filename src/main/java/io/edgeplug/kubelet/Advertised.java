package io.edgeplug.kubelet;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

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

    // lists of thousands are compared, and a record's own is several times slower
    @Override
    public boolean equals(Object other) {
        return other instanceof Advertised that
                && healthy == that.healthy
                && id.equals(that.id)
                && numaNodes.equals(that.numaNodes);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    /** Whether a device that was healthy is gone or no longer so: the kubelet must know before it hands it out. */
    static boolean isWorse(List<Advertised> before, List<Advertised> after) {
        Set<String> healthy = HashSet.newHashSet(after.size());
        for (Advertised one : after) {
            if (one.healthy()) {
                healthy.add(one.id());
            }
        }
        return before.stream().anyMatch(one -> one.healthy() && !healthy.contains(one.id()));
    }

    /** The whole list of a class's resource. */
    static List<Advertised> list(List<Device> devices, List<Integer> numaNodes, DeviceClass deviceClass) {
        List<Integer> everywhere =
                deviceClass.excludeTopology() ? List.of() : nodesOfTheRest(devices, deviceClass, numaNodes);
        List<Advertised> list = new ArrayList<>(devices.size());
        for (Device device : devices) {
            List<Integer> nodes = deviceClass.excludeTopology() ? List.of() : known(deviceClass.numaNodes(device));
            list.add(new Advertised(device.id(), device.health().isHealthy(), nodes.isEmpty() ? everywhere : nodes));
        }
        return list;
    }

    /** Those of these nodes that the kubelet can know; nearly always all of them. */
    private static List<Integer> known(List<Integer> nodes) {
        for (int node : nodes) {
            if (node >= MAX_NUMA_NODES) {
                return nodes.stream().filter(one -> one < MAX_NUMA_NODES).toList();
            }
        }
        return nodes;
    }

    /**
     * Either all devices of a resource have nodes or none has: next to one with nodes, the kubelet would find that one
     * without fits nowhere, so one without is said to be near them all.
     */
    private static List<Integer> nodesOfTheRest(List<Device> devices, DeviceClass deviceClass, List<Integer> online) {
        TreeSet<Integer> nodes = new TreeSet<>();
        List<Integer> last = List.of();
        for (Device device : devices) {
            List<Integer> own = deviceClass.numaNodes(device);
            // thousands of devices are near few nodes
            if (!own.equals(last)) {
                nodes.addAll(own);
                last = own;
            }
        }
        if (!nodes.isEmpty()) {
            nodes.addAll(online);
        }
        return known(List.copyOf(nodes));
    }
}
