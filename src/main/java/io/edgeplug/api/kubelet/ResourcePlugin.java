package io.edgeplug.api.kubelet;

import io.edgeplug.api.kubelet.KubeletConnection.Established;
import io.edgeplug.api.kubelet.RegistrationState.HungUp;
import io.edgeplug.api.kubelet.RegistrationState.Refused;
import io.edgeplug.api.kubelet.RegistrationState.Registered;
import io.edgeplug.api.kubelet.RegistrationState.Served;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.pods.KubeletSocket;
import io.edgeplug.node.supply.Resource;
import io.edgeplug.system.flow.Backoff;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;

/**
 * One resource as a plugin of the kubelet.
 *
 * <p>It serves with or without a kubelet, and serves again as soon as its socket is gone. It registers if there is a
 * kubelet with which it has not registered, or whose stream has ended. One thread at a time uses it, but any may read
 * its state.
 */
final class ResourcePlugin implements AutoCloseable {

    /** A finished registration is logged this much later, because others may still be under way and pods wait for them. */
    private static final Duration TOLD_AFTER = Duration.ofMillis(100);

    private static final Duration FIRST_RETRY = Duration.ofMillis(10);

    /** A failure to serve while a kubelet starts is not worth a warning, because it passes. */
    private static final Duration STARTING = Duration.ofSeconds(1);

    private final UnixRpc rpc;
    private final PluginDirectory directory;
    private final @Nullable KubeletConnection connection;
    private final Resource resource;
    private final List<KubeletApi> apis;
    private final PluginLog log;
    private final Runnable wake;

    private volatile @Nullable ServedSocket socket;
    // Only one thread at a time uses the fields below.
    private final Backoff serving = new Backoff(FIRST_RETRY, PluginDirectory.LONGEST_RETRY);
    private final Backoff registering = new Backoff(FIRST_RETRY, PluginDirectory.LONGEST_RETRY);
    private @Nullable KubeletSocket kubelet;
    private Deadline starting = Deadline.in(STARTING);
    private Outcome outcome = Outcome.OPEN;
    private int api;

    /** What has been logged of the registration of the present socket. */
    private enum Outcome {
        OPEN,
        REGISTERED,
        FAILED
    }

    /**
     * A resource that is not served yet.
     *
     * @param connection to register through; null if the kubelet finds sockets by itself
     * @param apis the versions in which it can be registered, the best first
     * @param wake runs when there may be something to do for it
     */
    ResourcePlugin(
            UnixRpc rpc,
            PluginDirectory directory,
            @Nullable KubeletConnection connection,
            Resource resource,
            List<KubeletApi> apis,
            PluginLog log,
            Runnable wake) {
        this.rpc = rpc;
        this.directory = directory;
        this.connection = connection;
        this.resource = resource;
        this.apis = apis;
        this.log = log;
        this.wake = wake;
    }

    DeviceClass deviceClass() {
        return resource.deviceClass();
    }

    /** Whether the present kubelet has the resource's devices. */
    boolean isRegistered() {
        KubeletSocket here = here();
        ServedSocket served = socket;
        return here != null
                && served != null
                && served.registration().state() instanceof Registered
                && (connection == null || served.hasAsked(here));
    }

    /** The counts of its registrations. */
    PluginLog log() {
        return log;
    }

    /** The socket that serves it; empty while there is none. */
    Optional<Path> socket() {
        return Optional.ofNullable(socket).filter(ServedSocket::exists).map(ServedSocket::path);
    }

    /** Does all there is to do for it now, and returns when to look again if nothing happens. */
    Deadline look() {
        KubeletSocket here = here();
        if (!Objects.equals(here, kubelet)) {
            meet(here);
        }
        ServedSocket served = socket;
        if (served == null) {
            return Files.isDirectory(directory.path()) ? serving.due().orElseGet(this::serve) : later();
        }
        RegistrationState state = served.registration().state();
        // This comes first: a time limit that ends right now ends again in the next look, which then comes at once.
        Deadline next = state.until().filter(limit -> !limit.isOver()).orElseGet(ResourcePlugin::later);
        review(served, state);
        if (!served.exists()) {
            return serving.due().orElseGet(this::replaceDeleted);
        }
        KubeletSocket reachable = reachable();
        if (state instanceof Served) {
            return ask(served);
        }
        if (connection != null && !served.hasAsked(reachable)) {
            return leave(served, reachable != null, next);
        }
        return switch (outcome) {
            case FAILED -> reachable == null ? next : registering.due().orElseGet(this::serve);
            case OPEN -> connection != null ? next.orEarlier(Deadline.in(TOLD_AFTER)) : next;
            case REGISTERED -> next;
        };
    }

    /** A safety net, in case that nobody reports a change. */
    private static Deadline later() {
        return Deadline.in(PluginDirectory.POLL);
    }

    /** Removes its socket. */
    @Override
    public void close() {
        if (socket != null) {
            socket.close();
        }
        take(null);
    }

    /** Another kubelet has come, or the last one has gone. Earlier failures are forgotten. */
    private void meet(@Nullable KubeletSocket other) {
        kubelet = other;
        serving.reset();
        registering.reset();
        starting = Deadline.in(STARTING);
        api = 0;
    }

    /** Logs what has become of the registration since the last look. */
    private void review(ServedSocket served, RegistrationState state) {
        Outcome before = outcome;
        Optional<String> problem = state.problem();
        outcome =
                state instanceof Registered ? Outcome.REGISTERED : problem.isPresent() ? Outcome.FAILED : Outcome.OPEN;
        if (outcome == before) {
            return;
        }
        if (state instanceof Registered registered) {
            log.registered(registered.devices());
        } else if (problem.isPresent()) {
            fail(served, state, problem.orElseThrow());
        } else if (before == Outcome.REGISTERED) {
            log.log(Level.INFO, RegistrationState.HUNG_UP);
        }
    }

    /** The next socket is in another version if there is one, and otherwise comes later. */
    private void fail(ServedSocket served, RegistrationState state, String problem) {
        boolean isUnsupported = state instanceof Refused refused && refused.kind() == Refused.Kind.UNSUPPORTED;
        if (!isUnsupported || ++api >= apis.size()) {
            api = 0;
            log.refused(weight(served, state), problem);
            registering.failed();
        }
    }

    /** A kubelet that stops hangs up or cannot be reached. Neither is worth a warning. */
    private Level weight(ServedSocket served, RegistrationState state) {
        boolean isDisconnected = state instanceof Refused refused && refused.kind() == Refused.Kind.DISCONNECTED;
        if (isDisconnected && !served.hasAsked(reachable())) {
            return Level.FINE;
        }
        return state instanceof HungUp ? Level.INFO : Level.WARNING;
    }

    /** The kubelet that would hear of a new socket now. */
    private @Nullable KubeletSocket reachable() {
        return connection == null
                ? kubelet
                : connection.established().map(Established::kubelet).orElse(null);
    }

    private @Nullable KubeletSocket here() {
        return directory.views().get().kubelet().orElse(null);
    }

    /**
     * Another kubelet is there than the one that was asked, or none. A starting kubelet knows no names of sockets. So
     * it can get an unused socket, unless that is in a version that only an older kubelet knew.
     */
    private Deadline leave(ServedSocket served, boolean isReachable, Deadline next) {
        if (served.speaks(apis.get(api)) && served.registration().reuse()) {
            take(served);
            return ask(served);
        }
        return isReachable ? serve() : next;
    }

    private Deadline replaceDeleted() {
        if (outcome != Outcome.FAILED) {
            log.failed(Level.INFO, "its socket was deleted");
        }
        return serve();
    }

    private Deadline serve() {
        close();
        // The next attempt comes later if this one fails, or if its socket does not stay.
        serving.failed();
        try {
            SocketNames.makeOwn(directory.sockets());
            ServedSocket served = new ServedSocket(rpc, directory, resource, apis.get(api), log, wake);
            take(served);
            return ask(served);
        } catch (IOException e) {
            log.failed(starting.isOver() ? Level.WARNING : Level.FINE, "cannot serve in " + directory.path(), e);
            return serving.due().orElseGet(() -> Deadline.in(FIRST_RETRY));
        }
    }

    /** Registers it with a reachable kubelet. If the kubelet finds sockets, the socket itself is the registration. */
    private Deadline ask(ServedSocket served) {
        Established to = connection == null ? null : connection.established().orElse(null);
        if (to == null) {
            return later();
        }
        Optional<Deadline> due = registering.due();
        if (due.isEmpty()) {
            served.ask(to);
        }
        return due.orElseGet(() -> Deadline.in(TOLD_AFTER));
    }

    /** Has this socket, or none, of which no kubelet knows yet. */
    private void take(@Nullable ServedSocket next) {
        socket = next;
        outcome = Outcome.OPEN;
    }
}
