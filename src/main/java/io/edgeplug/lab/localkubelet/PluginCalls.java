package io.edgeplug.lab.localkubelet;

import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.grpc.ConnectivityState;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** The calls to a plugin in one version of the API. They block, and a failed one throws StatusRuntimeException. */
sealed interface PluginCalls permits V1beta1Calls, V1alpha1Calls {

    static PluginCalls of(DevicePluginApi api, ManagedChannel channel) {
        return switch (api) {
            case V1BETA1 -> new V1beta1Calls(channel);
            case V1ALPHA1 -> new V1alpha1Calls(channel);
        };
    }

    /** Asks for the plugin's options, if the API has any. */
    DevicePluginOptions options();

    /** Passes on each list until the plugin ends the stream. */
    void listAndWatch(Consumer<List<ListedDevice>> lists);

    List<String> preferred(Collection<String> available, Collection<String> mustInclude, int size);

    /** Empty if the answer is. */
    Optional<ContainerAllocateResponse> allocate(Collection<String> ids);

    void preStart(Collection<String> ids, Duration deadline);

    /**
     * Waits until somebody serves the channel's socket, as a blocking dial in Go does.
     *
     * @param caller ends the waiting when it ends
     */
    static void awaitReady(ManagedChannel channel, Duration deadline, Context caller) {
        CompletableFuture<ConnectivityState> reached = new CompletableFuture<>();
        Context.CancellationListener end = context -> reached.cancel(false);
        caller.addListener(end, Runnable::run);
        follow(channel, reached);
        try {
            if (reached.get(deadline.toNanos(), TimeUnit.NANOSECONDS) == ConnectivityState.SHUTDOWN) {
                throw Status.CANCELLED
                        .withDescription("the client connection is closing")
                        .asRuntimeException();
            }
        } catch (TimeoutException e) {
            throw Status.DEADLINE_EXCEEDED
                    .withDescription("context deadline exceeded")
                    .withCause(e)
                    .asRuntimeException();
        } catch (CancellationException e) {
            throw ended(caller);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Status.CANCELLED.withCause(e).asRuntimeException();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            caller.removeListener(end);
        }
    }

    /** grpc-go's words for a call whose context has ended. */
    static StatusRuntimeException ended(Context caller) {
        boolean late = caller.cancellationCause() instanceof TimeoutException;
        return (late
                        ? Status.DEADLINE_EXCEEDED.withDescription("context deadline exceeded")
                        : Status.CANCELLED.withDescription("context canceled"))
                .asRuntimeException();
    }

    private static void follow(ManagedChannel channel, CompletableFuture<ConnectivityState> reached) {
        ConnectivityState state = channel.getState(true);
        if (state == ConnectivityState.READY || state == ConnectivityState.SHUTDOWN) {
            reached.complete(state);
        } else {
            channel.notifyWhenStateChanged(state, () -> follow(channel, reached));
        }
    }
}
