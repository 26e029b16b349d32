package io.edgeplug.api.kubelet;

import io.edgeplug.api.kubelet.Lists.Edition;
import io.edgeplug.node.supply.Stock;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Difference;
import io.edgeplug.system.flow.Latest;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * One ListAndWatch stream. It sends the newest list whenever it differs from the last one that it sent.
 *
 * <p>It compares only with its own past, so a dying stream cannot take a change away from its successor.
 *
 * @param <M> the message of a version of the API
 */
final class ListStream<M> {

    /**
     * The least time from a message to good news: each message makes the kubelet write a file, and bursts are usual.
     */
    private static final Duration PAUSE = Duration.ofMillis(100);

    /** A kubelet has one stream, and for a moment two. Each may cost a list that waits to be read. */
    static final int MAX_STREAMS = 4;

    /** Up to this many devices, the first list is sent within the call, because it takes less than a millisecond. */
    private static final int SHORT = 128;

    private final Lists<M> lists;
    private final ServerCallStreamObserver<M> kubelet;
    private final Registration registration;
    private final Semaphore readiness = new Semaphore(0);
    private final CountDownLatch cancelled = new CountDownLatch(1);
    private final Thread writer;

    /** The number of the last stock. Only the writer uses it once it has begun. */
    private long number;

    /** The list that was sent before the writer began. Only the writer uses it once it has begun. */
    private @Nullable Edition first;

    private ListStream(Lists<M> lists, ServerCallStreamObserver<M> kubelet, Registration registration) {
        this.lists = lists;
        this.kubelet = kubelet;
        this.registration = registration;
        this.writer = Thread.ofVirtual().name("list " + lists.resource().name()).unstarted(this::write);
    }

    /**
     * Starts to send, until the kubelet goes or the server is shut down. Refuses the stream if there are too many. Runs
     * within the call.
     */
    static <M> void start(Lists<M> lists, StreamObserver<M> answer, Registration registration) {
        if (registration.streams() >= MAX_STREAMS) {
            answer.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription(lists.resource().name() + ": has " + MAX_STREAMS + " streams already")
                    .asRuntimeException());
            return;
        }
        ServerCallStreamObserver<M> kubelet = (ServerCallStreamObserver<M>) answer;
        ListStream<M> stream = new ListStream<>(lists, kubelet, registration);
        kubelet.setOnReadyHandler(stream.readiness::release);
        kubelet.setOnCancelHandler(() -> stream.end());
        registration.streaming(stream.writer);
        stream.sendAtOnce();
        stream.writer.start();
    }

    /** A booting kubelet refuses pods whose resource has no list yet, and a thread takes a while to begin. */
    private void sendAtOnce() {
        Edition edition = lists.newest();
        if (kubelet.isReady() && edition.devices().size() <= SHORT) {
            put(edition);
            first = edition;
            number = edition.stock();
        }
    }

    private void end() {
        cancelled.countDown();
        registration.hungUp(writer);
    }

    private void write() {
        try {
            Edition last = first == null ? send(lists.newest()) : first;
            Deadline pause = Deadline.in(PAUSE);
            Latest<Stock> stocks = lists.resource().supply().stock();
            // Good news waits until this is over.
            Duration wait = Latest.FOREVER;
            while (cancelled.getCount() > 0) {
                number = stocks.awaitNewerThan(number, wait).number();
                Edition newest = lists.newest();
                Difference<Advertised> change = Difference.of(last.devices(), newest.devices());
                if (change.isEmpty() && newest.toldAgain() == last.toldAgain()) {
                    wait = Latest.FOREVER;
                } else if (pause.isOver() || Advertised.isWorse(change)) {
                    last = send(newest);
                    pause = Deadline.in(PAUSE);
                    wait = Latest.FOREVER;
                } else {
                    wait = pause.left();
                }
            }
        } catch (InterruptedException e) {
            // The kubelet has gone, or this server has.
        } finally {
            registration.written(writer);
        }
    }

    /** Sends the list, or the newest one there is once the kubelet can take it. */
    private Edition send(Edition edition) throws InterruptedException {
        Edition newest = edition;
        while (!kubelet.isReady()) {
            readiness.acquire();
            newest = lists.newest();
        }
        put(newest);
        return newest;
    }

    private void put(Edition edition) {
        kubelet.onNext(lists.message(edition));
        registration.listed(writer, edition.devices().size());
    }
}
