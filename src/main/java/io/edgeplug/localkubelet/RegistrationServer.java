package io.edgeplug.localkubelet;

import io.grpc.BindableService;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * {@code kubelet.sock}, from one start of the kubelet to the next. It follows plugin/v1beta1/server.go and
 * CleanupPluginDirectory in manager.go.
 */
final class RegistrationServer implements AutoCloseable {

    private static final String SOCKET = "kubelet.sock";
    /** Closing takes a few milliseconds, unless the machine is busy. */
    private static final long CLOSE_SECONDS = 5;

    private static final int FILE_TYPE = 0170000;
    private static final int SOCKET_TYPE = 0140000;

    private final Server server;
    private final Registrations registrations;

    private RegistrationServer(Server server, Registrations registrations) {
        this.server = server;
        this.registrations = registrations;
    }

    /** Makes the directory if it is missing, and deletes every socket in it, in the order of their names. */
    static void clear(Path directory) throws IOException {
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---")));
        List<Path> files;
        try (Stream<Path> entries = Files.list(directory)) {
            files = entries.sorted().toList();
        }
        for (Path file : files) {
            if (isSocket(file)) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Follows links, as the kubelet does: a link to a socket counts as one. */
    static boolean isSocket(Path file) throws IOException {
        try {
            return ((int) Files.getAttribute(file, "unix:mode") & FILE_TYPE) == SOCKET_TYPE;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Serves in a directory that has been cleared. */
    static RegistrationServer open(Path directory, KubeletOptions options, Ledger ledger, Clients clients)
            throws IOException {
        Path socket = directory.resolve(SOCKET);
        Registrations registrations = new Registrations(directory, options, ledger, clients);
        Server server = clients.rpc()
                .serve(
                        socket,
                        options.apis().stream().map(registrations::service).toArray(BindableService[]::new));
        ledger.tell(new KubeletEvent.Serving(socket));
        registrations.begin();
        return new RegistrationServer(server, registrations);
    }

    /** Returns when the socket is unlinked. A later unlink could hit the next kubelet's socket. */
    @Override
    public void close() {
        server.shutdownNow();
        try {
            server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        registrations.begin();
    }
}
