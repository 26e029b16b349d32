package io.edgeplug.dra;

import io.edgeplug.dra.DeviceHealths.OfDevice;
import io.edgeplug.flow.Latest;
import io.edgeplug.proto.drahealth.v1.DRAResourceHealthGrpc;
import io.edgeplug.proto.drahealth.v1.NodeWatchResourcesRequest;
import io.edgeplug.proto.drahealth.v1.NodeWatchResourcesResponse;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Reports the health of each device to the kubelet. The kubelet puts it with its reason into the status of the pod that
 * has the device. Each stream has a virtual thread that writes it.
 */
final class HealthService extends DRAResourceHealthGrpc.DRAResourceHealthImplBase {

    /** The versions that kubelets know, as they are registered. Their messages are the same. */
    static final List<String> VERSIONS = List.of("v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth");

    /** All health is reported again after this time, three times before the kubelet considers it outdated. */
    static final Duration REPETITION = DeviceHealths.TIMEOUT.dividedBy(3);

    /** A kubelet has one stream, and for a moment two. */
    static final int MAX_STREAMS = 4;

    private final ApiServer api;
    private final Optional<String> nodeName;
    private final Supplier<List<OfDevice>> devices;
    private final Duration repetition;
    private final Latest<Long> changes = new Latest<>(0L, Long::longValue);
    private final AtomicInteger streams = new AtomicInteger();

    /**
     * The health of devices.
     *
     * @param api its identity has the name of the node, if that is not configured
     * @param devices the devices of the slices
     */
    HealthService(ApiServer api, Optional<String> nodeName, Supplier<List<OfDevice>> devices, Duration repetition) {
        this.api = api;
        this.nodeName = nodeName;
        this.devices = devices;
        this.repetition = repetition;
    }

    /** The service in each version. */
    List<ServerServiceDefinition> services() {
        ServerServiceDefinition newest = bindService();
        return List.of(newest, DraService.as(VERSIONS.getLast(), newest));
    }

    /** Reports that something may have changed. */
    void wake() {
        Long ignored = changes.change(count -> count + 1);
    }

    @Override
    public void nodeWatchResources(
            NodeWatchResourcesRequest request, StreamObserver<NodeWatchResourcesResponse> answer) {
        if (streams.incrementAndGet() > MAX_STREAMS) {
            streams.decrementAndGet();
            answer.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription("There are " + MAX_STREAMS + " streams already.")
                    .asRuntimeException());
            return;
        }
        ServerCallStreamObserver<NodeWatchResourcesResponse> kubelet =
                (ServerCallStreamObserver<NodeWatchResourcesResponse>) answer;
        HealthStream stream = new HealthStream(kubelet, this::newest, changes, repetition);
        Thread writer = Thread.ofVirtual().name("health").unstarted(() -> {
            try {
                stream.write();
            } finally {
                streams.decrementAndGet();
            }
        });
        kubelet.setOnReadyHandler(stream::ready);
        kubelet.setOnCancelHandler(writer::interrupt);
        writer.start();
    }

    private DeviceHealths newest() throws IOException {
        String pool =
                nodeName.isPresent() ? nodeName.orElseThrow() : api.nodeName().orElse("");
        if (pool.isEmpty()) {
            throw new IOException("the identity is no node's, so [dra] node_name is needed");
        }
        return new DeviceHealths(pool, devices.get());
    }
}
