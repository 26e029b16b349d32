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

/** One stream of the health of all devices. It sends when the health has changed, and at regular times. */
final class HealthStream {

    private static final Logger LOG = Logger.getLogger(HealthStream.class.getName());

    /**
     * A report of a thousand devices takes some milliseconds of both processors of a small node, here and in the kubelet.
     * The slices go first, so that fewer pods get a broken device.
     */
    private static final Duration AFTER_SLICES = Duration.ofMillis(50);

    private final ServerCallStreamObserver<NodeWatchResourcesResponse> kubelet;
    private final Source source;
    private final Latest<Long> changes;
    private final Duration repetition;
    private final Semaphore readiness = new Semaphore(0);

    /** The source of the health. */
    @FunctionalInterface
    interface Source {
        DeviceHealths newest() throws IOException;
    }

    /**
     * A stream that has sent nothing yet.
     *
     * @param changes a count that rises when the health may have changed
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

    /** Reports that the kubelet can take a message. */
    void ready() {
        readiness.release();
    }

    /** Sends until this thread is interrupted. The end of the stream does that. */
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
                if (changes.awaitNewerThan(seen, due.isOver() ? repetition : due.left()) > seen) {
                    Thread.sleep(AFTER_SLICES);
                }
            }
        } catch (InterruptedException e) {
            LOG.finest("the kubelet has gone, or we have");
        }
    }

    /** Without the name of the pool there is nothing to report. The publisher of the slices logs the reason. */
    private Optional<DeviceHealths> newest() {
        try {
            return Optional.of(source.newest());
        } catch (IOException e) {
            LOG.fine(() -> "health not reported: " + e.getMessage());
            return Optional.empty();
        }
    }
}
