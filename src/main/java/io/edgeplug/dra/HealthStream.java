package io.edgeplug.dra;

import io.edgeplug.flow.Deadline;
import io.edgeplug.flow.Latest;
import io.edgeplug.proto.drahealth.v1.NodeWatchResourcesResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.logging.Logger;

/** One stream of the health of all devices: whenever it differs from what this stream sent last, and now and then. */
final class HealthStream {

    private static final Logger LOG = Logger.getLogger(HealthStream.class.getName());

    private final ServerCallStreamObserver<NodeWatchResourcesResponse> kubelet;
    private final Source source;
    private final Latest<Long> changes;
    private final Duration repetition;
    private final Semaphore readiness = new Semaphore(0);

    /** Where the health is looked up. */
    @FunctionalInterface
    interface Source {
        DeviceHealths newest() throws IOException;
    }

    /**
     * A stream that is not written yet.
     *
     * @param changes counts what may have changed the health
     */
    HealthStream(
            ServerCallStreamObserver<NodeWatchResourcesResponse> kubelet,
            Source source,
            Latest<Long> changes,
            Duration repetition) {
        this.kubelet = kubelet;
        this.source = source;
        this.changes = changes;
        this.repetition = repetition;
    }

    /** The kubelet can take a message. */
    void ready() {
        readiness.release();
    }

    /** Sends until this thread is interrupted, which the end of the stream does. */
    void write() {
        try {
            Optional<DeviceHealths> sent = Optional.empty();
            Deadline due = Deadline.in(repetition);
            while (true) {
                while (!kubelet.isReady()) {
                    readiness.acquire();
                }
                long seen = changes.get();
                Optional<DeviceHealths> newest = newest();
                if (newest.isPresent() && (due.isOver() || !newest.equals(sent))) {
                    kubelet.onNext(newest.orElseThrow().message());
                    sent = newest;
                    due = Deadline.in(repetition);
                }
                Long ignored = changes.awaitNewerThan(seen, due.isOver() ? repetition : due.left());
            }
        } catch (InterruptedException e) {
            LOG.finest("the kubelet has gone, or we have");
        }
    }

    /** Without the name of the pool there is nothing to report; whoever publishes the slices logs why. */
    private Optional<DeviceHealths> newest() {
        try {
            return Optional.of(source.newest());
        } catch (IOException e) {
            LOG.fine(() -> "health not reported: " + e.getMessage());
            return Optional.empty();
        }
    }
}
