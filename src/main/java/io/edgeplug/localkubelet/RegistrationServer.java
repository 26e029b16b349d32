package io.edgeplug.localkubelet;

import io.edgeplug.linux.UnixRpc;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * {@code kubelet.sock}, from one start of the kubelet to the next; follows plugin/v1beta1/server.go and
 * CleanupPluginDirectory in manager.go.
 */
final class RegistrationServer implements AutoCloseable {

    private static final String SOCKET = "kubelet.sock";
    /** Takes a few milliseconds, unless the machine is busy with others. */
    private static final long CLOSE_SECONDS = 5;

    private static final int FILE_TYPE = 0170000;
    private static final int SOCKET_TYPE = 0140000;

    private final Server server;
    private final Registrations registrations;

    private RegistrationServer(Server server, Registrations registrations) {
        this.server = server;
        this.registrations = registrations;
    }

    /** Clears the directory of sockets, which may have to be made first, and serves. */
    static RegistrationServer open(UnixRpc rpc, Path directory, Ledger ledger, Duration dialDeadline)
            throws IOException {
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---")));
        deleteSockets(directory);
        Path socket = directory.resolve(SOCKET);
        Registrations registrations = new Registrations(rpc, directory, ledger, dialDeadline);
        Server server = rpc.serve(socket, registrations);
        ledger.tell(new KubeletEvent.Serving(socket));
        registrations.begin();
        return new RegistrationServer(server, registrations);
    }

    private static void deleteSockets(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (isSocket(file)) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /** Follows links, as the kubelet does: a link to a socket is deleted too. */
    private static boolean isSocket(Path file) throws IOException {
        try {
            return ((int) Files.getAttribute(file, "unix:mode") & FILE_TYPE) == SOCKET_TYPE;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Ends when the socket is unlinked: an unlinking that came later could hit the next kubelet's. */
    @Override
    public void close() {
        server.shutdownNow();
        try {
            server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        registrations.close();
    }
}
