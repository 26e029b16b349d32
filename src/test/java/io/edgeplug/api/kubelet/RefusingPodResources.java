package io.edgeplug.api.kubelet;

import io.edgeplug.proto.podresources.ListPodResourcesRequest;
import io.edgeplug.proto.podresources.ListPodResourcesResponse;
import io.edgeplug.proto.podresources.PodResourcesListerGrpc;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.nio.file.Files;
import java.nio.file.Path;

/** A pod-resources socket that first refuses a number of calls, as the kubelet does when too many ask, and then lists these pods. */
final class RefusingPodResources extends PodResourcesListerGrpc.PodResourcesListerImplBase implements AutoCloseable {

    private final int refused;
    private final ListPodResourcesResponse pods;
    private final UnixRpc rpc;
    private final Server server;
    private final Seen<ListPodResourcesRequest> requests = new Seen<>();

    /** Serves below that directory, which stands for the kubelet's. */
    RefusingPodResources(Path root, int refused, ListPodResourcesResponse pods) throws Exception {
        this.refused = refused;
        this.pods = pods;
        this.rpc = UnixRpc.open();
        this.server =
                rpc.serve(Files.createDirectories(root.resolve("pod-resources")).resolve("kubelet.sock"), this);
    }

    /** Never lists any. */
    static RefusingPodResources always(Path root) throws Exception {
        return new RefusingPodResources(root, Integer.MAX_VALUE, ListPodResourcesResponse.getDefaultInstance());
    }

    Seen<ListPodResourcesRequest> requests() {
        return requests;
    }

    @Override
    public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> caller) {
        requests.add(request);
        if (requests.count() <= refused) {
            caller.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription("rejected by rate limit")
                    .asRuntimeException());
            return;
        }
        caller.onNext(pods);
        caller.onCompleted();
    }

    @Override
    public void close() throws InterruptedException {
        server.shutdownNow().awaitTermination();
        rpc.close();
    }
}
