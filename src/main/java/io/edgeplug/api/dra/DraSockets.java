package io.edgeplug.api.dra;

import io.edgeplug.proto.pluginregistration.InfoRequest;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import io.edgeplug.proto.pluginregistration.RegistrationGrpc;
import io.edgeplug.proto.pluginregistration.RegistrationStatus;
import io.edgeplug.proto.pluginregistration.RegistrationStatusResponse;
import io.edgeplug.system.files.DirectoryWatch;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Threads;
import io.edgeplug.system.kernel.PlainText;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The driver's two sockets. Claims are prepared on the first. The second is in the directory of the kubelet's plugin
 * watcher, and leads the kubelet to the first. A thread makes both again when somebody deletes them.
 */
final class DraSockets implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(DraSockets.class.getName());

    private static final String TYPE = "DRAPlugin";

    /** The sockets are also checked this often, in case inotify fails. */
    private static final Duration POLL = Duration.ofSeconds(30);

    private static final Duration CLOSE = Duration.ofMillis(500);

    private final UnixRpc rpc;
    private final String driver;
    private final Path calls;
    private final Path registration;
    private final List<ServerServiceDefinition> services;
    private final Runnable registered;
    private final DirectoryWatch watch;
    private final Thread thread;
    private final Lock serving = new ReentrantLock();
    private boolean isClosed;
    private @Nullable Server caller;
    private @Nullable Server registrar;
    private String told = "";
    private volatile boolean isRegistered;

    /**
     * Starts to serve. The kubelet's directories may come later.
     *
     * @param calls the socket on which claims are prepared
     * @param registration the socket that the plugin watcher finds
     * @param registered run when the kubelet has accepted the driver
     * @throws IOException if the directory cannot be watched, or another daemon serves in it
     */
    DraSockets(
            UnixRpc rpc,
            String driver,
            Path calls,
            Path registration,
            List<ServerServiceDefinition> services,
            Runnable registered)
            throws IOException {
        for (Path socket : List.of(registration, calls)) {
            if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS) && UnixRpc.isListening(socket)) {
                throw new IOException(socket + ": another process serves it, stop that one first");
            }
        }
        this.rpc = rpc;
        this.driver = driver;
        this.calls = calls;
        this.registration = registration;
        this.services = List.copyOf(services);
        this.registered = registered;
        this.watch = DirectoryWatch.open(registration.resolveSibling(""));
        this.thread = Front.DRA.platform("dra sockets").start(this::follow);
    }

    private void follow() {
        try {
            while (true) {
                if (!Front.DRA.attempt(this::keep)) {
                    // What it has done before the bug is an event in the directory.
                    Deadline.in(POLL).await();
                }
                Object ignored = watch.await(POLL);
            }
        } catch (InterruptedException | ClosedWatchServiceException e) {
            LOG.fine("no longer watching the sockets of " + driver);
        }
    }

    private void keep() throws InterruptedException {
        boolean areThere = registrar != null
                && Files.exists(registration, LinkOption.NOFOLLOW_LINKS)
                && Files.exists(calls, LinkOption.NOFOLLOW_LINKS);
        if (areThere) {
            return;
        }
        serving.lock();
        try {
            if (!isClosed) {
                serveAnew();
            }
        } finally {
            serving.unlock();
        }
    }

    private void serveAnew() throws InterruptedException {
        shutDown();
        try {
            Path plugins = calls.resolveSibling("").resolveSibling("");
            Path registry = registration.resolveSibling("");
            if (!Files.isDirectory(plugins) || !Files.isDirectory(registry)) {
                tell("waiting for the kubelet: there is no " + (Files.isDirectory(plugins) ? registry : plugins));
                return;
            }
            makeOwn(calls.resolveSibling(""));
            caller = serve(calls, services);
            registrar = serve(registration, List.of(new Registration().bindService()));
            told = "";
        } catch (IOException e) {
            shutDown();
            tell("cannot serve: " + e.getMessage());
        }
    }

    private void tell(String text) {
        if (!told.equals(text)) {
            LOG.warning(driver + ": " + text);
            told = text;
        }
    }

    private static void makeOwn(Path directory) throws IOException {
        try {
            Files.createDirectory(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException(directory + ": is in the way, remove it", e);
            }
        }
    }

    private Server serve(Path socket, List<ServerServiceDefinition> what) throws IOException {
        if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            if (UnixRpc.isListening(socket)) {
                throw new IOException(socket + ": another process serves it, stop that one");
            }
            Files.deleteIfExists(socket);
        }
        return rpc.serve(socket, what);
    }

    /** Whether the kubelet has accepted the driver. */
    boolean isRegistered() {
        return isRegistered;
    }

    /** The kubelet asks now and then, and waits a second for the answer. */
    private final class Registration extends RegistrationGrpc.RegistrationImplBase {

        @Override
        public void getInfo(InfoRequest request, StreamObserver<PluginInfo> answer) {
            answer.onNext(PluginInfo.newBuilder()
                    .setType(TYPE)
                    .setName(driver)
                    .setEndpoint(calls.toString())
                    .addAllSupportedVersions(DraService.VERSIONS)
                    .addAllSupportedVersions(HealthService.VERSIONS)
                    .build());
            answer.onCompleted();
        }

        @Override
        public void notifyRegistrationStatus(
                RegistrationStatus status, StreamObserver<RegistrationStatusResponse> answer) {
            isRegistered = status.getPluginRegistered();
            if (isRegistered) {
                LOG.info(driver + ": registered with the kubelet");
                registered.run();
            } else {
                LOG.warning(driver + ": the kubelet refuses the driver: " + PlainText.of(status.getError()));
            }
            answer.onNext(RegistrationStatusResponse.getDefaultInstance());
            answer.onCompleted();
        }
    }

    /** The registration ends first, so that the kubelet never finds a driver that answers no calls. */
    private void shutDown() throws InterruptedException {
        for (Server server :
                Stream.of(registrar, caller).filter(Objects::nonNull).toList()) {
            boolean ignored = server.shutdownNow().awaitTermination(CLOSE.toMillis(), TimeUnit.MILLISECONDS);
        }
        registrar = null;
        caller = null;
    }

    @Override
    public void close() throws IOException {
        Threads.end(thread);
        // A server that is being started just now is shut down too.
        serving.lock();
        try {
            isClosed = true;
            shutDown();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            serving.unlock();
        }
        watch.close();
    }
}
