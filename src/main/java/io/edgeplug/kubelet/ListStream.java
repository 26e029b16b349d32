package io.edgeplug.kubelet;

import io.edgeplug.inventory.Monitor;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * One ListAndWatch stream: the newest list whenever it differs from what this stream sent last.
 *
 * <p>It compares with its own past only, so that a stream which is dying cannot take a change from its successor.
 *
 * @param <M> the message of a version of the API
 */
final class ListStream<M> {

    /** So much apart are two messages, for each makes the kubelet write a file: a burst of changes is a few. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Resource resource;
    private final Function<List<Advertised>, M> message;
    private final ServerCallStreamObserver<M> kubelet;
    private final Progress progress;
    private final Semaphore readiness = new Semaphore(0);
    private final CountDownLatch cancelled = new CountDownLatch(1);

    private ListStream(
            Resource resource,
            Function<List<Advertised>, M> message,
            ServerCallStreamObserver<M> kubelet,
            Progress progress) {
        this.resource = resource;
        this.message = message;
        this.kubelet = kubelet;
        this.progress = progress;
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
        Monitor monitor = resource.monitor();
        try {
            List<Advertised> last = List.of();
            boolean first = true;
            long generation = -1;
            while (cancelled.getCount() > 0) {
                monitor.awaitNewerThan(generation);
                awaitReady();
                generation = monitor.current().generation();
                List<Advertised> list = resource.list();
                if (first || !list.equals(last)) {
                    kubelet.onNext(message.apply(list));
                    progress.listed(list.size());
                    last = list;
                    first = false;
                    cancelled.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
                }
            }
        } catch (InterruptedException e) {
            // the kubelet has gone, or we have
        } finally {
            progress.written(Thread.currentThread());
        }
    }

    private void awaitReady() throws InterruptedException {
        while (!kubelet.isReady()) {
            readiness.acquire();
        }
    }
}
