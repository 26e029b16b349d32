package io.edgeplug.kubelet;

import io.edgeplug.device.DeviceClass;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.kubelet.PluginDirectory.KubeletSocket;
import io.edgeplug.kubelet.PluginDirectory.View;
import io.edgeplug.linux.UnixRpc;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.logging.Logger;

/**
 * Keeps one resource registered, for as long as it is open, with whichever kubelet there is.
 *
 * <p>What it does follows from what it sees, not from what happened: it registers whenever the kubelet's socket is
 * another than the one registered with, its own socket is gone, or its stream has ended. So a restart that causes ten
 * file events is one registration.
 */
final class ResourcePlugin implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(ResourcePlugin.class.getName());
    private static final Duration FIRST_RETRY = Duration.ofMillis(100);

    private final UnixRpc rpc;
    private final PluginDirectory directory;
    private final Monitor monitor;
    private final DeviceClass deviceClass;
    private final Thread keeper;

    // below: touched by the keeper only
    private Optional<Endpoint> endpoint = Optional.empty();
    private Optional<KubeletSocket> triedWith = Optional.empty();
    private Duration retry = FIRST_RETRY;
    private Instant retryAt = Instant.MAX;
    private String told = "";

    private ResourcePlugin(UnixRpc rpc, PluginDirectory directory, Monitor monitor, DeviceClass deviceClass) {
        this.rpc = rpc;
        this.directory = directory;
        this.monitor = monitor;
        this.deviceClass = deviceClass;
        this.keeper =
                Thread.ofVirtual().name("plugin " + deviceClass.resource()).unstarted(this::keepRegistered);
    }

    static ResourcePlugin start(UnixRpc rpc, PluginDirectory directory, Monitor monitor, DeviceClass deviceClass) {
        ResourcePlugin plugin = new ResourcePlugin(rpc, directory, monitor, deviceClass);
        plugin.keeper.start();
        return plugin;
    }

    /** Asks it to end, which {@link #close} waits for. */
    void stop() {
        keeper.interrupt();
    }

    @Override
    public void close() {
        stop();
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
                if (isDue(view)) {
                    register(view);
                }
                directory.awaitNewerThan(view.generation(), untilRetry());
            }
        } catch (InterruptedException e) {
            LOG.fine(() -> deviceClass.resource() + ": no longer served");
        } finally {
            endpoint.ifPresent(Endpoint::close);
        }
    }

    /** With no kubelet there is nothing to do; a kubelet that is new is tried at once, one that refused after a while. */
    private boolean isDue(View view) {
        if (view.kubelet().isEmpty()) {
            return false;
        }
        boolean isNew = !view.kubelet().equals(triedWith);
        boolean isLost = endpoint.isPresent() && !endpoint.orElseThrow().isAlive();
        boolean isRetry = endpoint.isEmpty() && !Instant.now().isBefore(retryAt);
        return isNew || isLost || isRetry;
    }

    private void register(View view) throws InterruptedException {
        endpoint.ifPresent(Endpoint::close);
        endpoint = Optional.empty();
        if (!view.kubelet().equals(triedWith)) {
            retry = FIRST_RETRY;
        }
        triedWith = view.kubelet();
        Endpoint next = null;
        try {
            next = Endpoint.open(rpc, directory.path(), deviceClass, monitor, directory::look);
            int count = next.register(rpc, directory.kubeletSocket());
            endpoint = Optional.of(next);
            retry = FIRST_RETRY;
            told = "";
            LOG.info(() -> deviceClass.resource() + ": registered, " + count + (count == 1 ? " device" : " devices"));
        } catch (RegistrationException e) {
            failed("cannot register: " + e.getMessage());
        } catch (IOException e) {
            failed("cannot serve: " + e.getMessage());
        } finally {
            if (endpoint.isEmpty() && next != null) {
                next.close();
            }
        }
    }

    /** Tells a failure once, however often it is met again. */
    private void failed(String reason) {
        if (!reason.equals(told)) {
            LOG.warning(() -> deviceClass.resource() + ": " + reason);
            told = reason;
        }
        retryAt = Instant.now().plus(retry);
        Duration doubled = retry.multipliedBy(2);
        retry = doubled.compareTo(PluginDirectory.POLL) < 0 ? doubled : PluginDirectory.POLL;
    }

    private Duration untilRetry() {
        Duration left = endpoint.isEmpty() && triedWith.isPresent()
                ? Duration.between(Instant.now(), retryAt)
                : PluginDirectory.POLL;
        return left.compareTo(PluginDirectory.POLL) < 0 ? left : PluginDirectory.POLL;
    }
}
