package io.edgeplug.node.pods;

import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.proto.podresources.ContainerDevices;
import io.edgeplug.proto.podresources.ContainerResources;
import io.edgeplug.proto.podresources.ListPodResourcesRequest;
import io.edgeplug.proto.podresources.ListPodResourcesResponse;
import io.edgeplug.proto.podresources.PodResources;
import io.edgeplug.proto.podresources.PodResourcesListerGrpc;
import io.grpc.stub.StreamObserver;
import java.util.function.Consumer;

/** What a server of pod-resources answers. */
final class PodResourcesAnswers {

    /** Held by the first pod of each list. */
    static final Holding VF = new Holding("uid", "main", "example.com/vf", "0000:3b:01.0");

    private PodResourcesAnswers() {}

    static ListPodResourcesResponse list(int pods, int padding) {
        ListPodResourcesResponse.Builder list = ListPodResourcesResponse.newBuilder();
        for (int i = 0; i < pods; i++) {
            list.addPodResources(PodResources.newBuilder()
                    .setName("dpdk-" + i)
                    .setNamespace("edge")
                    .addContainers(ContainerResources.newBuilder()
                            .setName("main")
                            .addDevices(ContainerDevices.newBuilder()
                                    .setResourceName(VF.resource())
                                    .addDeviceIds(i == 0 ? VF.id() : "other-" + i))
                            .addDevices(ContainerDevices.newBuilder()
                                    .setResourceName("other.com/gpu")
                                    .addDeviceIds("x".repeat(padding)))));
        }
        return list.build();
    }

    static PodResourcesListerGrpc.PodResourcesListerImplBase answering(
            Consumer<StreamObserver<ListPodResourcesResponse>> answer) {
        return new PodResourcesListerGrpc.PodResourcesListerImplBase() {
            @Override
            public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> caller) {
                answer.accept(caller);
            }
        };
    }

    static void answer(StreamObserver<ListPodResourcesResponse> caller, ListPodResourcesResponse list) {
        caller.onNext(list);
        caller.onCompleted();
    }
}
