package io.edgeplug.kubelet;

import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.proto.v1beta1.ListAndWatchResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.concurrent.Semaphore;
import java.util.function.IntConsumer;

/**
 * One ListAndWatch stream: the newest list whenever it differs from what this stream sent last.
 *
 * <p>It compares with its own past only, so that a stream which is dying cannot take a change from its successor.
 */
final class ListStream {

    private final Monitor monitor;
    private final ResourceName resource;
    private final ServerCallStreamObserver<ListAndWatchResponse> kubelet;
    private final IntConsumer sent;
    private final Semaphore readiness = new Semaphore(0);
    private final Thread writer;

    private ListStream(
            Monitor monitor,
            ResourceName resource,
            ServerCallStreamObserver<ListAndWatchResponse> kubelet,
            IntConsumer sent) {
        this.monitor = monitor;
        this.resource = resource;
        this.kubelet = kubelet;
        this.sent = sent;
        this.writer = Thread.ofVirtual().name("list " + resource).unstarted(this::write);
    }

    /**
     * Starts to send, until the kubelet goes or the server is shut down. Called on the epoll loop, as the stream opens.
     *
     * @param sent told the number of devices after each list
     * @param ended run once when the stream is over
     */
    static void start(
            Monitor monitor,
            ResourceName resource,
            ServerCallStreamObserver<ListAndWatchResponse> kubelet,
            IntConsumer sent,
            Runnable ended) {
        ListStream stream = new ListStream(monitor, resource, kubelet, sent);
        kubelet.setOnReadyHandler(stream.readiness::release);
        kubelet.setOnCancelHandler(() -> {
            stream.writer.interrupt();
            ended.run();
        });
        stream.writer.start();
    }

    private void write() {
        try {
            ListAndWatchResponse last = null;
            long generation = -1;
            while (!kubelet.isCancelled()) {
                monitor.awaitNewerThan(generation);
                awaitReady();
                Inventory inventory = monitor.current();
                generation = inventory.generation();
                ListAndWatchResponse list = Messages.list(inventory.devices(resource));
                if (!list.equals(last)) {
                    kubelet.onNext(list);
                    last = list;
                    sent.accept(list.getDevicesCount());
                }
            }
        } catch (InterruptedException e) {
            // cancelled, which the kubelet knows best
        }
    }

    private void awaitReady() throws InterruptedException {
        while (!kubelet.isReady()) {
            readiness.acquire();
        }
    }
}
