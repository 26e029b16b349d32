package io.edgeplug.kubelet;

import io.edgeplug.flow.Backoff;
import io.edgeplug.flow.Deadline;
import io.edgeplug.kubelet.PluginDirectory.KubeletSocket;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.supply.Resource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;

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
    private final Optional<KubeletConnection> connection;
    private final Resource resource;
    private final List<KubeletApi> apis;
    private final PluginLog log;
    private final Runnable wake;

    private volatile Optional<Attempt> attempt = Optional.empty();
    // Only one thread at a time uses the fields below.
    private final Backoff serving = new Backoff(FIRST_RETRY, PluginDirectory.LONGEST_RETRY);
    private final Backoff registering = new Backoff(FIRST_RETRY, PluginDirectory.LONGEST_RETRY);
    private Optional<KubeletSocket> kubelet = Optional.empty();
    private Optional<String> failure = Optional.empty();
    private Deadline starting = Deadline.in(STARTING);
    private Optional<Deadline> announced = Optional.empty();
    private boolean toldRegistered;
    private int api;

    /** An endpoint, and the kubelet with which it was registered, if any. */
    private record Attempt(Endpoint endpoint, Optional<KubeletSocket> announcedTo) {}

    /**
     * A resource that is not served yet.
     *
     * @param connection to register through; empty if the kubelet finds sockets by itself
     * @param apis the versions in which it can be registered, the best first
     * @param wake runs when there may be something to do for it
     */
    ResourcePlugin(
            UnixRpc rpc,
            PluginDirectory directory,
            Optional<KubeletConnection> connection,
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
        Optional<KubeletSocket> here = directory.views().get().kubelet();
        return attempt.filter(one ->
                        one.announcedTo().isPresent() && one.announcedTo().equals(here))
                .map(one -> one.endpoint().progress())
                .filter(progress ->
                        progress.registered().isPresent() && progress.problem().isEmpty())
                .isPresent();
    }

    /** The counts of its registrations. */
    PluginLog log() {
        return log;
    }

    /** The socket that serves it; empty while there is none. */
    Optional<Path> socket() {
        return attempt.map(Attempt::endpoint).filter(Endpoint::hasSocket).map(Endpoint::socket);
    }

    /** Does all there is to do for it now. */
    void look() {
        Optional<KubeletSocket> here = directory.views().get().kubelet();
        if (!here.equals(kubelet)) {
            meet(here);
        }
        attempt.ifPresent(one -> review(one.endpoint().progress()));
        if (isFitForAnother()) {
            beginAnew();
        } else if (isToServeAnew()) {
            serve();
        }
        announce();
    }

    /** Removes its socket. */
    @Override
    public void close() {
        attempt.map(Attempt::endpoint).ifPresent(Endpoint::close);
        take(Optional.empty());
    }

    /** Another kubelet has come, or the last one has gone. Earlier failures are forgotten. */
    private void meet(Optional<KubeletSocket> other) {
        kubelet = other;
        serving.reset();
        registering.reset();
        starting = Deadline.in(STARTING);
        api = 0;
    }

    /** Handles the result of a registration. */
    private void review(Progress progress) {
        Optional<Integer> devices = progress.registered();
        if (devices.isPresent() && !toldRegistered) {
            toldRegistered = true;
            log.registered(devices.orElseThrow());
        } else if (announced.filter(Deadline::isOver).isPresent()) {
            announced = Optional.of(Deadline.in(TOLD_AFTER));
        }
        boolean isKnown = failure.isPresent();
        failure = progress.problem();
        if (failure.isPresent() && !isKnown) {
            boolean otherVersion = progress.isUnsupported() && ++api < apis.size();
            if (!otherVersion) {
                api = 0;
                log.refused(weight(progress), failure.orElseThrow());
                registering.failed();
            }
        } else if (toldRegistered && devices.isEmpty()) {
            toldRegistered = false;
            log.log(Level.INFO, Progress.HUNG_UP);
        }
    }

    private boolean isToServeAnew() {
        if (attempt.isEmpty()) {
            return serving.isDue() && Files.isDirectory(directory.path());
        }
        Attempt one = attempt.orElseThrow();
        if (!one.endpoint().hasSocket()) {
            return serving.isDue();
        }
        Optional<KubeletSocket> reachable = reachable();
        if (reachable.isEmpty()) {
            return false;
        }
        boolean isOfAnother =
                one.announcedTo().isPresent() && !one.announcedTo().equals(reachable);
        return isOfAnother || (failure.isPresent() && registering.isDue());
    }

    /** The kubelet that would hear of a new socket now. */
    private Optional<KubeletSocket> reachable() {
        return connection.isEmpty()
                ? kubelet
                : connection.flatMap(KubeletConnection::established).map(KubeletConnection.Established::kubelet);
    }

    private void serve() {
        if (attempt.filter(one -> one.announcedTo().isPresent()
                        && failure.isEmpty()
                        && !one.endpoint().hasSocket())
                .isPresent()) {
            log.failed(Level.INFO, "its socket was deleted");
        }
        close();
        // The next attempt comes later if this one fails, or if its socket does not stay.
        serving.failed();
        try {
            SocketNames.makeOwn(directory.sockets());
            take(Optional.of(Endpoint.open(rpc, directory, resource, apis.get(api), this::lookAgain)));
        } catch (IOException e) {
            log.failed(starting.isOver() ? Level.WARNING : Level.FINE, "cannot serve in " + directory.path(), e);
        }
    }

    /** Registers it once with a reachable kubelet. */
    private void announce() {
        Optional<Endpoint> fresh = attempt.filter(one -> one.announcedTo().isEmpty())
                .map(Attempt::endpoint)
                .filter(one -> registering.isDue());
        if (fresh.isEmpty()) {
            return;
        }
        Endpoint endpoint = fresh.orElseThrow();
        if (connection.isEmpty()) {
            // The socket itself is the registration.
            attempt = Optional.of(new Attempt(endpoint, kubelet));
            return;
        }
        connection.orElseThrow().established().ifPresent(to -> {
            if (endpoint.hasSocket()) {
                attempt = Optional.of(new Attempt(endpoint, Optional.of(to.kubelet())));
                endpoint.announce(to.channel());
                announced = Optional.of(Deadline.in(TOLD_AFTER));
            }
        });
    }

    /**
     * A starting kubelet knows no names of sockets. So it can get an unused endpoint, unless that is in a version that
     * only an older kubelet knew.
     */
    private boolean isFitForAnother() {
        return attempt.filter(one -> connection.isPresent()
                        && one.endpoint().speaks(apis.get(api))
                        && one.announcedTo().isPresent()
                        && !one.announcedTo().equals(reachable())
                        && one.endpoint().hasSocket()
                        && one.endpoint().progress().canBeginAnew())
                .isPresent();
    }

    private void beginAnew() {
        Endpoint endpoint = attempt.orElseThrow().endpoint();
        endpoint.progress().beginAnew();
        take(Optional.of(endpoint));
    }

    /** Replaces the endpoint by this one, or none, of which no kubelet knows yet. */
    private void take(Optional<Endpoint> endpoint) {
        attempt = endpoint.map(one -> new Attempt(one, Optional.empty()));
        announced = Optional.empty();
        failure = Optional.empty();
        toldRegistered = false;
    }

    /** Any thread may call it. */
    private void lookAgain() {
        wake.run();
        directory.progressed();
    }

    /** A kubelet that stops hangs up or cannot be reached. Neither is worth a warning. */
    private Level weight(Progress progress) {
        boolean isConnected = attempt.flatMap(Attempt::announcedTo).equals(reachable());
        if (progress.isDisconnected() && !isConnected) {
            return Level.FINE;
        }
        return progress.hasHungUp() ? Level.INFO : Level.WARNING;
    }

    /** Whether a deadline has passed since the last look. */
    private boolean isSomethingDue() {
        boolean isToAnnounce = attempt.filter(one ->
                                one.announcedTo().isEmpty() && one.endpoint().hasSocket())
                        .isPresent()
                && registering.isDue()
                && connection.flatMap(KubeletConnection::established).isPresent();
        boolean isToReview = failure.isEmpty()
                && attempt.flatMap(one -> one.endpoint().progress().problem()).isPresent();
        return isToAnnounce || isToReview || isFitForAnother() || isToServeAnew();
    }

    /** How long to wait before the next look if nothing happens: until the next deadline, or as a safety net. */
    Duration pause() {
        if (isSomethingDue()) {
            return Duration.ZERO;
        }
        return Stream.of(
                        serving.due()
                                .filter(deadline -> attempt.filter(
                                                one -> one.endpoint().hasSocket())
                                        .isEmpty()),
                        registering.due().filter(deadline -> reachable().isPresent()),
                        attempt.flatMap(one -> one.endpoint().progress().deadline()),
                        announced.filter(deadline -> !toldRegistered && failure.isEmpty()))
                .flatMap(Optional::stream)
                .map(Deadline::wakeUp)
                .filter(wait -> wait.compareTo(PluginDirectory.POLL) < 0)
                .min(Duration::compareTo)
                .orElse(PluginDirectory.POLL);
    }
}
