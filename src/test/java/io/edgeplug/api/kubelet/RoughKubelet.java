package io.edgeplug.api.kubelet;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.proto.v1beta1.RegisterRequest;
import io.edgeplug.proto.v1beta1.RegistrationGrpc.RegistrationImplBase;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A kubelet that does to plugins what no kubelet should, and remembers who registered. */
final class RoughKubelet extends RegistrationImplBase implements AutoCloseable {

    private final Path directory;
    private final Manner manner;
    private final UnixRpc rpc;
    private final Seen<RegisterRequest> registrations = new Seen<>();
    private final Seen<PluginClient.Watch> watches = new Seen<>();
    private final Seen<String> failures = new Seen<>();
    private final List<PluginClient> clients = new CopyOnWriteArrayList<>();
    private final List<Thread> answers = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<Server> servers = new CopyOnWriteArrayList<>();

    /** What it does when a plugin registers, on the thread of that call, which may block. */
    interface Manner {
        void answer(RoughKubelet kubelet, RegisterRequest request, StreamObserver<Empty> plugin);
    }

    private RoughKubelet(Path directory, Manner manner, UnixRpc rpc) {
        this.directory = directory;
        this.manner = manner;
        this.rpc = rpc;
    }

    static RoughKubelet open(Path directory, Manner manner) throws IOException {
        Files.createDirectories(directory);
        RoughKubelet kubelet = new RoughKubelet(directory, manner, UnixRpc.open());
        kubelet.servers.add(kubelet.rpc.serve(directory.resolve("kubelet.sock"), kubelet));
        return kubelet;
    }

    /** Never answers. */
    static void hang(RoughKubelet kubelet, RegisterRequest request, StreamObserver<Empty> plugin) {}

    /** Answers OK and does nothing else. */
    static void forget(RoughKubelet kubelet, RegisterRequest request, StreamObserver<Empty> plugin) {
        ok(plugin);
    }

    /** Dials back, has the plugin's options, and never answers. */
    static void dialAndHang(RoughKubelet kubelet, RegisterRequest request, StreamObserver<Empty> plugin) {
        kubelet.dialBack(request);
    }

    /** Does as a kubelet should. */
    static void follow(RoughKubelet kubelet, RegisterRequest request, StreamObserver<Empty> plugin) {
        try {
            PluginClient client = kubelet.dialBack(request);
            ok(plugin);
            kubelet.watches.add(client.watch());
        } catch (StatusRuntimeException e) {
            kubelet.failures.add(request.getEndpoint() + ": " + e.getStatus());
            plugin.onError(e);
        }
    }

    /** Reads the first list and hangs up. */
    static void hangUp(RoughKubelet kubelet, RegisterRequest request, StreamObserver<Empty> plugin) {
        PluginClient client = kubelet.dialBack(request);
        ok(plugin);
        PluginClient.Watch watch = client.watch();
        try {
            watch.lists().awaitCount(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        watch.cancel();
        kubelet.watches.add(watch);
    }

    /** Refuses so many times, and then does as a kubelet should. */
    static Manner refusing(int times, Function<RegisterRequest, String> text) {
        AtomicInteger left = new AtomicInteger(times);
        return (kubelet, request, plugin) -> {
            if (left.getAndDecrement() > 0) {
                plugin.onError(
                        Status.UNKNOWN.withDescription(text.apply(request)).asRuntimeException());
            } else {
                follow(kubelet, request, plugin);
            }
        };
    }

    private static void ok(StreamObserver<Empty> plugin) {
        plugin.onNext(Empty.getDefaultInstance());
        plugin.onCompleted();
    }

    private PluginClient dialBack(RegisterRequest request) {
        PluginClient client = PluginClient.dial(rpc, directory.resolve(request.getEndpoint()));
        clients.add(client);
        client.options();
        return client;
    }

    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> plugin) {
        // unset, answering one who gave up would throw
        ((ServerCallStreamObserver<Empty>) plugin).setOnCancelHandler(() -> {});
        registrations.add(request);
        answers.add(Thread.ofVirtual().start(() -> {
            try {
                manner.answer(this, request, plugin);
            } catch (StatusRuntimeException e) {
                failures.add(request.getEndpoint() + ": " + e.getStatus());
            }
        }));
    }

    Seen<RegisterRequest> registrations() {
        return registrations;
    }

    /** The streams of plugins, as they were opened. */
    Seen<PluginClient.Watch> watches() {
        return watches;
    }

    /** Plugins that did not serve when they registered. */
    List<String> failures() {
        return failures.all();
    }

    /** No more plugins, then no more calls, and only then what they are made on. */
    @Override
    public void close() throws InterruptedException {
        for (Server server : servers) {
            server.shutdownNow().awaitTermination(TestDaemon.PATIENCE.toMillis(), MILLISECONDS);
        }
        for (Thread answer : answers) {
            answer.interrupt();
            answer.join(TestDaemon.PATIENCE);
        }
        for (PluginClient client : clients) {
            client.close();
        }
        rpc.close();
    }
}
