package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One registered plugin, and the calls to it. It follows endpoint.go and plugin/v1beta1/client.go.
 *
 * <p>All calls block, and belong on a thread that may. A failed call throws {@link PluginException} with the words of
 * grpc-go.
 */
final class Endpoint {

    private static final String PREFERRED_FAILED = "device plugin GetPreferredAllocation rpc failed with err: ";
    private static final String PRE_START_FAILED = "device plugin PreStartContainer rpc failed with err: ";
    private static final Pattern WORD = Pattern.compile("([A-Z])([A-Z]*)_?");
    /** grpc-java's text for grpc-go's "context deadline exceeded". */
    private static final Pattern OWN_DEADLINE = Pattern.compile("(CallOptions|ClientCall).* deadline exceeded.*");

    private final ResourceName resource;
    private final Path socket;
    private final ManagedChannel channel;
    private final PluginCalls plugin;
    private final Deadlines deadlines;
    private volatile DevicePluginOptions options = DevicePluginOptions.getDefaultInstance();
    private volatile @Nullable String hungUp;
    private volatile @Nullable Instant stopped;
    private boolean dialled;

    /** An endpoint that connects with its first call. */
    Endpoint(UnixRpc rpc, DevicePluginApi api, Path socket, ResourceName resource, Deadlines deadlines) {
        this.resource = resource;
        this.socket = socket;
        this.channel = rpc.dial(socket);
        this.plugin = PluginCalls.of(api, channel);
        this.deadlines = deadlines;
    }

    ResourceName resource() {
        return resource;
    }

    Path socket() {
        return socket;
    }

    String socketName() {
        return String.valueOf(socket.getFileName());
    }

    boolean preStartRequired() {
        return options.getPreStartRequired();
    }

    boolean preferredAllocationAvailable() {
        return options.getGetPreferredAllocationAvailable();
    }

    /** When the kubelet noticed the end of its stream, after which it calls the plugin no more. */
    Optional<Instant> stopped() {
        return Optional.ofNullable(stopped);
    }

    void stop(Instant now) {
        stopped = now;
    }

    boolean isHungUp() {
        return hungUp != null;
    }

    /**
     * Waits until the plugin serves, up to the dial's deadline, and asks for its options.
     *
     * @param caller ends both when it ends
     */
    void connect(Context caller) throws PluginException {
        try {
            PluginCalls.awaitReady(channel, deadlines.dial(), caller);
        } catch (StatusRuntimeException e) {
            throw new PluginException(
                    "failed to dial device plugin: " + e.getStatus().getDescription());
        }
        synchronized (this) {
            dialled = true;
        }
        try {
            caller.run(() -> options = plugin.options());
        } catch (StatusRuntimeException e) {
            throw new PluginException("failed to get device plugin options: "
                    + goText(caller.isCancelled() ? PluginCalls.ended(caller) : e));
        }
    }

    /** Passes on each list until the plugin's stream ends, and returns the reason of the end. */
    String follow(Consumer<List<ListedDevice>> lists) {
        try {
            plugin.listAndWatch(lists);
            return Objects.requireNonNullElse(hungUp, "EOF");
        } catch (StatusRuntimeException e) {
            return Objects.requireNonNullElse(hungUp, goText(e));
        }
    }

    List<String> preferred(Collection<String> available, Collection<String> mustInclude, int size)
            throws PluginException {
        refuseIfStopped(PREFERRED_FAILED);
        try {
            return plugin.preferred(available, mustInclude, size);
        } catch (StatusRuntimeException e) {
            throw new PluginException(PREFERRED_FAILED + goText(e));
        }
    }

    ContainerAllocateResponse allocate(Collection<String> ids) throws PluginException {
        refuseIfStopped("");
        try {
            return plugin.allocate(ids)
                    .orElseThrow(() -> new PluginException("no containers return in allocation response"));
        } catch (StatusRuntimeException e) {
            throw new PluginException(goText(e));
        }
    }

    void preStart(Collection<String> ids) throws PluginException {
        refuseIfStopped(PRE_START_FAILED);
        try {
            plugin.preStart(ids, deadlines.preStart());
        } catch (StatusRuntimeException e) {
            throw new PluginException(PRE_START_FAILED + goText(e));
        }
    }

    /** Disconnects, which ends the stream and every running call. The first reason counts. */
    synchronized void hangUp(String reason) {
        hungUp = Objects.requireNonNullElse(hungUp, reason);
        channel.shutdownNow();
    }

    /**
     * Disconnects, unless the plugin is still being dialled. The kubelet has nothing to close then, and goes on
     * dialling.
     */
    synchronized void disconnect(String reason) {
        if (dialled) {
            hangUp(reason);
        }
    }

    private void refuseIfStopped(String prefix) throws PluginException {
        Instant stop = stopped;
        if (stop != null) {
            throw new PluginException(prefix + "endpoint " + goStruct(stop) + " has been stopped");
        }
    }

    /** Go's text of 1.37's record of a plugin. Only the resource and the socket in it mean anything to a reader. */
    private String goStruct(Instant stop) {
        return "&{{{} {0 0}} %s %s 0x%x {%d%09d %d 0x%x} <nil>}"
                .formatted(
                        resource,
                        socket,
                        System.identityHashCode(plugin),
                        stop.getEpochSecond(),
                        stop.getNano(),
                        System.nanoTime(),
                        System.identityHashCode(stop));
    }

    /** The text of grpc-go's status error, which users see. */
    static String goText(StatusRuntimeException e) {
        Status status = e.getStatus();
        String code = status.getCode() == Status.Code.CANCELLED
                ? "Canceled"
                : WORD.matcher(status.getCode().name())
                        .replaceAll(word -> word.group(1) + word.group(2).toLowerCase(Locale.ROOT));
        String description = Optional.ofNullable(status.getDescription()).orElse("");
        boolean ownDeadline = status.getCode() == Status.Code.DEADLINE_EXCEEDED
                && OWN_DEADLINE.matcher(description).matches();
        return "rpc error: code = " + code + " desc = " + (ownDeadline ? "context deadline exceeded" : description);
    }
}
