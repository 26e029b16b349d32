package io.edgeplug.lab.localkubelet;

import io.edgeplug.proto.v1beta1.Device;
import io.edgeplug.proto.v1beta1.NUMANode;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A device in its plugin's list.
 *
 * @param healthy whether its health is {@code Healthy}; any other word means unhealthy to the kubelet
 * @param numaNodes as sent, unchecked, so that -1 and repetitions are visible as the plugin's mistakes
 */
public record ListedDevice(String id, boolean healthy, List<Long> numaNodes) {

    public ListedDevice {
        numaNodes = List.copyOf(numaNodes);
    }

    static ListedDevice of(Device device) {
        List<NUMANode> nodes = device.getTopology().getNodesList();
        return new ListedDevice(
                device.getID(),
                device.getHealth().equals("Healthy"),
                // Almost all devices are near one node, and a stream for each of thousands takes a while.
                nodes.size() == 1
                        ? List.of(nodes.getFirst().getID())
                        : nodes.stream().map(NUMANode::getID).toList());
    }

    ListedDevice withHealth(boolean other) {
        return new ListedDevice(id, other, numaNodes);
    }

    @Override
    public String toString() {
        String nodes = numaNodes.stream().map(String::valueOf).collect(Collectors.joining(","));
        return id + (healthy ? "" : " (unhealthy)") + (nodes.isEmpty() ? "" : " on NUMA " + nodes);
    }

    /** The end of a line about these devices, for a person; empty if there are none. */
    static String text(List<ListedDevice> devices) {
        return devices.isEmpty()
                ? ""
                : ": " + devices.stream().map(ListedDevice::toString).collect(Collectors.joining(", "));
    }
}
