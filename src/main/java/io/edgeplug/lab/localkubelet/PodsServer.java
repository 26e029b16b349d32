package io.edgeplug.lab.localkubelet;

import io.edgeplug.proto.pods.EventType;
import io.edgeplug.proto.pods.GetPodRequest;
import io.edgeplug.proto.pods.GetPodResponse;
import io.edgeplug.proto.pods.ListPodsRequest;
import io.edgeplug.proto.pods.ListPodsResponse;
import io.edgeplug.proto.pods.ObjectMeta;
import io.edgeplug.proto.pods.PodIdentity;
import io.edgeplug.proto.pods.PodStatus;
import io.edgeplug.proto.pods.PodsGrpc;
import io.edgeplug.proto.pods.WatchPodsEvent;
import io.edgeplug.proto.pods.WatchPodsRequest;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Optional;

/** Reports pods and their changes: the Pods API, from Kubernetes 1.37 on. */
final class PodsServer extends PodsGrpc.PodsImplBase {

    private final PodTable pods;

    /** Whether the kubelet has its pods. */
    private volatile boolean ready;

    PodsServer(PodTable pods) {
        this.pods = pods;
    }

    void begin() {
        ready = true;
    }

    @Override
    public void watchPods(WatchPodsRequest request, StreamObserver<WatchPodsEvent> caller) {
        if (!isReady(caller)) {
            return;
        }
        var stream = (ServerCallStreamObserver<WatchPodsEvent>) caller;
        PodTable.Watcher watcher = (change, pod) -> {
            // A slow client misses what happens meanwhile.
            if (stream.isReady() && !stream.isCancelled()) {
                stream.onNext(event(change, pod));
            }
        };
        stream.setOnCancelHandler(() -> pods.unwatch(watcher));
        pods.watch(
                present -> {
                    present.forEach(entry -> stream.onNext(event(EventType.ADDED, entry)));
                    stream.onNext(WatchPodsEvent.newBuilder()
                            .setType(EventType.INITIAL_SYNC_COMPLETE)
                            .build());
                },
                watcher);
    }

    @Override
    public void listPods(ListPodsRequest request, StreamObserver<ListPodsResponse> caller) {
        if (isReady(caller)) {
            ListPodsResponse.Builder answer = ListPodsResponse.newBuilder();
            pods.all().forEach(entry -> answer.addPods(identity(entry).toByteString()));
            RegistrationServer.answer(caller, answer.build());
        }
    }

    @Override
    public void getPod(GetPodRequest request, StreamObserver<GetPodResponse> caller) {
        if (!isReady(caller)) {
            return;
        }
        Optional<PodTable.Entry> pod = pods.entry(request.getPodUID());
        if (pod.isEmpty()) {
            caller.onError(Status.NOT_FOUND.withDescription("pod not found").asRuntimeException());
            return;
        }
        RegistrationServer.answer(
                caller,
                GetPodResponse.newBuilder()
                        .setPod(identity(pod.orElseThrow()).toByteString())
                        .build());
    }

    private boolean isReady(StreamObserver<?> caller) {
        if (!ready) {
            caller.onError(Status.FAILED_PRECONDITION
                    .withDescription("the kubelet has not been given its pods yet")
                    .asRuntimeException());
        }
        return ready;
    }

    private static WatchPodsEvent event(EventType change, PodTable.Entry pod) {
        return WatchPodsEvent.newBuilder()
                .setType(change)
                .setPod(identity(pod).toByteString())
                .build();
    }

    private static PodIdentity identity(PodTable.Entry pod) {
        return PodIdentity.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setName(pod.spec().name())
                        .setNamespace(pod.spec().namespace())
                        .setUid(pod.spec().name()))
                .setStatus(PodStatus.newBuilder().setPhase(pod.ended() ? "Succeeded" : "Running"))
                .build();
    }
}
