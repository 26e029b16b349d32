package io.edgeplug.api.kubelet;

import io.edgeplug.node.supply.Resource;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Threads;
import io.edgeplug.system.rpc.UnixRpc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps all resources served, and registered with the present kubelet, on one thread.
 *
 * <p>Each time it is woken, it looks at the connection to the kubelet and then at every resource, and acts on what it
 * sees. So a restart that causes ten file events is one look. There is one thread for all resources, because a booting
 * kubelet leaves little time: waking a thread for each resource took as long as registering.
 */
final class Registrations implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Registrations.class.getName());

    private final UnixRpc rpc;
    private final PluginDirectory directory;
    /** A resource is registered in the first of these versions that the kubelet knows. */
    private final List<KubeletApi> apis;

    private final boolean isRehearsal;

    /** Null if the kubelet finds sockets by itself. */
    private final @Nullable KubeletConnection connection;

    private final Semaphore woken = new Semaphore(0);
    private final Runnable wake = woken::release;
    private final Thread keeper;

    /** Held while plugins are looked at or changed. */
    private final Lock lock = new ReentrantLock();

    /** Changed with the lock held; any thread reads it. */
    private volatile List<ResourcePlugin> plugins = List.of();

    /** Starts without resources. A rehearsal leaves no log lines. */
    Registrations(UnixRpc rpc, PluginDirectory directory, boolean isRehearsal) {
        this.rpc = rpc;
        this.directory = directory;
        this.apis = directory.isRegistry() ? List.of(new V1beta1(true)) : List.of(new V1beta1(false), new V1alpha1());
        this.isRehearsal = isRehearsal;
        this.connection = directory.isRegistry() ? null : new KubeletConnection(rpc, directory, wake);
        this.keeper = Thread.ofPlatform().name("registrations").daemon().start(this::keep);
    }

    /** The resources, as plugins of the kubelet. */
    List<ResourcePlugin> plugins() {
        return plugins;
    }

    /** Whether all of them are registered. */
    boolean areComplete() {
        return plugins.stream().allMatch(ResourcePlugin::isRegistered);
    }

    /**
     * Waits, up to a limit, until a kubelet that has come knows all resources, or has gone, and returns whether that is
     * so. The socket of a dead kubelet may stay for long.
     */
    boolean awaitComplete() throws InterruptedException {
        Deadline patience = Deadline.in(PluginDirectory.LONGEST_RETRY);
        long generation = directory.views().get().generation();
        while (!directory.isRegistry() && hasKubelet() && !areComplete()) {
            if (patience.isOver()) {
                return false;
            }
            generation = directory
                    .views()
                    .awaitNewerThan(generation, patience.wakeUp())
                    .generation();
        }
        return true;
    }

    /** Whether a kubelet can be reached, or can find sockets by itself. */
    boolean hasKubelet() {
        return connection == null
                ? directory.view().kubelet().isPresent()
                : connection.established().isPresent();
    }

    /** Serves and registers these too from now on. */
    void add(List<Resource> resources) {
        lock.lock();
        try {
            plugins = Stream.concat(plugins.stream(), resources.stream().map(this::plugin))
                    .toList();
        } finally {
            lock.unlock();
        }
        wake.run();
    }

    private ResourcePlugin plugin(Resource resource) {
        List<KubeletApi> usable =
                apis.stream().filter(api -> api.serves(resource)).toList();
        return new ResourcePlugin(
                rpc,
                directory,
                connection,
                resource,
                usable,
                new PluginLog(resource.deviceClass(), isRehearsal),
                () -> {
                    wake.run();
                    directory.progressed();
                });
    }

    /**
     * Removes the sockets of these without sending empty lists, which would make the kubelet fail running containers.
     */
    void remove(Collection<ResourcePlugin> ended) {
        lock.lock();
        try {
            List<ResourcePlugin> left = new ArrayList<>(plugins);
            left.removeAll(ended);
            plugins = List.copyOf(left);
            ended.forEach(ResourcePlugin::close);
        } finally {
            lock.unlock();
        }
    }

    private void keep() {
        directory.addListener(wake);
        try {
            while (true) {
                boolean ignored = woken.tryAcquire(look().toNanos(), TimeUnit.NANOSECONDS);
                woken.drainPermits();
            }
        } catch (InterruptedException e) {
            LOG.fine("no longer registering");
        } finally {
            directory.removeListener(wake);
        }
    }

    /** Does all there is to do now, and returns how long it may sleep if nothing happens. */
    private Duration look() {
        lock.lock();
        try {
            if (Thread.currentThread().isInterrupted()) {
                // It waited for the lock while all of this was closed.
                return Duration.ZERO;
            }
            if (connection != null) {
                connection.look();
            }
            Deadline next = Deadline.in(PluginDirectory.POLL);
            for (ResourcePlugin plugin : plugins) {
                next = next.orEarlier(plugin.look());
            }
            return connection == null
                    ? next.wakeUp()
                    : next.orEarlier(Deadline.in(connection.pause())).wakeUp();
        } finally {
            lock.unlock();
        }
    }

    /** Removes all sockets without sending empty lists. */
    @Override
    public void close() {
        Threads.end(keeper);
        remove(plugins);
        if (connection != null) {
            connection.close();
        }
    }
}
