package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.pluginregistration.InfoRequest;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import io.edgeplug.proto.pluginregistration.RegistrationGrpc;
import io.edgeplug.proto.pluginregistration.RegistrationGrpc.RegistrationBlockingStub;
import io.edgeplug.proto.pluginregistration.RegistrationStatus;
import io.edgeplug.system.flow.Backoff;
import io.edgeplug.system.flow.Deadline;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A socket in {@code plugins_registry} and its registration. It follows GenerateRegisterPluginFunc in
 * pluginmanager/operationexecutor/operation_generator.go, and ValidatePlugin in plugin/v1beta1/handler.go.
 */
final class FoundPlugin {

    private static final Logger LOG = Logger.getLogger(FoundPlugin.class.getName());
    private static final String TYPE = "DevicePlugin";
    private static final Duration INFO_DEADLINE = Duration.ofSeconds(1);
    private static final Duration NOTIFY_DEADLINE = Duration.ofSeconds(5);
    /** exponentialbackoff of the kubelet's operations. */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(122);

    private final Path socket;
    private final String identity;
    private final Ledger ledger;
    private final Clients clients;
    private Duration pause = FIRST_PAUSE;
    private @Nullable Deadline due = Deadline.in(Duration.ZERO);
    private @Nullable Endpoint endpoint;
    private boolean removed;

    FoundPlugin(Path socket, String identity, Ledger ledger, Clients clients) {
        this.socket = socket;
        this.identity = identity;
        this.ledger = ledger;
        this.clients = clients;
    }

    String identity() {
        return identity;
    }

    /** Whether {@link #register} must be called now. The caller must then call it. */
    synchronized boolean isDue() {
        boolean isDue = due != null && due.isOver();
        if (isDue) {
            due = null;
        }
        return isDue;
    }

    private synchronized void tryLater() {
        due = Deadline.in(pause);
        pause = Backoff.doubled(pause, LONGEST_PAUSE);
    }

    /** The socket is gone, which ends the plugin too. */
    synchronized void remove() {
        removed = true;
        if (endpoint != null) {
            endpoint.hangUp("its socket " + socket.getFileName() + " is gone");
        }
    }

    private synchronized void connected(Endpoint plugin) {
        endpoint = plugin;
        if (removed) {
            remove();
        }
    }

    /** Asks the plugin for its name, connects, reports the result to it, and reads its lists to the end. */
    void register() {
        ManagedChannel channel = clients.rpc().dial(socket);
        RegistrationBlockingStub plugin = RegistrationGrpc.newBlockingStub(channel);
        PluginInfo answer;
        ResourceName resource;
        try {
            PluginCalls.awaitReady(channel, clients.deadlines().dial(), Context.ROOT);
            answer = plugin.withDeadlineAfter(INFO_DEADLINE).getInfo(InfoRequest.getDefaultInstance());
            resource = validated(answer);
        } catch (StatusRuntimeException e) {
            refuse(socket.toString(), "RegisterPlugin error -- " + Endpoint.goText(e));
            channel.shutdownNow();
            tryLater();
            return;
        } catch (PluginException e) {
            refuse(socket.toString(), e.reason());
            tell(plugin, e.reason());
            channel.shutdownNow();
            tryLater();
            return;
        }
        try {
            Endpoint connected = clients.connect(DevicePluginApi.V1BETA1, resource, served(answer), Context.ROOT);
            connected(connected);
            tellAside(plugin, channel);
            clients.follow(connected);
        } catch (PluginException e) {
            refuse(resource.toString(), e.reason());
            tell(plugin, "RegisterPlugin error -- plugin registration failed with err: " + e.reason());
            channel.shutdownNow();
        }
    }

    private ResourceName validated(PluginInfo answer) throws PluginException {
        if (!answer.getType().equals(TYPE)) {
            throw new PluginException("RegisterPlugin error -- no handler registered for plugin type: "
                    + answer.getType() + " at socket " + socket);
        }
        String invalid = "RegisterPlugin error -- plugin validation failed with err: ";
        String version = DevicePluginApi.V1BETA1.word();
        if (!answer.getSupportedVersionsList().contains(version)) {
            throw new PluginException(invalid + "manager version, " + version
                    + ", is not among plugin supported versions ["
                    + String.join(" ", answer.getSupportedVersionsList()) + "]");
        }
        try {
            return RegistrationServer.resource(answer.getName());
        } catch (PluginException e) {
            throw new PluginException(invalid + "invalid name of device plugin socket: " + e.reason());
        }
    }

    private Path served(PluginInfo answer) throws PluginException {
        try {
            return answer.getEndpoint().isEmpty() ? socket : Path.of(answer.getEndpoint());
        } catch (InvalidPathException e) {
            throw new PluginException("failed to dial device plugin: " + e.getMessage());
        }
    }

    private void refuse(String what, String reason) {
        ledger.tell(new KubeletEvent.RegistrationRefused(what, reason));
    }

    /** Reports while the lists are read, because a plugin may wait for that before it answers. */
    private void tellAside(RegistrationBlockingStub plugin, ManagedChannel channel) {
        try {
            clients.execute(() -> {
                tell(plugin, "");
                channel.shutdownNow();
            });
        } catch (RejectedExecutionException e) {
            LOG.log(Level.FINE, e, () -> socket + ": not told, the kubelet is stopping");
            channel.shutdownNow();
        }
    }

    /**
     * If the report fails, the plugin stays as it is.
     *
     * @param error why it is not registered; empty if it is
     */
    private void tell(RegistrationBlockingStub plugin, String error) {
        RegistrationStatus status = RegistrationStatus.newBuilder()
                .setPluginRegistered(error.isEmpty())
                .setError(error)
                .build();
        try {
            plugin.withDeadlineAfter(NOTIFY_DEADLINE).notifyRegistrationStatus(status);
        } catch (StatusRuntimeException e) {
            LOG.warning(() -> socket + ": cannot be told its registration status: " + Endpoint.goText(e));
        }
    }
}
