package io.edgeplug.kubelet;

import io.edgeplug.linux.UnixRpc;
import io.edgeplug.supply.Resource;
import io.grpc.Channel;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One resource on one socket, for one registration at a time.
 *
 * <p>A kubelet up to 1.36 takes the end of an old stream for the end of the resource. A kubelet from 1.37 on refuses a
 * socket that it still knows. So no kubelet gets the same name twice, and the previous endpoint is closed first. The
 * next kubelet knows none of the names, and may get the same one.
 */
final class Endpoint implements AutoCloseable {

    private static final Duration CLOSE = Duration.ofMillis(500);

    private final Resource resource;
    private final KubeletApi api;
    private final Path directory;
    private final Path socket;
    private final Server server;
    private final Progress progress;

    private Endpoint(Resource resource, KubeletApi api, Path directory, Path socket, Server server, Progress progress) {
        this.resource = resource;
        this.api = api;
        this.directory = directory;
        this.socket = socket;
        this.server = server;
        this.progress = progress;
    }

    /**
     * Serves the resource on a new socket.
     *
     * @param wake runs when its registration has failed or ended
     * @throws IOException if the socket cannot be made
     */
    static Endpoint open(UnixRpc rpc, PluginDirectory directory, Resource resource, KubeletApi api, Runnable wake)
            throws IOException {
        Path socket = SocketNames.next(directory.sockets(), resource.name());
        // If the kubelet comes by itself, nobody knows when to look.
        Progress progress = new Progress(directory.isRegistry() ? wake : directory::progressed, wake);
        List<ServerServiceDefinition> services =
                api.services(resource, progress).stream().map(RequestLimits::on).toList();
        Server server = rpc.serve(socket, services);
        return new Endpoint(resource, api, directory.path(), socket, server, progress);
    }

    /** Begins to register it with the kubelet of that connection. */
    void announce(Channel kubelet) {
        // The kubelet joins this name to its own directory (Register in devicemanager/plugin/v1beta1/server.go).
        api.announce(kubelet, directory.relativize(socket).toString(), resource, progress);
    }

    /** Whether it is served in that version. */
    boolean speaks(KubeletApi version) {
        return api.equals(version);
    }

    Progress progress() {
        return progress;
    }

    Path socket() {
        return socket;
    }

    /** Whether its socket still exists. */
    boolean hasSocket() {
        return Files.exists(socket, LinkOption.NOFOLLOW_LINKS);
    }

    /** Ends the streams and removes the socket. */
    @Override
    public void close() {
        progress.giveUp();
        server.shutdownNow();
        try {
            server.awaitTermination(CLOSE.toMillis(), TimeUnit.MILLISECONDS);
            progress.awaitWriters(CLOSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
