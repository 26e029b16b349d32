package io.edgeplug.localkubelet;

import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.localkubelet.Endpoint.PluginException;
import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.proto.v1beta1.RegisterRequest;
import io.edgeplug.proto.v1beta1.RegistrationGrpc.RegistrationImplBase;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Register, and the plugins that called it; follows plugin/v1beta1/handler.go.
 *
 * <p>Each plugin has a virtual thread that dials it back, answers its Register and then reads its lists to the end.
 * Errors are status UNKNOWN, as plain Go errors arrive.
 */
final class Registrations extends RegistrationImplBase implements AutoCloseable {

    private static final String VERSION = "v1beta1";
    /** Takes a few milliseconds, unless the machine is busy with others or a listener dawdles. */
    private static final long CLOSE_SECONDS = 5;

    private final UnixRpc rpc;
    private final Path directory;
    private final Ledger ledger;
    private final Duration dialDeadline;
    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("plugin-", 0).factory());
    private final List<Endpoint> endpoints = new ArrayList<>();
    private boolean closing;

    Registrations(UnixRpc rpc, Path directory, Ledger ledger, Duration dialDeadline) {
        this.rpc = rpc;
        this.directory = directory;
        this.ledger = ledger;
        this.dialDeadline = dialDeadline;
    }

    /** Lets callers in; those that came before have waited. */
    void begin() {
        begun.complete(null);
    }

    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> caller) {
        // the kubelet goes on without a caller who gave up; unset, answering one would throw
        ((ServerCallStreamObserver<Empty>) caller).setOnCancelHandler(() -> {});
        try {
            threads.execute(() -> serve(request, caller));
        } catch (RejectedExecutionException e) {
            caller.onError(Status.UNAVAILABLE
                    .withDescription("the kubelet is stopping")
                    .withCause(e)
                    .asRuntimeException());
        }
    }

    private void serve(RegisterRequest request, StreamObserver<Empty> caller) {
        begun.join();
        Endpoint endpoint;
        try {
            endpoint = connect(request);
        } catch (PluginException e) {
            ledger.tell(new KubeletEvent.RegistrationRefused(request.getResourceName(), e.reason()));
            caller.onError(Status.UNKNOWN.withDescription(e.reason()).asRuntimeException());
            return;
        }
        caller.onNext(Empty.getDefaultInstance());
        caller.onCompleted();
        String reason = endpoint.follow(devices -> ledger.listed(endpoint, devices));
        forget(endpoint);
        ledger.disconnected(endpoint, reason);
    }

    private Endpoint connect(RegisterRequest request) throws PluginException {
        if (!request.getVersion().equals(VERSION)) {
            throw new PluginException(
                    "requested API version \"%s\" is not supported by kubelet. Supported version is [\"%s\"]"
                            .formatted(request.getVersion(), VERSION));
        }
        Endpoint endpoint = remember(resource(request), socketName(request));
        try {
            endpoint.connect(dialDeadline);
        } catch (PluginException e) {
            endpoint.stop(e.reason());
            forget(endpoint);
            throw e;
        }
        ledger.connected(endpoint).ifPresent(before -> before.stop("replaced by " + endpoint.socketName()));
        return endpoint;
    }

    private static ResourceName resource(RegisterRequest request) throws PluginException {
        try {
            return ResourceName.parse(request.getResourceName());
        } catch (IllegalArgumentException e) {
            throw new PluginException("the ResourceName \"" + request.getResourceName() + "\" is invalid");
        }
    }

    /** The kubelet joins whatever it is sent to its directory; a path is a plugin's mistake. */
    private static String socketName(RegisterRequest request) throws PluginException {
        String name = request.getEndpoint();
        if (name.isEmpty() || name.equals(".") || name.equals("..") || name.contains("/") || name.contains("\0")) {
            throw new PluginException("the endpoint \"" + name + "\" is not a file name");
        }
        return name;
    }

    /** As from Kubernetes 1.36 on, resource and socket together are a plugin's identity. */
    private synchronized Endpoint remember(ResourceName resource, String socketName) throws PluginException {
        if (closing) {
            throw new PluginException("the kubelet is stopping");
        }
        for (Endpoint other : endpoints) {
            if (other.resource().equals(resource) && other.socketName().equals(socketName)) {
                throw new PluginException(
                        "device plugin of " + resource + " on socket " + socketName + " is already registered");
            }
        }
        Endpoint endpoint = Endpoint.open(rpc, directory, resource, socketName);
        endpoints.add(endpoint);
        return endpoint;
    }

    private synchronized void forget(Endpoint endpoint) {
        endpoints.remove(endpoint);
    }

    private synchronized List<Endpoint> refuseMore() {
        closing = true;
        return List.copyOf(endpoints);
    }

    /** Hangs up on all plugins and waits until each has been noted as gone. */
    @Override
    public void close() {
        refuseMore().forEach(endpoint -> endpoint.stop("the kubelet stopped"));
        begin();
        threads.shutdown();
        try {
            threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
