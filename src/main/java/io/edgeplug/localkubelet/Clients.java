package io.edgeplug.localkubelet;

import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.UnixRpc;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The plugins that a running kubelet is connected to, however it found them; follows the clients of
 * plugin/v1beta1/handler.go.
 *
 * <p>Up to Kubernetes 1.35 a resource has one client, the newest, and whenever any stream of the resource ends, that
 * client is hung up on and forgotten: a plugin that registers before it ends its old stream loses the new one. From 1.36
 * on, resource and socket together are a client. No kubelet ends the old stream by itself.
 */
final class Clients implements AutoCloseable {

    private static final int FIRST_BY_SOCKET = 36;
    /** Takes a few milliseconds, unless the machine is busy with others or a listener dawdles. */
    private static final long CLOSE_SECONDS = 5;

    private final UnixRpc rpc;
    private final Ledger ledger;
    private final Deadlines deadlines;
    private final boolean bySocket;
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("plugin-", 0).factory());
    private final List<Endpoint> all = new ArrayList<>();
    /** Up to 1.35 only. */
    private final Map<ResourceName, Endpoint> newest = new HashMap<>();

    private boolean closing;

    Clients(UnixRpc rpc, Ledger ledger, KubeletOptions options, Deadlines deadlines) {
        this.rpc = rpc;
        this.ledger = ledger;
        this.deadlines = deadlines;
        this.bySocket = options.minorVersion() >= FIRST_BY_SOCKET;
    }

    UnixRpc rpc() {
        return rpc;
    }

    Deadlines deadlines() {
        return deadlines;
    }

    /**
     * Runs what may block on a virtual thread of its own.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the kubelet is stopping
     */
    void execute(Runnable work) {
        threads.execute(work);
    }

    /** Dials a plugin, which then has the resource. */
    Endpoint connect(DevicePluginApi api, ResourceName resource, Path socket) throws PluginException {
        Endpoint endpoint = add(api, resource, socket);
        try {
            endpoint.connect();
        } catch (PluginException e) {
            endpoint.stop(e.reason());
            failed(endpoint);
            throw e;
        }
        ledger.connected(endpoint);
        return endpoint;
    }

    /** Reads a connected plugin's lists until its stream ends. */
    void follow(Endpoint endpoint) {
        String reason = endpoint.follow(devices -> ledger.listed(endpoint, devices, !bySocket));
        Optional<Endpoint> lost = ended(endpoint);
        if (lost.isEmpty()) {
            ledger.ended(endpoint, reason);
            return;
        }
        Endpoint client = lost.orElseThrow();
        if (client.equals(endpoint)) {
            ledger.disconnected(endpoint, reason);
            return;
        }
        ledger.ended(endpoint, reason);
        String because = "hung up on, since the stream of " + endpoint.socketName() + " ended";
        if (client.isConnected()) {
            ledger.disconnected(client, because);
        } else {
            ledger.disconnected(client.resource(), because);
        }
    }

    private synchronized Endpoint add(DevicePluginApi api, ResourceName resource, Path socket) throws PluginException {
        if (closing) {
            throw new PluginException("the kubelet is stopping");
        }
        if (bySocket
                && all.stream()
                        .anyMatch(other -> other.resource().equals(resource)
                                && other.socket().equals(socket))) {
            throw new PluginException(
                    "device plugin of " + resource + " on socket " + socket.getFileName() + " is already registered");
        }
        Endpoint endpoint = Endpoint.open(rpc, api, socket, resource, deadlines);
        all.add(endpoint);
        newest.put(resource, endpoint);
        return endpoint;
    }

    /** Up to 1.35, the resource has no client then, also if it had one before. */
    private synchronized void failed(Endpoint endpoint) {
        all.remove(endpoint);
        newest.remove(endpoint.resource());
    }

    /** Returns the client that this costs the resource: often itself, maybe another, maybe none. */
    private synchronized Optional<Endpoint> ended(Endpoint endpoint) {
        all.remove(endpoint);
        return bySocket ? Optional.of(endpoint) : Optional.ofNullable(newest.remove(endpoint.resource()));
    }

    private synchronized List<Endpoint> refuseMore() {
        closing = true;
        return List.copyOf(all);
    }

    /** Hangs up on all plugins and waits until each has been noted as gone. */
    @Override
    public void close() {
        List<Endpoint> connected = refuseMore();
        connected.forEach(endpoint -> endpoint.stop("the kubelet stopped"));
        threads.shutdown();
        try {
            threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
