package io.edgeplug.api.kubelet;

import io.edgeplug.proto.podresources.ListPodResourcesRequest;
import io.edgeplug.proto.podresources.ListPodResourcesResponse;
import io.edgeplug.proto.podresources.PodResourcesListerGrpc;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;

/** A pod-resources socket of a kubelet that has not been given its pods yet. */
final class ListOfNoPods extends PodResourcesListerGrpc.PodResourcesListerImplBase implements AutoCloseable {

    private final UnixRpc rpc;
    private final Seen<ListPodResourcesRequest> requests = new Seen<>();
    private final Server server;

    private ListOfNoPods(UnixRpc rpc, Path socket) throws IOException {
        this.rpc = rpc;
        this.server = rpc.serve(socket, this);
    }

    static ListOfNoPods serve(Path socket) throws IOException {
        return new ListOfNoPods(UnixRpc.open(), socket);
    }

    /** Waits until it was asked so often. */
    void awaitAsked(int times) throws InterruptedException {
        requests.await(all -> all.size() >= times);
    }

    @Override
    public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> caller) {
        requests.add(request);
        caller.onNext(ListPodResourcesResponse.getDefaultInstance());
        caller.onCompleted();
    }

    @Override
    public void close() throws InterruptedException {
        server.shutdownNow().awaitTermination();
        rpc.close();
    }
}
