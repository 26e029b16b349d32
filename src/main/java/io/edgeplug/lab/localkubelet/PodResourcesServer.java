package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.podresources.AllocatableResourcesRequest;
import io.edgeplug.proto.podresources.AllocatableResourcesResponse;
import io.edgeplug.proto.podresources.ContainerDevices;
import io.edgeplug.proto.podresources.ContainerResources;
import io.edgeplug.proto.podresources.GetPodResourcesRequest;
import io.edgeplug.proto.podresources.GetPodResourcesResponse;
import io.edgeplug.proto.podresources.ListPodResourcesRequest;
import io.edgeplug.proto.podresources.ListPodResourcesResponse;
import io.edgeplug.proto.podresources.NUMANode;
import io.edgeplug.proto.podresources.PodResources;
import io.edgeplug.proto.podresources.PodResourcesListerGrpc;
import io.edgeplug.proto.podresources.TopologyInfo;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Optional;

/** Reports which pods hold which devices. It follows pkg/kubelet/apis/podresources/server_v1.go. */
final class PodResourcesServer extends PodResourcesListerGrpc.PodResourcesListerImplBase {

    private final PodTable pods;
    private final Ledger ledger;
    private final KubeletOptions options;
    private final CallRate rate = new CallRate();

    PodResourcesServer(PodTable pods, Ledger ledger, KubeletOptions options) {
        this.pods = pods;
        this.ledger = ledger;
        this.options = options;
    }

    @Override
    public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> caller) {
        if (!rate.allows(caller)) {
            return;
        }
        // UpdateAllocatedDevices does this in every version.
        ledger.reclaim(pods.ended());
        ListPodResourcesResponse.Builder answer = ListPodResourcesResponse.newBuilder();
        pods.all().stream()
                .filter(entry -> !entry.ended() || options.listsEndedPods())
                .forEach(entry -> answer.addPodResources(resources(entry.spec())));
        RegistrationServer.answer(caller, answer.build());
    }

    @Override
    public void get(GetPodResourcesRequest request, StreamObserver<GetPodResourcesResponse> caller) {
        if (!rate.allows(caller)) {
            return;
        }
        Optional<PodSpec> pod = pods.all().stream()
                .map(PodTable.Entry::spec)
                .filter(spec -> spec.name().equals(request.getPodName())
                        && spec.namespace().equals(request.getPodNamespace()))
                .findFirst();
        if (pod.isEmpty()) {
            caller.onError(Status.UNKNOWN
                    .withDescription("pod %s in namespace %s not found"
                            .formatted(request.getPodName(), request.getPodNamespace()))
                    .asRuntimeException());
            return;
        }
        RegistrationServer.answer(
                caller,
                GetPodResourcesResponse.newBuilder()
                        .setPodResources(resources(pod.orElseThrow()))
                        .build());
    }

    @Override
    public void getAllocatableResources(
            AllocatableResourcesRequest request, StreamObserver<AllocatableResourcesResponse> caller) {
        if (!rate.allows(caller)) {
            return;
        }
        AllocatableResourcesResponse.Builder answer = AllocatableResourcesResponse.newBuilder();
        ledger.states()
                .forEach((resource, state) -> state.devices().stream()
                        .filter(ListedDevice::healthy)
                        .forEach(device -> answer.addDevices(devices(resource, device.id(), device.numaNodes()))));
        RegistrationServer.answer(caller, answer.build());
    }

    private PodResources resources(PodSpec spec) {
        PodResources.Builder pod =
                PodResources.newBuilder().setName(spec.name()).setNamespace(spec.namespace());
        Optional<Pod> holder = ledger.pod(spec.name());
        for (PodSpec.Container container : spec.containers()) {
            ContainerResources.Builder resources =
                    ContainerResources.newBuilder().setName(container.name());
            holder.flatMap(known -> known.holder(container.name()))
                    .ifPresent(known -> known.devices()
                            .forEach((resource, ids) -> ids.forEach(
                                    id -> resources.addDevices(devices(resource, id, nodes(resource, id))))));
            pod.addContainers(resources);
        }
        return pod.build();
    }

    private List<Long> nodes(ResourceName resource, String id) {
        return ledger.device(resource, id).map(ListedDevice::numaNodes).orElse(List.of());
    }

    /** One message for each device, as the kubelet sends them. */
    private static ContainerDevices devices(ResourceName resource, String id, List<Long> nodes) {
        ContainerDevices.Builder devices = ContainerDevices.newBuilder()
                .setResourceName(resource.toString())
                .addDeviceIds(id);
        if (!nodes.isEmpty()) {
            TopologyInfo.Builder topology = TopologyInfo.newBuilder();
            nodes.forEach(node -> topology.addNodes(NUMANode.newBuilder().setID(node)));
            devices.setTopology(topology);
        }
        return devices.build();
    }
}
