package io.edgeplug.localkubelet;

import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * One plugin that registered, and the calls to it; follows endpoint.go and plugin/v1beta1/client.go.
 *
 * <p>All calls block and belong on a thread that may. A failed call throws {@link PluginException} with the words that
 * grpc-go would give.
 */
final class Endpoint {

    private static final String PREFERRED_FAILED = "device plugin GetPreferredAllocation rpc failed with err: ";
    private static final String PRE_START_FAILED = "device plugin PreStartContainer rpc failed with err: ";
    private static final Pattern WORD = Pattern.compile("([A-Z])([A-Z]*)_?");
    /** What grpc-java says where grpc-go says that the context's deadline is exceeded. */
    private static final Pattern OWN_DEADLINE = Pattern.compile("(CallOptions|ClientCall).* deadline exceeded.*");

    private final ResourceName resource;
    private final Path socket;
    private final ManagedChannel channel;
    private final PluginCalls plugin;
    private final Deadlines deadlines;
    private volatile DevicePluginOptions options = DevicePluginOptions.getDefaultInstance();
    private volatile boolean connected;
    private volatile Optional<String> stopped = Optional.empty();

    private Endpoint(
            ResourceName resource, Path socket, ManagedChannel channel, PluginCalls plugin, Deadlines deadlines) {
        this.resource = resource;
        this.socket = socket;
        this.channel = channel;
        this.plugin = plugin;
        this.deadlines = deadlines;
    }

    /** Makes one that connects with its first call. */
    static Endpoint open(UnixRpc rpc, DevicePluginApi api, Path socket, ResourceName resource, Deadlines deadlines) {
        ManagedChannel channel = rpc.dial(socket);
        return new Endpoint(resource, socket, channel, PluginCalls.of(api, channel), deadlines);
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

    /** Whether it was reached, be it stopped since or not. */
    boolean isConnected() {
        return connected;
    }

    boolean isStopped() {
        return stopped.isPresent();
    }

    /** Waits for the plugin to serve and asks for its options. */
    void connect() throws PluginException {
        try {
            options = plugin.options(deadlines.dial());
            connected = true;
        } catch (StatusRuntimeException e) {
            if (channel.getState(false) == ConnectivityState.READY) {
                throw new PluginException("failed to get device plugin options: " + goText(e));
            }
            boolean late = e.getStatus().getCode() == Status.Code.DEADLINE_EXCEEDED;
            throw new PluginException(
                    "failed to dial device plugin: " + (late ? "context deadline exceeded" : goText(e)));
        }
    }

    /** Hands on each list until the plugin's stream ends, and returns why it did. */
    String follow(Consumer<List<ListedDevice>> lists) {
        try {
            plugin.listAndWatch(lists);
            return stopped.orElse("EOF");
        } catch (StatusRuntimeException e) {
            return stopped.orElse(goText(e));
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

    /** Hangs up, which ends the stream and every call under way; the first reason stands. */
    synchronized void stop(String reason) {
        stopped = stopped.or(() -> Optional.of(reason));
        channel.shutdownNow();
    }

    private void refuseIfStopped(String prefix) throws PluginException {
        if (isStopped()) {
            throw new PluginException(prefix + "endpoint " + socketName() + " of " + resource + " has been stopped");
        }
    }

    /** The text of grpc-go's status error, which ends up before the user's eyes. */
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
