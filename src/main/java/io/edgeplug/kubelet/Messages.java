package io.edgeplug.kubelet;

import io.edgeplug.container.Allocation;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import io.edgeplug.proto.v1beta1.Device;
import io.edgeplug.proto.v1beta1.DeviceSpec;
import io.edgeplug.proto.v1beta1.ListAndWatchResponse;
import io.edgeplug.proto.v1beta1.Mount;
import io.edgeplug.proto.v1beta1.NUMANode;
import io.edgeplug.proto.v1beta1.TopologyInfo;
import java.util.List;

/** Our values as messages of v1beta1. */
final class Messages {

    private Messages() {}

    /** The whole list, as each message of ListAndWatch is. */
    static ListAndWatchResponse list(List<io.edgeplug.device.Device> devices) {
        ListAndWatchResponse.Builder list = ListAndWatchResponse.newBuilder();
        devices.forEach(device -> list.addDevices(message(device)));
        return list.build();
    }

    static ContainerAllocateResponse container(Allocation allocation) {
        ContainerAllocateResponse.Builder container =
                ContainerAllocateResponse.newBuilder().putAllEnvs(allocation.env());
        for (Allocation.Node node : allocation.nodes()) {
            container.addDevices(DeviceSpec.newBuilder()
                    .setHostPath(node.path())
                    .setContainerPath(node.path())
                    .setPermissions(node.permissions()));
        }
        for (Allocation.Mount mount : allocation.mounts()) {
            container.addMounts(Mount.newBuilder()
                    .setHostPath(mount.path())
                    .setContainerPath(mount.path())
                    .setReadOnly(mount.readOnly()));
        }
        return container.build();
    }

    private static Device message(io.edgeplug.device.Device device) {
        Device.Builder message =
                Device.newBuilder().setID(device.id()).setHealth(device.health().isHealthy() ? "Healthy" : "Unhealthy");
        // never an empty list of nodes, which the kubelet would take for "fits nowhere"
        device.numaNode()
                .ifPresent(node -> message.setTopology(
                        TopologyInfo.newBuilder().addNodes(NUMANode.newBuilder().setID(node))));
        return message.build();
    }
}
