package io.edgeplug.api.kubelet;

import io.edgeplug.api.kubelet.KubeletConnection.Established;
import io.edgeplug.node.pods.KubeletSocket;
import io.edgeplug.node.supply.Resource;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.BindableService;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One resource on one socket, for one registration at a time.
 *
 * <p>A kubelet up to 1.36 takes the end of an old stream for the end of the resource. A kubelet from 1.37 on refuses a
 * socket that it still knows. So no kubelet gets the same name twice, and the previous socket is closed first. The next
 * kubelet knows none of the names, and may get the same one.
 */
final class ServedSocket implements AutoCloseable {

    private static final Duration CLOSE = Duration.ofMillis(500);

    private final Resource resource;
    private final KubeletApi api;
    private final Path directory;
    private final Path path;
    private final Server server;
    private final Registration registration;
    private volatile @Nullable KubeletSocket asked;

    /**
     * Serves the resource on a new socket.
     *
     * @param wake runs when its registration has failed or ended
     * @throws IOException if the socket cannot be made
     */
    ServedSocket(
            UnixRpc rpc, PluginDirectory directory, Resource resource, KubeletApi api, PluginLog log, Runnable wake)
            throws IOException {
        this.resource = resource;
        this.api = api;
        this.directory = directory.path();
        this.path = SocketNames.next(directory.sockets(), resource.name());
        boolean isFound = directory.isRegistry();
        // If the kubelet comes by itself, nobody knows when to look.
        this.registration = new Registration(log, isFound, isFound ? wake : directory::progressed, wake);
        this.server = rpc.serve(path, api.services(resource, registration).toArray(BindableService[]::new));
    }

    /** Begins to register it with the kubelet of that connection. */
    void ask(Established kubelet) {
        asked = kubelet.kubelet();
        // The kubelet joins this name to its own directory (Register in devicemanager/plugin/v1beta1/server.go).
        api.announce(kubelet.channel(), directory.relativize(path).toString(), resource, registration);
    }

    /** Whether this kubelet was asked to register it; true for none if kubelets find it by themselves. */
    boolean hasAsked(@Nullable KubeletSocket kubelet) {
        return Objects.equals(asked, kubelet);
    }

    boolean speaks(KubeletApi version) {
        return api.equals(version);
    }

    Registration registration() {
        return registration;
    }

    Path path() {
        return path;
    }

    /** Whether it still exists. */
    boolean exists() {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** Ends the streams and removes the socket. */
    @Override
    public void close() {
        registration.giveUp();
        server.shutdownNow();
        try {
            server.awaitTermination(CLOSE.toMillis(), TimeUnit.MILLISECONDS);
            registration.awaitWriters(CLOSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
