package io.edgeplug.lab.localkubelet;

import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.BindableService;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The sockets below a kubelet's root directory that report its pods, from one start to the next. */
final class PodApis implements AutoCloseable {

    private static final long CLOSE_SECONDS = 5;

    private final PodsServer pods;
    private final List<Server> servers = new ArrayList<>();

    private PodApis(PodsServer pods) {
        this.pods = pods;
    }

    /** Serves the APIs of that version. The kubelet does not have its pods before {@link #begin}. */
    static PodApis open(UnixRpc rpc, Path root, KubeletOptions options, PodTable pods, Ledger ledger)
            throws IOException {
        PodApis apis = new PodApis(new PodsServer(pods));
        try {
            apis.serve(rpc, root.resolve("pod-resources/kubelet.sock"), new PodResourcesServer(pods, ledger, options));
            if (options.hasPodsApi()) {
                apis.serve(rpc, root.resolve("pods-api/pods-api.sock"), apis.pods);
            }
            return apis;
        } catch (IOException | RuntimeException e) {
            apis.close();
            throw e;
        }
    }

    private void serve(UnixRpc rpc, Path socket, BindableService service) throws IOException {
        Files.createDirectories(socket.resolveSibling(""));
        if (RegistrationServer.isSocket(socket)) {
            Files.delete(socket);
        }
        servers.add(rpc.serve(socket, service));
    }

    /** The kubelet has its pods now. */
    void begin() {
        pods.begin();
    }

    /** Returns when the sockets are unlinked, so that those of the next kubelet stay. */
    @Override
    public void close() {
        servers.forEach(Server::shutdownNow);
        try {
            for (Server server : servers) {
                server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
