package io.edgeplug.api.dra;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.proto.drahealth.v1.DRAResourceHealthGrpc;
import io.edgeplug.proto.drahealth.v1.DeviceHealth;
import io.edgeplug.proto.drahealth.v1.DeviceIdentifier;
import io.edgeplug.proto.drahealth.v1.HealthStatus;
import io.edgeplug.proto.drahealth.v1.NodeWatchResourcesRequest;
import io.edgeplug.proto.drahealth.v1.NodeWatchResourcesResponse;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Latest;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Logger;

/**
 * Reports the health of each device to the kubelet. The kubelet puts it with its reason into the status of the pod that
 * has the device. Each stream has a virtual thread that writes it.
 */
final class HealthService extends DRAResourceHealthGrpc.DRAResourceHealthImplBase {

    private static final Logger LOG = Logger.getLogger(HealthService.class.getName());

    /** The versions that kubelets know, as they are registered. Their messages are the same. */
    static final List<String> VERSIONS = List.of("v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth");

    /** The kubelet considers a report outdated after this time. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** All health is reported again after this time, three times before the kubelet considers it outdated. */
    static final Duration REPETITION = TIMEOUT.dividedBy(3);

    /** A kubelet has one stream, and for a moment two. */
    static final int MAX_STREAMS = 4;

    /**
     * A report of a thousand devices takes some milliseconds of both processors of a small node, here and in the kubelet.
     * The slices go first, so that fewer pods get a broken device.
     */
    private static final Duration AFTER_SLICES = Duration.ofMillis(50);

    private final ApiServer api;
    private final Supplier<List<OfDevice>> devices;
    private final Duration repetition;
    private final Latest<Long> changes = new Latest<>(0L, Long::longValue);
    private final AtomicInteger streams = new AtomicInteger();

    /** The health of all devices of the pool at one time, so that two times can be compared. */
    record Report(String pool, List<OfDevice> devices) {

        /** For the kubelet, with the current time. */
        NodeWatchResourcesResponse message() {
            long now = Instant.now().getEpochSecond();
            NodeWatchResourcesResponse.Builder all = NodeWatchResourcesResponse.newBuilder();
            for (OfDevice one : devices) {
                all.addDevices(DeviceHealth.newBuilder()
                        .setDevice(
                                DeviceIdentifier.newBuilder().setPoolName(pool).setDeviceName(one.name()))
                        .setHealth(one.message().isEmpty() ? HealthStatus.HEALTHY : HealthStatus.UNHEALTHY)
                        .setLastUpdatedTime(now)
                        .setHealthCheckTimeoutSeconds(TIMEOUT.toSeconds())
                        .setMessage(one.message()));
            }
            return all.build();
        }
    }

    /**
     * The health of one device.
     *
     * @param name its name in the cluster
     * @param message the text for the pod that has it; empty if nothing is wrong
     */
    record OfDevice(String name, String message) {

        /** A device that is only withheld from others is healthy for the pod that has it. */
        static OfDevice of(String name, Device device) {
            Health health = device.health();
            Optional<String> problem = health.isWithheld() ? Optional.empty() : health.problem();
            return new OfDevice(
                    name, problem.map(text -> device.id() + ": " + text).orElse(""));
        }
    }

    /**
     * The health of devices.
     *
     * @param api knows the name of the node
     * @param devices the devices of the slices
     */
    HealthService(ApiServer api, Supplier<List<OfDevice>> devices, Duration repetition) {
        this.api = api;
        this.devices = devices;
        this.repetition = repetition;
    }

    /** The service in each version. */
    List<ServerServiceDefinition> services() {
        return DraService.inBoth(bindService(), VERSIONS.getLast());
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
        Semaphore readiness = new Semaphore(0);
        Thread writer = Front.DRA.virtual("health").unstarted(() -> {
            try {
                if (!Front.DRA.attempt(() -> write(kubelet, readiness))) {
                    // The kubelet opens another stream.
                    kubelet.onError(Status.INTERNAL.asRuntimeException());
                }
            } catch (InterruptedException e) {
                LOG.finest("the kubelet has gone, or we have");
            } finally {
                streams.decrementAndGet();
            }
        });
        kubelet.setOnReadyHandler(readiness::release);
        kubelet.setOnCancelHandler(writer::interrupt);
        writer.start();
    }

    /** Sends when the health has changed, and at regular times. The end of the stream interrupts it. */
    private void write(ServerCallStreamObserver<NodeWatchResourcesResponse> kubelet, Semaphore readiness)
            throws InterruptedException {
        Optional<Report> sent = Optional.empty();
        Deadline due = Deadline.in(repetition);
        while (true) {
            while (!kubelet.isReady()) {
                readiness.acquire();
            }
            long seen = changes.get();
            Optional<Report> newest = newest();
            if (newest.isPresent() && (due.isOver() || !newest.equals(sent))) {
                kubelet.onNext(newest.orElseThrow().message());
                sent = newest;
                due = Deadline.in(repetition);
            }
            Long ignored = changes.awaitNewerThan(seen, due.isOver() ? repetition : due.left(), AFTER_SLICES);
        }
    }

    /** Without the name of the pool there is nothing to report. The publisher of the slices logs the reason. */
    private Optional<Report> newest() {
        try {
            return Optional.of(new Report(api.nodeName(), devices.get()));
        } catch (IOException e) {
            LOG.fine(() -> "health not reported: " + e.getMessage());
            return Optional.empty();
        }
    }
}
