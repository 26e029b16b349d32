package io.edgeplug.kubelet;

import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.proto.v1beta1.RegisterRequest;
import io.edgeplug.proto.v1beta1.RegistrationGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One resource served on one socket, for one registration.
 *
 * <p>A kubelet up to 1.35 takes the end of an old stream for the end of the resource, and one from 1.36 refuses a socket
 * that it still knows: so a socket's name is never used twice, and the endpoint before is closed first.
 */
final class Endpoint implements AutoCloseable {

    private static final String VERSION = "v1beta1";

    /** The kubelet dials back before it answers, for which it gives itself ten seconds. */
    private static final long REGISTER_SECONDS = 15;

    private static final long FIRST_LIST_SECONDS = 10;
    private static final long CLOSE_MILLIS = 500;

    private final ResourceName resource;
    private final Path socket;
    private final Server server;
    private final CompletableFuture<Integer> firstList;
    private final AtomicBoolean streamEnded;

    private Endpoint(
            ResourceName resource,
            Path socket,
            Server server,
            CompletableFuture<Integer> firstList,
            AtomicBoolean streamEnded) {
        this.resource = resource;
        this.socket = socket;
        this.server = server;
        this.firstList = firstList;
        this.streamEnded = streamEnded;
    }

    /**
     * Serves the resource on a new socket.
     *
     * @param wake run when the kubelet's stream has ended
     * @throws IOException if the socket cannot be made
     */
    static Endpoint open(UnixRpc rpc, Path directory, DeviceClass deviceClass, Monitor monitor, Runnable wake)
            throws IOException {
        Path socket = SocketNames.next(directory, deviceClass.resource());
        CompletableFuture<Integer> firstList = new CompletableFuture<>();
        AtomicBoolean streamEnded = new AtomicBoolean();
        PluginService service = new PluginService(monitor, deviceClass, firstList::complete, () -> {
            streamEnded.set(true);
            wake.run();
        });
        Server server = rpc.serve(socket, service);
        return new Endpoint(deviceClass.resource(), socket, server, firstList, streamEnded);
    }

    /**
     * Registers with the kubelet, and waits until it has the first list: its OK alone does not say that it reads.
     *
     * @return how many devices the first list had
     */
    int register(UnixRpc rpc, Path kubeletSocket) throws RegistrationException, InterruptedException {
        RegisterRequest request = RegisterRequest.newBuilder()
                .setVersion(VERSION)
                .setEndpoint(String.valueOf(socket.getFileName()))
                .setResourceName(resource.toString())
                .setOptions(PluginService.OPTIONS)
                .build();
        ManagedChannel channel = rpc.dial(kubeletSocket);
        try {
            RegistrationGrpc.newFutureStub(channel)
                    .withDeadlineAfter(REGISTER_SECONDS, TimeUnit.SECONDS)
                    .register(request)
                    .get();
            return firstList.get(FIRST_LIST_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new RegistrationException(reason(e));
        } catch (TimeoutException e) {
            throw new RegistrationException("the kubelet said OK and did not ask for the devices");
        } finally {
            channel.shutdownNow();
        }
    }

    /** Whether the kubelet can still be told: its stream has not ended, and the socket has not been deleted. */
    boolean isAlive() {
        return !streamEnded.get() && Files.exists(socket, LinkOption.NOFOLLOW_LINKS);
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

    private static String reason(ExecutionException e) {
        Status status = Status.fromThrowable(e);
        Throwable cause = status.getCause();
        if (status.getCode() == Status.Code.UNAVAILABLE && cause != null) {
            return "cannot reach the kubelet: " + cause.getMessage();
        }
        String description = status.getDescription();
        return description == null ? status.getCode().toString() : description;
    }
}
