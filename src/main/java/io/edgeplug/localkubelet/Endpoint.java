package io.edgeplug.localkubelet;

import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.AllocateResponse;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.edgeplug.proto.v1beta1.ContainerPreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc.DevicePluginBlockingStub;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.proto.v1beta1.ListAndWatchResponse;
import io.edgeplug.proto.v1beta1.PreStartContainerRequest;
import io.edgeplug.proto.v1beta1.PreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.PreferredAllocationResponse;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * One plugin that registered, and the calls to it; follows endpoint.go and plugin/v1beta1/client.go.
 *
 * <p>All calls block and belong on a thread that may. A failed call throws {@link PluginException} with the words that
 * grpc-go would give.
 */
final class Endpoint {

    /** KubeletPreStartContainerRPCTimeoutInSecs in k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1. */
    private static final long PRE_START_SECONDS = 30;

    private static final String PREFERRED_FAILED = "device plugin GetPreferredAllocation rpc failed with err: ";
    private static final String PRE_START_FAILED = "device plugin PreStartContainer rpc failed with err: ";
    private static final Pattern WORD = Pattern.compile("([A-Z])([A-Z]*)_?");

    private final ResourceName resource;
    private final String socketName;
    private final ManagedChannel channel;
    private final DevicePluginBlockingStub plugin;
    private volatile DevicePluginOptions options = DevicePluginOptions.getDefaultInstance();
    private volatile Optional<String> stopped = Optional.empty();

    private Endpoint(ResourceName resource, String socketName, ManagedChannel channel) {
        this.resource = resource;
        this.socketName = socketName;
        this.channel = channel;
        this.plugin = DevicePluginGrpc.newBlockingStub(channel);
    }

    /** Makes one that connects with its first call. */
    static Endpoint open(UnixRpc rpc, Path directory, ResourceName resource, String socketName) {
        return new Endpoint(resource, socketName, rpc.dial(directory.resolve(socketName)));
    }

    ResourceName resource() {
        return resource;
    }

    String socketName() {
        return socketName;
    }

    boolean preStartRequired() {
        return options.getPreStartRequired();
    }

    boolean preferredAllocationAvailable() {
        return options.getGetPreferredAllocationAvailable();
    }

    boolean isStopped() {
        return stopped.isPresent();
    }

    /**
     * Waits for the plugin to serve and asks for its options. The kubelet has the deadline for the first only: here a
     * plugin that never answers costs no thread.
     */
    void connect(Duration deadline) throws PluginException {
        try {
            options = plugin.withWaitForReady()
                    .withDeadlineAfter(deadline)
                    .getDevicePluginOptions(Empty.getDefaultInstance());
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
            Iterator<ListAndWatchResponse> stream = plugin.listAndWatch(Empty.getDefaultInstance());
            while (stream.hasNext()) {
                lists.accept(stream.next().getDevicesList().stream()
                        .map(ListedDevice::of)
                        .toList());
            }
            return stopped.orElse("EOF");
        } catch (StatusRuntimeException e) {
            return stopped.orElse(goText(e));
        }
    }

    List<String> preferred(Collection<String> available, Collection<String> mustInclude, int size)
            throws PluginException {
        refuseIfStopped(PREFERRED_FAILED);
        try {
            PreferredAllocationResponse answer = plugin.getPreferredAllocation(PreferredAllocationRequest.newBuilder()
                    .addContainerRequests(ContainerPreferredAllocationRequest.newBuilder()
                            .addAllAvailableDeviceIDs(available)
                            .addAllMustIncludeDeviceIDs(mustInclude)
                            .setAllocationSize(size))
                    .build());
            return answer.getContainerResponsesCount() == 0
                    ? List.of()
                    : List.copyOf(answer.getContainerResponses(0).getDeviceIDsList());
        } catch (StatusRuntimeException e) {
            throw new PluginException(PREFERRED_FAILED + goText(e));
        }
    }

    ContainerAllocation allocate(Collection<String> ids) throws PluginException {
        refuseIfStopped("");
        try {
            AllocateResponse answer = plugin.allocate(AllocateRequest.newBuilder()
                    .addContainerRequests(ContainerAllocateRequest.newBuilder().addAllDevicesIds(ids))
                    .build());
            if (answer.getContainerResponsesCount() == 0) {
                throw new PluginException("no containers return in allocation response");
            }
            return ContainerAllocation.of(answer.getContainerResponses(0));
        } catch (StatusRuntimeException e) {
            throw new PluginException(goText(e));
        }
    }

    void preStart(Collection<String> ids) throws PluginException {
        refuseIfStopped(PRE_START_FAILED);
        try {
            PreStartContainerRequest request =
                    PreStartContainerRequest.newBuilder().addAllDevicesIds(ids).build();
            plugin.withDeadlineAfter(PRE_START_SECONDS, TimeUnit.SECONDS).preStartContainer(request);
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
            throw new PluginException(prefix + "endpoint " + socketName + " of " + resource + " has been stopped");
        }
    }

    /** The text of grpc-go's status error, which ends up before the user's eyes. */
    private static String goText(StatusRuntimeException e) {
        Status status = e.getStatus();
        String code = status.getCode() == Status.Code.CANCELLED
                ? "Canceled"
                : WORD.matcher(status.getCode().name())
                        .replaceAll(word -> word.group(1) + word.group(2).toLowerCase(Locale.ROOT));
        String description = status.getDescription();
        return "rpc error: code = " + code + " desc = " + (description == null ? "" : description);
    }

    /** A plugin could not be reached or answered with an error. */
    static final class PluginException extends Exception {

        private static final long serialVersionUID = 1;

        PluginException(String reason) {
            super(reason);
        }

        /** Never null. */
        String reason() {
            return String.valueOf(getMessage());
        }
    }
}
