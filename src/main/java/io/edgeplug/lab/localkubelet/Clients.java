package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Context;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The plugins to which a running kubelet is connected, however it found them. It follows the clients of
 * plugin/v1beta1/handler.go.
 *
 * <p>Up to Kubernetes 1.36, a resource has one client, the newest. Whenever any stream of the resource ends, that
 * client is disconnected and forgotten. So a plugin that registers before it ends its old stream loses the new one.
 * From 1.37 on, a client is a resource with a socket. No kubelet ends the old stream by itself.
 *
 * <p>If a Register fails, every kubelet forgets the client that it would have replaced, even a living one. Its lists
 * still count, but nobody notices its end.
 */
final class Clients implements AutoCloseable {

    /** Closing takes a few milliseconds, unless the machine is busy or a listener is slow. */
    private static final long CLOSE_SECONDS = 5;

    private final UnixRpc rpc;
    private final Ledger ledger;
    private final Deadlines deadlines;
    private final boolean bySocket;
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("plugin-", 0).factory());
    /** Those that are not disconnected, including forgotten ones. */
    private final Set<Endpoint> open = new HashSet<>();

    /** In the order in which they came; up to 1.36, at most one of each resource. */
    private final List<Endpoint> clients = new ArrayList<>();

    private boolean closing;

    Clients(UnixRpc rpc, Ledger ledger, KubeletOptions options, Deadlines deadlines) {
        this.rpc = rpc;
        this.ledger = ledger;
        this.deadlines = deadlines;
        this.bySocket = options.knowsPluginsBySocket();
    }

    UnixRpc rpc() {
        return rpc;
    }

    Deadlines deadlines() {
        return deadlines;
    }

    /**
     * Runs blocking work on a virtual thread of its own.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the kubelet is stopping
     */
    void execute(Runnable work) {
        threads.execute(work);
    }

    /**
     * Dials a plugin, which then has the resource.
     *
     * @param caller ends the dialling when it ends
     */
    Endpoint connect(DevicePluginApi api, ResourceName resource, Path socket, Context caller) throws PluginException {
        Endpoint endpoint = add(api, resource, socket);
        try {
            endpoint.connect(caller);
            ledger.connected(endpoint);
        } catch (PluginException e) {
            forget(resource, socket);
            endpoint.hangUp(e.reason());
            closed(endpoint);
            throw e;
        }
        return endpoint;
    }

    /** Reads a connected plugin's lists until its stream ends. */
    void follow(Endpoint endpoint) {
        String reason = endpoint.follow(devices -> ledger.listed(endpoint, devices));
        Optional<Endpoint> client = forget(endpoint.resource(), endpoint.socket());
        ledger.ended(endpoint, reason, client.orElse(null));
        client.ifPresent(lost -> {
            endpoint.hangUp(reason);
            lost.disconnect("hung up on, since the stream of " + endpoint.socketName() + " ended");
        });
        if (endpoint.isHungUp()) {
            closed(endpoint);
        }
    }

    private synchronized Endpoint add(DevicePluginApi api, ResourceName resource, Path socket) throws PluginException {
        if (closing) {
            throw new PluginException("the kubelet is stopping");
        }
        Endpoint endpoint = new Endpoint(rpc, api, socket, resource, deadlines);
        open.add(endpoint);
        if (!bySocket) {
            forget(resource, socket);
        }
        clients.add(endpoint);
        return endpoint;
    }

    /** Returns the client that was removed, if there was one; the oldest if a socket registers for the second time. */
    private synchronized Optional<Endpoint> forget(ResourceName resource, Path socket) {
        List<Endpoint> lost = clients.stream()
                .filter(client -> client.resource().equals(resource)
                        && (!bySocket || client.socket().equals(socket)))
                .toList();
        clients.removeAll(lost);
        return lost.stream().findFirst();
    }

    private synchronized void closed(Endpoint endpoint) {
        open.remove(endpoint);
    }

    private synchronized List<Endpoint> refuseMore() {
        closing = true;
        return List.copyOf(open);
    }

    /** Disconnects all plugins, and waits until each is noted as gone. */
    @Override
    public void close() {
        List<Endpoint> connected = refuseMore();
        connected.forEach(endpoint -> endpoint.hangUp("the kubelet stopped"));
        threads.shutdown();
        try {
            threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ledger.stopped();
    }
}
