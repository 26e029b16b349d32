package io.edgeplug.lab.localkubelet;

import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.AllocateResponse;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import io.edgeplug.proto.v1beta1.ContainerPreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc.DevicePluginBlockingStub;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.proto.v1beta1.PreStartContainerRequest;
import io.edgeplug.proto.v1beta1.PreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.PreferredAllocationResponse;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The calls of v1beta1, with one container in each, as in endpoint.go. */
record V1beta1Calls(DevicePluginBlockingStub plugin) implements PluginCalls {

    V1beta1Calls(ManagedChannel channel) {
        this(DevicePluginGrpc.newBlockingStub(channel));
    }

    @Override
    public DevicePluginOptions options() {
        return plugin.getDevicePluginOptions(Empty.getDefaultInstance());
    }

    @Override
    public void listAndWatch(Consumer<List<ListedDevice>> lists) {
        plugin.listAndWatch(Empty.getDefaultInstance())
                .forEachRemaining(list -> lists.accept(
                        list.getDevicesList().stream().map(ListedDevice::of).toList()));
    }

    @Override
    public List<String> preferred(Collection<String> available, Collection<String> mustInclude, int size) {
        PreferredAllocationResponse answer = plugin.getPreferredAllocation(PreferredAllocationRequest.newBuilder()
                .addContainerRequests(ContainerPreferredAllocationRequest.newBuilder()
                        .addAllAvailableDeviceIDs(available)
                        .addAllMustIncludeDeviceIDs(mustInclude)
                        .setAllocationSize(size))
                .build());
        return answer.getContainerResponsesCount() == 0
                ? List.of()
                : List.copyOf(answer.getContainerResponses(0).getDeviceIDsList());
    }

    @Override
    public Optional<ContainerAllocateResponse> allocate(Collection<String> ids) {
        AllocateResponse answer = plugin.allocate(AllocateRequest.newBuilder()
                .addContainerRequests(ContainerAllocateRequest.newBuilder().addAllDevicesIds(ids))
                .build());
        return answer.getContainerResponsesList().stream().findFirst();
    }

    @Override
    public void preStart(Collection<String> ids, Duration deadline) {
        PreStartContainerRequest request =
                PreStartContainerRequest.newBuilder().addAllDevicesIds(ids).build();
        plugin.withDeadlineAfter(deadline).preStartContainer(request);
    }
}
