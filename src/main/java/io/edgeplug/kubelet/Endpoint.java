package io.edgeplug.kubelet;

import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.proto.v1beta1.RegisterRequest;
import io.edgeplug.proto.v1beta1.RegistrationGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * One resource served on one socket, for one registration.
 *
 * <p>A kubelet up to 1.35 takes the end of an old stream for the end of the resource, and one from 1.36 refuses a socket
 * that it still knows: so a socket's name is never used twice, and the endpoint before is closed first.
 */
final class Endpoint implements AutoCloseable {

    private static final String VERSION = "v1beta1";

    /** The kubelet dials back before it answers Register, for which it gives itself ten seconds, and then lists. */
    private static final Duration DEADLINE = Duration.ofSeconds(15);

    private static final long CLOSE_MILLIS = 500;

    private final ResourceName resource;
    private final Path socket;
    private final Server server;
    private final Progress progress;
    private final Instant deadline = Instant.now().plus(DEADLINE);

    private Endpoint(ResourceName resource, Path socket, Server server, Progress progress) {
        this.resource = resource;
        this.socket = socket;
        this.server = server;
        this.progress = progress;
    }

    /** What the kubelet has done so far; written on the epoll loop and by the stream's thread. */
    private static final class Progress {
        private volatile boolean accepted;
        private volatile Optional<String> refusal = Optional.empty();
        private volatile Optional<Integer> listed = Optional.empty();
        private volatile boolean hungUp;
    }

    /**
     * Serves the resource on a new socket and begins to register it.
     *
     * @param wake run on any thread when the kubelet has done something
     * @throws IOException if the socket cannot be made
     */
    static Endpoint open(
            UnixRpc rpc, PluginDirectory directory, DeviceClass deviceClass, Monitor monitor, Runnable wake)
            throws IOException {
        Path socket = SocketNames.next(directory.path(), deviceClass.resource());
        Progress progress = new Progress();
        IntConsumer listSent = count -> {
            if (progress.listed.isEmpty()) {
                progress.listed = Optional.of(count);
                wake.run();
            }
        };
        Runnable hungUp = () -> {
            progress.hungUp = true;
            wake.run();
        };
        Server server = rpc.serve(socket, new PluginService(monitor, deviceClass, listSent, hungUp));
        Endpoint endpoint = new Endpoint(deviceClass.resource(), socket, server, progress);
        endpoint.register(rpc.dial(directory.kubeletSocket()), wake);
        return endpoint;
    }

    private void register(ManagedChannel kubelet, Runnable wake) {
        RegisterRequest request = RegisterRequest.newBuilder()
                .setVersion(VERSION)
                .setEndpoint(String.valueOf(socket.getFileName()))
                .setResourceName(resource.toString())
                .setOptions(PluginService.OPTIONS)
                .build();
        StreamObserver<Empty> answer = new StreamObserver<>() {
            @Override
            public void onNext(Empty ok) {
                progress.accepted = true;
                wake.run();
            }

            @Override
            public void onError(Throwable error) {
                progress.refusal = Optional.of(reason(error));
                kubelet.shutdownNow();
                wake.run();
            }

            @Override
            public void onCompleted() {
                kubelet.shutdownNow();
            }
        };
        RegistrationGrpc.newStub(kubelet)
                .withDeadlineAfter(DEADLINE.toNanos(), TimeUnit.NANOSECONDS)
                .register(request, answer);
    }

    /**
     * How many devices the kubelet was told first; empty while the registration goes on. The kubelet's OK alone does
     * not say that it reads.
     */
    Optional<Integer> registered() {
        return progress.accepted ? progress.listed : Optional.empty();
    }

    /** How long to go on waiting for a registration; empty once it is done. */
    Optional<Duration> patience() {
        return registered().isPresent()
                ? Optional.empty()
                : Optional.of(Duration.between(Instant.now(), deadline).plusMillis(1));
    }

    /** Why the kubelet cannot be told anything any more; empty while it can, or may yet be. */
    Optional<String> problem() {
        if (progress.refusal.isPresent()) {
            return progress.refusal.map(reason -> "cannot register: " + reason);
        }
        if (registered().isEmpty() && Instant.now().isAfter(deadline)) {
            return Optional.of("cannot register: the kubelet said OK and has not asked for the devices");
        }
        if (progress.hungUp) {
            return Optional.of("the kubelet has hung up");
        }
        return Files.exists(socket, LinkOption.NOFOLLOW_LINKS)
                ? Optional.empty()
                : Optional.of("its socket was deleted");
    }

    /** Ends the streams and takes the socket away. */
    @Override
    public void close() {
        server.shutdownNow();
        try {
            server.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
            Files.deleteIfExists(socket);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // the kubelet deletes it when it starts
        }
    }

    private static String reason(Throwable error) {
        Status status = Status.fromThrowable(error);
        Throwable cause = status.getCause();
        if (status.getCode() == Status.Code.UNAVAILABLE && cause != null) {
            return "cannot reach the kubelet: " + cause.getMessage();
        }
        String description = status.getDescription();
        return description == null ? status.getCode().toString() : description;
    }
}
