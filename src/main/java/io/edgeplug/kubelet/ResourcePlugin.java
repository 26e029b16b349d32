package io.edgeplug.kubelet;

import io.edgeplug.device.DeviceClass;
import io.edgeplug.kubelet.PluginDirectory.KubeletSocket;
import io.edgeplug.kubelet.PluginDirectory.View;
import io.edgeplug.linux.Journal;
import io.edgeplug.linux.UnixRpc;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Keeps one resource registered, for as long as it is open, with whichever kubelet there is.
 *
 * <p>What it does follows from what it sees, not from what happened: it registers whenever the kubelet's socket is
 * another than the one registered with, its own socket is gone, or its stream has ended. So a restart that causes ten
 * file events is one registration.
 */
final class ResourcePlugin {

    private static final Logger LOG = Logger.getLogger(ResourcePlugin.class.getName());
    private static final Duration FIRST_RETRY = Duration.ofMillis(10);

    /** A socket has its name a moment before anyone listens: to be refused so early is nothing to tell. */
    private static final Duration STARTING = Duration.ofSeconds(1);

    private final UnixRpc rpc;
    private final PluginDirectory directory;
    private final Resource resource;
    private final List<KubeletApi> apis;
    private final Thread keeper;

    /** Written by the keeper only. */
    private volatile Optional<Attempt> attempt = Optional.empty();

    // below: touched by the keeper only
    private Optional<KubeletSocket> triedWith = Optional.empty();
    private Optional<KubeletSocket> failedWith = Optional.empty();
    private Duration retry = FIRST_RETRY;
    private Optional<Deadline> retryAt = Optional.empty();
    private Optional<Deadline> settledAt = Optional.empty();
    private Deadline started = Deadline.in(STARTING);
    private String told = "";
    private boolean toldRegistered;
    private int api;

    /** A registration, begun or done, and the kubelet that it is with. */
    private record Attempt(KubeletSocket kubelet, Endpoint endpoint) {}

    private ResourcePlugin(UnixRpc rpc, PluginDirectory directory, Resource resource, List<KubeletApi> apis) {
        this.rpc = rpc;
        this.directory = directory;
        this.resource = resource;
        this.apis = apis;
        this.keeper = Thread.ofVirtual().name("plugin " + resource.name()).unstarted(this::keepRegistered);
    }

    /** Starts to keep it registered, in the first of these versions that the kubelet knows. */
    static ResourcePlugin start(UnixRpc rpc, PluginDirectory directory, Resource resource, List<KubeletApi> apis) {
        ResourcePlugin plugin = new ResourcePlugin(rpc, directory, resource, apis);
        plugin.keeper.start();
        return plugin;
    }

    DeviceClass deviceClass() {
        return resource.deviceClass();
    }

    /** Whether the kubelet that is there has the resource's devices. */
    boolean isRegistered() {
        Optional<KubeletSocket> kubelet = directory.view().kubelet();
        return attempt.filter(begun -> Optional.of(begun.kubelet()).equals(kubelet))
                .map(begun -> begun.endpoint().progress())
                .filter(progress ->
                        progress.registered().isPresent() && progress.problem().isEmpty())
                .isPresent();
    }

    /** Asks it to end, once: a second time would cut short the end of its server. */
    void stop() {
        keeper.interrupt();
    }

    /** Waits until it has ended. */
    void awaitEnd() {
        try {
            keeper.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void keepRegistered() {
        try {
            while (true) {
                View view = directory.view();
                review(view);
                if (attempt.isEmpty() && view.kubelet().isPresent() && isDue(view)) {
                    begin(view.kubelet().orElseThrow());
                }
                directory.awaitNewerThan(view.generation(), pause(view));
            }
        } catch (InterruptedException e) {
            log(Level.FINE, "no longer served");
        } finally {
            giveUp();
        }
    }

    /** Tells when a registration is done, and ends one that is with a kubelet of the past or has come to nothing. */
    private void review(View view) {
        if (attempt.isEmpty()) {
            return;
        }
        KubeletSocket kubelet = attempt.orElseThrow().kubelet();
        Endpoint endpoint = attempt.orElseThrow().endpoint();
        Optional<Integer> devices = endpoint.progress().registered();
        if (devices.isPresent() && !toldRegistered) {
            toldRegistered = true;
            told = "";
            settledAt = Optional.of(Deadline.in(PluginDirectory.POLL));
            int count = devices.orElseThrow();
            log(Level.INFO, "registered, " + count + (count == 1 ? " device" : " devices"));
        }
        if (!view.kubelet().equals(Optional.of(kubelet))) {
            giveUp();
        } else if (endpoint.problem().isPresent()) {
            boolean otherVersion = endpoint.progress().isUnsupported() && ++api < apis.size();
            if (!otherVersion) {
                api = 0;
                tell(endpoint.problem().orElseThrow(), weight(endpoint.progress()));
                tryLater(kubelet);
            }
            giveUp();
        }
    }

    /** A kubelet that is new is tried at once, one that it failed with after a while. */
    private boolean isDue(View view) {
        return !view.kubelet().equals(failedWith)
                || retryAt.map(Deadline::isOver).orElse(true);
    }

    private void begin(KubeletSocket kubelet) {
        if (!Optional.of(kubelet).equals(triedWith)) {
            retry = FIRST_RETRY;
            started = Deadline.in(STARTING);
            api = 0;
        }
        triedWith = Optional.of(kubelet);
        toldRegistered = false;
        try {
            Endpoint endpoint = Endpoint.open(rpc, directory, resource, apis.get(api));
            attempt = Optional.of(new Attempt(kubelet, endpoint));
            // while the socket was made another kubelet may have come and wiped it: then this one is given up
            if (directory.view().kubelet().equals(Optional.of(kubelet))) {
                endpoint.announce(rpc, directory.kubeletSocket());
            }
        } catch (IOException e) {
            // a kubelet that comes may also have wiped the socket as it was made
            tell("cannot serve in " + directory.path() + ": " + root(e), started.isOver() ? Level.WARNING : Level.FINE);
            tryLater(kubelet);
        }
    }

    private void giveUp() {
        attempt.ifPresent(begun -> begun.endpoint().close());
        attempt = Optional.empty();
    }

    /** A kubelet that goes hangs up, and one that comes may not answer yet: neither is worth a warning. */
    private Level weight(Progress progress) {
        if (progress.isUnreachable() && !started.isOver()) {
            return Level.FINE;
        }
        return toldRegistered || progress.hasHungUp() ? Level.INFO : Level.WARNING;
    }

    /** Tells a failure once, however often it is met again. */
    private void tell(String reason, Level weight) {
        String gist = SocketNames.withoutTags(reason);
        log(gist.equals(told) ? Level.FINE : weight, reason);
        told = weight.equals(Level.FINE) ? told : gist;
    }

    private void log(Level level, String what) {
        LOG.log(level, resource.name() + ": " + what, Journal.resource(resource.name()));
    }

    /** What stood for a while is tried again quickly. */
    private void tryLater(KubeletSocket kubelet) {
        failedWith = Optional.of(kubelet);
        if (toldRegistered && settledAt.map(Deadline::isOver).orElse(false)) {
            retry = FIRST_RETRY;
        }
        retryAt = Optional.of(Deadline.in(retry));
        retry = shorter(retry.multipliedBy(2), PluginDirectory.POLL);
    }

    /** How long to wait if nothing happens: until a retry, until a silent kubelet is late, or as the safety net. */
    private Duration pause(View view) {
        Optional<Deadline> next = attempt.isPresent()
                ? attempt.orElseThrow().endpoint().progress().deadline()
                : view.kubelet().isPresent() ? retryAt : Optional.empty();
        return next.map(deadline -> shorter(deadline.left().plusMillis(1), PluginDirectory.POLL))
                .orElse(PluginDirectory.POLL);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** The kernel's words, without a socket's name, which is another each time. */
    private static String root(Throwable e) {
        Throwable cause = e.getCause();
        return cause == null ? String.valueOf(e.getMessage()) : root(cause);
    }
}
