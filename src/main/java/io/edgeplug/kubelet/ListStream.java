package io.edgeplug.kubelet;

import io.edgeplug.inventory.Difference;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

/**
 * One ListAndWatch stream: the newest list whenever it differs from what this stream sent last.
 *
 * <p>It compares with its own past only, so that a stream which is dying cannot take a change from its successor.
 *
 * @param <M> the message of a version of the API
 */
final class ListStream<M> {

    /** Good news comes so long after the message before it: each makes the kubelet write a file, and bursts are usual. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private final Resource resource;
    private final Function<List<Advertised>, M> message;
    private final ServerCallStreamObserver<M> kubelet;
    private final Progress progress;
    private final Semaphore readiness = new Semaphore(0);
    private final CountDownLatch cancelled = new CountDownLatch(1);

    // below: the writer's own
    private final Listing listing;

    /** Of the offer looked at last. */
    private long number;

    private ListStream(
            Resource resource,
            Function<List<Advertised>, M> message,
            ServerCallStreamObserver<M> kubelet,
            Progress progress) {
        this.resource = resource;
        this.message = message;
        this.kubelet = kubelet;
        this.progress = progress;
        this.listing = new Listing(resource.deviceClass());
    }

    /** Starts to send, until the kubelet goes or the server is shut down. Called on the epoll loop, as the call comes. */
    static <M> void start(
            Resource resource, Function<List<Advertised>, M> message, StreamObserver<M> answer, Progress progress) {
        ServerCallStreamObserver<M> kubelet = (ServerCallStreamObserver<M>) answer;
        ListStream<M> stream = new ListStream<>(resource, message, kubelet, progress);
        Thread writer = Thread.ofVirtual().name("list " + resource.name()).unstarted(stream::write);
        kubelet.setOnReadyHandler(stream.readiness::release);
        kubelet.setOnCancelHandler(() -> stream.end(writer));
        progress.streaming(writer);
        writer.start();
    }

    private void end(Thread writer) {
        cancelled.countDown();
        progress.hungUp(writer);
    }

    private void write() {
        try {
            List<Advertised> last = send(list());
            Deadline pause = Deadline.in(PAUSE);
            Optional<Duration> held = Optional.empty();
            while (cancelled.getCount() > 0) {
                await(held);
                List<Advertised> list = list();
                Difference<Advertised> change = Difference.of(last, list);
                if (change.isEmpty()) {
                    held = Optional.empty();
                } else if (pause.isOver() || Advertised.isWorse(change)) {
                    last = send(list);
                    pause = Deadline.in(PAUSE);
                    held = Optional.empty();
                } else {
                    held = Optional.of(pause.left());
                }
            }
        } catch (InterruptedException e) {
            // the kubelet has gone, or we have
        } finally {
            progress.written(Thread.currentThread());
        }
    }

    private List<Advertised> list() {
        Offer offer = resource.supply().current();
        return listing.of(offer.devices(), offer.shares(), offer.numaNodes());
    }

    /** Waits for another offer than was looked at last, or until good news has been held long enough. */
    private void await(Optional<Duration> held) throws InterruptedException {
        Supply supply = resource.supply();
        number = supply.awaitNewerThan(number, held.orElse(FOREVER)).number();
    }

    /** Sends the list, or the newest there is once the kubelet can take one. */
    private List<Advertised> send(List<Advertised> list) throws InterruptedException {
        List<Advertised> newest = list;
        while (!kubelet.isReady()) {
            readiness.acquire();
            newest = list();
        }
        kubelet.onNext(message.apply(newest));
        progress.listed(newest.size());
        return newest;
    }
}
