package io.edgeplug.lab.localkubelet;

import io.edgeplug.proto.v1alpha1.AllocateRequest;
import io.edgeplug.proto.v1alpha1.AllocateResponse;
import io.edgeplug.proto.v1alpha1.DevicePluginGrpc;
import io.edgeplug.proto.v1alpha1.DevicePluginGrpc.DevicePluginBlockingStub;
import io.edgeplug.proto.v1alpha1.DeviceRuntimeSpec;
import io.edgeplug.proto.v1alpha1.Empty;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.edgeplug.proto.v1beta1.DeviceSpec;
import io.edgeplug.proto.v1beta1.Mount;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The calls of v1alpha1, whose answers are turned into those of v1beta1, which contain at least as much. */
record V1alpha1Calls(DevicePluginBlockingStub plugin) implements PluginCalls {

    V1alpha1Calls(ManagedChannel channel) {
        this(DevicePluginGrpc.newBlockingStub(channel));
    }

    @Override
    public DevicePluginOptions options() {
        return DevicePluginOptions.getDefaultInstance();
    }

    @Override
    public void listAndWatch(Consumer<List<ListedDevice>> lists) {
        plugin.listAndWatch(Empty.getDefaultInstance())
                .forEachRemaining(list -> lists.accept(list.getDevicesList().stream()
                        .map(device -> new ListedDevice(
                                device.getID(), device.getHealth().equals("Healthy"), List.of()))
                        .toList()));
    }

    /** Never called, because a plugin of this version has no options. */
    @Override
    public List<String> preferred(Collection<String> available, Collection<String> mustInclude, int size) {
        return List.of();
    }

    @Override
    public Optional<ContainerAllocateResponse> allocate(Collection<String> ids) {
        AllocateResponse answer = plugin.allocate(
                AllocateRequest.newBuilder().addAllDevicesIDs(ids).build());
        if (answer.getSpecCount() == 0) {
            return Optional.empty();
        }
        ContainerAllocateResponse.Builder all = ContainerAllocateResponse.newBuilder();
        answer.getSpecList().forEach(spec -> add(spec, all));
        return Optional.of(all.build());
    }

    private static void add(DeviceRuntimeSpec spec, ContainerAllocateResponse.Builder all) {
        all.putAllEnvs(spec.getEnvsMap());
        spec.getMountsList()
                .forEach(mount -> all.addMounts(Mount.newBuilder()
                        .setContainerPath(mount.getMountPath())
                        .setHostPath(mount.getHostPath())
                        .setReadOnly(mount.getReadOnly())));
        spec.getDevicesList()
                .forEach(node -> all.addDevices(DeviceSpec.newBuilder()
                        .setContainerPath(node.getContainerPath())
                        .setHostPath(node.getHostPath())
                        .setPermissions(node.getPermissions())));
    }

    /** Never called, because a plugin of this version has no options. */
    @Override
    public void preStart(Collection<String> ids, Duration deadline) {}
}
