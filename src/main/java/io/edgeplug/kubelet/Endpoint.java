package io.edgeplug.kubelet;

import io.edgeplug.linux.UnixRpc;
import io.grpc.BindableService;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * One resource served on one socket, for one registration.
 *
 * <p>A kubelet up to 1.35 takes the end of an old stream for the end of the resource, and one from 1.36 refuses a socket
 * that it still knows: so a socket's name is never used twice, and the endpoint before is closed first.
 */
final class Endpoint implements AutoCloseable {

    private static final Duration CLOSE = Duration.ofMillis(500);

    private final Resource resource;
    private final KubeletApi api;
    private final Path socket;
    private final Server server;
    private final Progress progress;

    private Endpoint(Resource resource, KubeletApi api, Path socket, Server server, Progress progress) {
        this.resource = resource;
        this.api = api;
        this.socket = socket;
        this.server = server;
        this.progress = progress;
    }

    /**
     * Serves the resource on a new socket.
     *
     * @throws IOException if the socket cannot be made
     */
    static Endpoint open(UnixRpc rpc, PluginDirectory directory, Resource resource, KubeletApi api) throws IOException {
        Path socket = SocketNames.next(directory.path(), resource.name());
        Progress progress = new Progress(directory::wake);
        Server server = rpc.serve(socket, api.services(resource, progress).toArray(BindableService[]::new));
        return new Endpoint(resource, api, socket, server, progress);
    }

    /** Begins to register it with the kubelet on that socket. */
    void announce(UnixRpc rpc, Path kubelet) {
        api.announce(rpc, kubelet, String.valueOf(socket.getFileName()), resource, progress);
    }

    Progress progress() {
        return progress;
    }

    /** Why the kubelet cannot be told anything any more; empty while it can, or may yet be. */
    Optional<String> problem() {
        return progress.problem()
                .or(() -> Files.exists(socket, LinkOption.NOFOLLOW_LINKS)
                        ? Optional.empty()
                        : Optional.of("its socket was deleted"));
    }

    /** Ends the streams and takes the socket away. */
    @Override
    public void close() {
        progress.answered();
        server.shutdownNow();
        try {
            server.awaitTermination(CLOSE.toMillis(), TimeUnit.MILLISECONDS);
            progress.awaitWriters(CLOSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
