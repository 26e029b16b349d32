package io.edgeplug.soak;

import io.edgeplug.proto.v1beta1.Device;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.proto.v1beta1.ListAndWatchResponse;
import io.edgeplug.proto.v1beta1.RegisterRequest;
import io.edgeplug.proto.v1beta1.RegistrationGrpc.RegistrationImplBase;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The kubelet of the node that is attacked: at times it does as a kubelet should, and at times as it was told. */
final class KubeletSide extends RegistrationImplBase implements AutoCloseable {

    private final UnixRpc rpc;
    private final Path directory;
    private final Map<String, ManagedChannel> plugins = new HashMap<>();
    private final Map<String, Map<String, String>> lists = new HashMap<>();
    private Optional<Server> server = Optional.empty();
    private Manner manner = KubeletSide::follow;
    private int asked;

    /** What it does when a plugin registers. */
    interface Manner {
        void answer(KubeletSide kubelet, RegisterRequest request, StreamObserver<Empty> plugin);
    }

    KubeletSide(UnixRpc rpc, Path directory) {
        this.rpc = rpc;
        this.directory = directory;
    }

    /** Starts anew, as a kubelet that was restarted: with another socket, and without knowing anything. */
    void come(Manner wanted) throws IOException {
        go();
        synchronized (this) {
            manner = wanted;
        }
        server = Optional.of(rpc.serve(socket(), this));
    }

    /** Ends, with its socket. */
    void go() throws IOException {
        server.ifPresent(old -> {
            old.shutdownNow();
            try {
                old.awaitTermination(5, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server = Optional.empty();
        synchronized (this) {
            plugins.values().forEach(ManagedChannel::shutdownNow);
            plugins.clear();
            lists.clear();
        }
        Files.deleteIfExists(socket());
    }

    Path socket() {
        return directory.resolve("kubelet.sock");
    }

    /** How often it was registered with. */
    synchronized int asked() {
        return asked;
    }

    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> plugin) {
        // unset, answering one who gave up would throw
        ((ServerCallStreamObserver<Empty>) plugin).setOnCancelHandler(() -> {});
        Manner now;
        synchronized (this) {
            asked++;
            now = manner;
            notifyAll();
        }
        now.answer(this, request, plugin);
    }

    /** Does as a kubelet should: OK, and then it follows the plugin's list. */
    static void follow(KubeletSide kubelet, RegisterRequest request, StreamObserver<Empty> plugin) {
        plugin.onNext(Empty.getDefaultInstance());
        plugin.onCompleted();
        String resource = request.getResourceName();
        ManagedChannel channel = kubelet.rpc.dial(kubelet.directory.resolve(request.getEndpoint()));
        synchronized (kubelet) {
            Optional.ofNullable(kubelet.plugins.put(resource, channel)).ifPresent(ManagedChannel::shutdownNow);
        }
        // not in the context of this call, with whose end the list would end
        Context.ROOT.run(() -> DevicePluginGrpc.newStub(channel)
                .listAndWatch(Empty.getDefaultInstance(), kubelet.new Following(resource)));
    }

    /** Notes what a plugin lists. */
    private final class Following implements StreamObserver<ListAndWatchResponse> {

        private final String resource;

        Following(String resource) {
            this.resource = resource;
        }

        @Override
        public void onNext(ListAndWatchResponse list) {
            listed(resource, list);
        }

        @Override
        public void onError(Throwable end) {
            ended(resource);
        }

        @Override
        public void onCompleted() {
            ended(resource);
        }
    }

    private synchronized void listed(String resource, ListAndWatchResponse list) {
        Map<String, String> health = new HashMap<>();
        for (Device device : list.getDevicesList()) {
            health.put(device.getID(), device.getHealth());
        }
        lists.put(resource, health);
        notifyAll();
    }

    /** As if nothing had been listed of it yet. */
    synchronized void forget(String resource) {
        lists.remove(resource);
    }

    private synchronized void ended(String resource) {
        lists.remove(resource);
        notifyAll();
    }

    /** Waits until what it knows is so, by resource, and in it the health by ID; says whether that came. */
    synchronized boolean await(Predicate<Map<String, Map<String, String>>> wanted, long millis)
            throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!wanted.test(lists)) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }

    /** Waits until it was registered with that often. */
    synchronized boolean awaitAsked(int count, long millis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (asked < count) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }

    /** What it knows of a device. */
    synchronized String health(String resource, String id) {
        return lists.getOrDefault(resource, Map.of()).getOrDefault(id, "not listed");
    }

    @Override
    public void close() throws IOException {
        go();
    }
}
