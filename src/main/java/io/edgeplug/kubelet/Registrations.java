package io.edgeplug.kubelet;

import io.edgeplug.flow.Threads;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.supply.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Logger;
import java.util.stream.Stream;

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
    private final List<KubeletApi> apis;
    private final boolean isRehearsal;

    /** Empty if the kubelet finds sockets by itself. */
    private final Optional<KubeletConnection> connection;

    private final Semaphore woken = new Semaphore(0);
    private final Runnable wake = woken::release;
    private final Thread keeper;

    /** Held while plugins are looked at or changed. */
    private final Lock lock = new ReentrantLock();

    /** Changed with the lock held; any thread reads it. */
    private volatile List<ResourcePlugin> plugins = List.of();

    private Registrations(UnixRpc rpc, PluginDirectory directory, List<KubeletApi> apis, boolean isRehearsal) {
        this.rpc = rpc;
        this.directory = directory;
        this.apis = List.copyOf(apis);
        this.isRehearsal = isRehearsal;
        this.connection =
                directory.isRegistry() ? Optional.empty() : Optional.of(new KubeletConnection(rpc, directory, wake));
        this.keeper = Thread.ofPlatform().name("registrations").daemon().unstarted(this::keep);
    }

    /** Starts without resources. Each is registered in the first of these versions that the kubelet knows. */
    static Registrations start(UnixRpc rpc, PluginDirectory directory, List<KubeletApi> apis) {
        return start(new Registrations(rpc, directory, apis, false));
    }

    /** Does the same without log lines. */
    static Registrations rehearse(UnixRpc rpc, PluginDirectory directory) {
        return start(new Registrations(rpc, directory, List.of(new V1beta1()), true));
    }

    private static Registrations start(Registrations registrations) {
        registrations.keeper.start();
        return registrations;
    }

    /** The resources, as plugins of the kubelet. */
    List<ResourcePlugin> plugins() {
        return plugins;
    }

    /** Whether all of them are registered. */
    boolean areComplete() {
        return plugins.stream().allMatch(ResourcePlugin::isRegistered);
    }

    /** Whether a kubelet can be reached, or can find sockets by itself. */
    boolean hasKubelet() {
        return connection
                .map(one -> one.established().isPresent())
                .orElseGet(() -> directory.view().kubelet().isPresent());
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
                rpc, directory, connection, resource, usable, new PluginLog(resource.deviceClass(), isRehearsal), wake);
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
            connection.ifPresent(KubeletConnection::look);
            plugins.forEach(ResourcePlugin::look);
            return Stream.concat(
                            connection.stream().map(KubeletConnection::pause),
                            plugins.stream().map(ResourcePlugin::pause))
                    .min(Duration::compareTo)
                    .orElse(PluginDirectory.POLL);
        } finally {
            lock.unlock();
        }
    }

    /** Removes all sockets without sending empty lists. */
    @Override
    public void close() {
        Threads.end(keeper);
        remove(plugins);
        connection.ifPresent(KubeletConnection::close);
    }
}
