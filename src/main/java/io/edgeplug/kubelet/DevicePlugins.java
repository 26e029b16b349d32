package io.edgeplug.kubelet;

import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.UnixRpc;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The device plugins of a node, one for each resource, registered with its kubelet while this is open. */
public final class DevicePlugins implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(DevicePlugins.class.getName());

    private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    /** How long what a preparation by hand has left, that was killed, may go unnoticed. */
    private static final Duration SLOW_LOOK = Duration.ofSeconds(60);

    /** How often the kubelet's notes are read while a device is gone that a container may hold. */
    private static final Duration MISSING_LOOK = Duration.ofSeconds(10);

    private final UnixRpc rpc;
    private final PluginDirectory directory;
    private final Supplies supplies;
    private final Preparations preparations;
    private final List<KubeletApi> apis;
    private final Thread releases;

    /** Changed by {@link #use} only; whoever asks meanwhile sees the resources of before. */
    private volatile List<ResourcePlugin> plugins = List.of();

    private DevicePlugins(
            UnixRpc rpc,
            PluginDirectory directory,
            Supplies supplies,
            Preparations preparations,
            List<KubeletApi> apis,
            Path kubeletDir) {
        this.releases = Thread.ofVirtual().name("releases").unstarted(() -> followReleases(kubeletDir));
        this.rpc = rpc;
        this.directory = directory;
        this.supplies = supplies;
        this.preparations = preparations;
        this.apis = List.copyOf(apis);
    }

    /**
     * Starts to serve and to register; a kubelet that is not there yet is waited for.
     *
     * @param kubeletDir the kubelet's directory for device plugins, which may be missing yet
     * @throws IOException if the directory cannot be watched, or another daemon serves in it
     */
    public static DevicePlugins open(Path kubeletDir, Supplies supplies, Preparations preparations) throws IOException {
        SocketNames.deleteAbandoned(kubeletDir);
        PluginDirectory directory = PluginDirectory.devicePlugins(kubeletDir);
        if (directory.view().kubelet().isEmpty()) {
            LOG.info(() -> "waiting for the kubelet: there is no " + directory.kubeletSocket());
        }
        return start(directory, supplies, preparations, List.of(new V1beta1(), new V1alpha1()), kubeletDir);
    }

    /**
     * Starts to serve where the kubelet's plugin watcher finds the sockets.
     *
     * @param registry the kubelet's {@code plugins_registry}, which may be missing yet
     * @param kubeletDir its directory for device plugins, where it notes who holds what
     * @throws IOException if the directory cannot be watched, or another daemon serves in it
     */
    public static DevicePlugins openInRegistry(
            Path registry, Path kubeletDir, Supplies supplies, Preparations preparations) throws IOException {
        SocketNames.deleteAbandoned(registry);
        return start(
                PluginDirectory.pluginsRegistry(registry),
                supplies,
                preparations,
                List.of(new PluginsRegistry()),
                kubeletDir);
    }

    private static DevicePlugins start(
            PluginDirectory directory,
            Supplies supplies,
            Preparations preparations,
            List<KubeletApi> apis,
            Path kubeletDir)
            throws IOException {
        UnixRpc rpc;
        try {
            rpc = UnixRpc.open();
        } catch (IOException e) {
            directory.close();
            throw e;
        }
        DevicePlugins plugins = new DevicePlugins(rpc, directory, supplies, preparations, apis, kubeletDir);
        plugins.plugins = supplies.each().stream().map(plugins::start).toList();
        plugins.releases.start();
        return plugins;
    }

    private ResourcePlugin start(Supply supply) {
        Resource resource = new Resource(supply, preparations);
        List<KubeletApi> usable =
                apis.stream().filter(api -> api.serves(resource)).toList();
        return ResourcePlugin.start(rpc, directory, resource, usable);
    }

    /**
     * Serves these classes from now on, and has the monitor use them. A resource whose class is as it was keeps its
     * socket, its stream and its supply. One thread at a time.
     */
    public void use(List<DeviceClass> classes) throws InterruptedException {
        Map<Boolean, List<ResourcePlugin>> known =
                plugins.stream().collect(Collectors.partitioningBy(plugin -> classes.contains(plugin.deviceClass())));
        List<ResourcePlugin> ended = known.getOrDefault(false, List.of());
        List<ResourcePlugin> kept = known.getOrDefault(true, List.of());
        // first: a resource without devices would be an empty list, and fail the containers that have them
        ended.forEach(ResourcePlugin::stop);
        ended.forEach(ResourcePlugin::awaitEnd);
        plugins = kept;
        supplies.use(classes);
        Stream<ResourcePlugin> begun = supplies.each().stream()
                .filter(supply ->
                        kept.stream().noneMatch(plugin -> plugin.deviceClass().equals(supply.deviceClass())))
                .map(this::start);
        plugins = Stream.concat(kept.stream(), begun).toList();
        directory.wake();
    }

    /** Whether there is a kubelet. */
    public boolean hasKubelet() {
        return directory.view().kubelet().isPresent();
    }

    /** The resources that the kubelet has the devices of now. */
    public List<ResourceName> registered() {
        return plugins.stream()
                .filter(ResourcePlugin::isRegistered)
                .map(plugin -> plugin.deviceClass().resource())
                .toList();
    }

    /**
     * Waits until the kubelet has come or gone, or a registration may have come further.
     *
     * @return the generation that is newer, to wait with next; begin with any negative one
     */
    public long awaitNewerThan(long generation) throws InterruptedException {
        directory.awaitNewerThan(generation, FOREVER);
        return directory.view().generation();
    }

    /** The kubelet tells of no release, but it writes its notes anew in the directory that is watched. */
    private void followReleases(Path kubeletDir) {
        try {
            boolean isKnown = false;
            while (true) {
                long generation = directory.view().generation();
                preparations.recoverAgain();
                preparations.giveBackDrivers(kubeletDir);
                boolean isMissing = !supplies.monitor().missing().isEmpty();
                if (isMissing || !isKnown) {
                    isKnown |= learnHolders(kubeletDir);
                }
                directory.awaitNewerThan(generation, isMissing ? MISSING_LOOK : SLOW_LOOK);
            }
        } catch (InterruptedException e) {
            LOG.fine("no longer following what containers hold");
        }
    }

    /** Whether the kubelet's notes could be read; as long as they cannot, every device that was handed out may be held. */
    boolean learnHolders(Path kubeletDir) {
        try {
            HeldDevices held = HeldDevices.read(kubeletDir);
            supplies.monitor().containersHold(device -> held.of(device).isPresent());
            return true;
        } catch (IOException e) {
            LOG.fine(() -> "not known what containers hold: " + e.getMessage());
            return false;
        }
    }

    /** Takes all sockets away, without a farewell: an empty list would have the kubelet fail running containers. */
    @Override
    public void close() throws IOException {
        releases.interrupt();
        plugins.forEach(ResourcePlugin::stop);
        plugins.forEach(ResourcePlugin::awaitEnd);
        rpc.close();
        directory.close();
    }
}
