package io.edgeplug.node.vfs;

import static io.edgeplug.node.vfs.SriovNode.PATIENT;
import static io.edgeplug.node.vfs.SriovNode.assertGood;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.proto.podresources.ContainerDevices;
import io.edgeplug.proto.podresources.ContainerResources;
import io.edgeplug.proto.podresources.ListPodResourcesRequest;
import io.edgeplug.proto.podresources.ListPodResourcesResponse;
import io.edgeplug.proto.podresources.PodResources;
import io.edgeplug.proto.podresources.PodResourcesListerGrpc;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A pod that holds a VF is called as its user calls it, where the kubelet tells. */
final class PodNameTest extends OnSriovNode {

    /** Tells that the container main of edge/dpdk has the first VF. */
    private static final class Kubelet extends PodResourcesListerGrpc.PodResourcesListerImplBase {

        @Override
        public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> caller) {
            caller.onNext(ListPodResourcesResponse.newBuilder()
                    .addPodResources(PodResources.newBuilder()
                            .setNamespace("edge")
                            .setName("dpdk")
                            .addContainers(ContainerResources.newBuilder()
                                    .setName("main")
                                    .addDevices(ContainerDevices.newBuilder()
                                            .setResourceName("example.com/vf")
                                            .addDeviceIds(FIRST_VF))))
                    .build());
            caller.onCompleted();
        }
    }

    @Test
    void podThatHoldsAVfIsNamedByNamespaceAndName() throws Exception {
        assertGood(node.apply(node.wanted("count = 4"), PATIENT));
        node.hold(FIRST_VF);
        Path socket = Files.createDirectories(node.kubeletRoot().resolve("pod-resources"))
                .resolve("kubelet.sock");
        try (UnixRpc rpc = UnixRpc.open()) {
            Server kubelet = rpc.serve(socket, new Kubelet());

            assertThat(refusal())
                    .endsWith(FIRST_VF + ": container main of pod edge/dpdk has it, as " + FIRST_VF
                            + " of example.com/vf");

            kubelet.shutdownNow().awaitTermination();
        }
        assertThat(refusal()).contains("container main of pod 6f1c has it");
    }

    private String refusal() throws Exception {
        return node.apply(node.wanted("count = 2"), PATIENT).getFirst().text();
    }
}
