package io.edgeplug.kubelet;

import io.edgeplug.device.ResourceName;
import io.edgeplug.flow.Outcomes;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.pods.KubeletPods;
import io.edgeplug.pods.PreparedClaims;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.supply.Preparations;
import io.edgeplug.supply.Releases;
import io.edgeplug.supply.Resource;
import io.edgeplug.supply.Supplies;
import io.edgeplug.supply.Supply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The device plugins of a node, one for each resource, registered with its kubelet while this is open. */
public final class DevicePlugins implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(DevicePlugins.class.getName());

    private final UnixRpc rpc;
    private final PluginDirectory directory;

    private final Registrations registrations;
    private final Supplies supplies;
    private final Preparations preparations;
    private final KubeletPods pods;
    private final Releases releases;
    private final StartRehearsal rehearsal;

    private DevicePlugins(
            UnixRpc rpc,
            PluginDirectory directory,
            Registrations registrations,
            Supplies supplies,
            Preparations preparations,
            KubeletPods pods) {
        this.registrations = registrations;
        this.rehearsal = new StartRehearsal(
                rpc,
                directory,
                registrations,
                () -> served(supplies, resource -> false).map(this::resource).toList());
        this.pods = pods;
        this.releases = Releases.of(pods, supplies, preparations, registrations::areComplete, directory.notes());
        this.rpc = rpc;
        this.directory = directory;
        this.supplies = supplies;
        this.preparations = preparations;
    }

    /**
     * Starts to serve and to register. Waits for a kubelet that is not there yet.
     *
     * @param kubeletDir the kubelet's directory for device plugins, which may not exist yet
     * @param kubeletRoot its root directory, with the sockets that tell of pods
     * @param claims whose devices are held, besides those in the kubelet's notes
     * @throws IOException if the directory cannot be watched, or another daemon serves in it
     */
    public static DevicePlugins open(
            Path kubeletDir, Path kubeletRoot, Supplies supplies, Preparations preparations, PreparedClaims claims)
            throws IOException {
        PluginDirectory directory = PluginDirectory.devicePlugins(kubeletDir);
        try {
            if (!Files.isSymbolicLink(directory.sockets())) {
                SocketNames.deleteAbandoned(directory.sockets());
            }
        } catch (IOException e) {
            directory.close();
            throw e;
        }
        if (directory.view().kubelet().isEmpty()) {
            LOG.info(() -> "waiting for the kubelet: there is no " + directory.kubeletSocket());
        }
        return start(
                directory,
                supplies,
                preparations,
                List.of(new V1beta1(), new V1alpha1()),
                kubeletDir,
                kubeletRoot,
                claims);
    }

    /**
     * Starts to serve in the directory where the kubelet's plugin watcher finds sockets.
     *
     * @param registry the kubelet's {@code plugins_registry}, which may not exist yet
     * @param kubeletDir its directory for device plugins, where it notes the holders of devices
     * @param kubeletRoot its root directory, with the sockets that tell of pods
     * @param claims whose devices are held, besides those in the kubelet's notes
     * @throws IOException if the directory cannot be watched, or another daemon serves in it
     */
    public static DevicePlugins openInRegistry(
            Path registry,
            Path kubeletDir,
            Path kubeletRoot,
            Supplies supplies,
            Preparations preparations,
            PreparedClaims claims)
            throws IOException {
        SocketNames.deleteAbandoned(registry);
        return start(
                PluginDirectory.pluginsRegistry(registry),
                supplies,
                preparations,
                List.of(new PluginsRegistry()),
                kubeletDir,
                kubeletRoot,
                claims);
    }

    private static DevicePlugins start(
            PluginDirectory directory,
            Supplies supplies,
            Preparations preparations,
            List<KubeletApi> apis,
            Path kubeletDir,
            Path kubeletRoot,
            PreparedClaims claims)
            throws IOException {
        UnixRpc rpc;
        try {
            rpc = UnixRpc.open(kubeletDir.toAbsolutePath().resolve(PluginDirectory.KUBELET_SOCKET));
        } catch (IOException e) {
            directory.close();
            throw e;
        }
        KubeletPods pods = KubeletPods.follow(rpc, kubeletRoot, kubeletDir, claims, supplies::has, directory::noted);
        DevicePlugins plugins = new DevicePlugins(
                rpc, directory, Registrations.start(rpc, directory, apis), supplies, preparations, pods);
        plugins.registrations.add(served(supplies, resource -> HeldDevices.isKnown(kubeletDir, resource))
                .map(plugins::resource)
                .toList());
        plugins.releases.start();
        return plugins;
    }

    /**
     * The supplies for the kubelet, and those for claims that it knows as resources of this plugin. It asks the plugin
     * of such a resource before each container that names it, even if the container's devices are claimed, and starts
     * none if the plugin is gone (callPreStartContainerIfNeeded in pkg/kubelet/cm/devicemanager/manager.go). So these
     * are served too: without devices, and with the request not to be asked.
     *
     * @param isKnown whether the kubelet knows a claimed resource as one of this plugin
     */
    private static Stream<Supply> served(Supplies supplies, Predicate<ResourceName> isKnown) {
        return supplies.each().stream()
                .filter(supply -> !supply.deviceClass().isClaimed()
                        || isKnown.test(supply.deviceClass().resource()));
    }

    private Resource resource(Supply supply) {
        return new Resource(supply, preparations, pods.kubeletDir(), pods::give);
    }

    /**
     * Serves these classes from now on, and has the monitor use them. A resource with an unchanged class keeps its
     * socket, its stream and its supply. One thread at a time.
     */
    public void use(List<DeviceClass> classes) throws InterruptedException {
        Set<ResourceName> known = registrations.plugins().stream()
                .map(plugin -> plugin.deviceClass().resource())
                .collect(Collectors.toSet());
        List<DeviceClass> kept = registrations.plugins().stream()
                .map(ResourcePlugin::deviceClass)
                .filter(classes::contains)
                .toList();
        // This comes first: a resource without devices would be an empty list, and fail the containers that have them.
        registrations.remove(registrations.plugins().stream()
                .filter(plugin -> !kept.contains(plugin.deviceClass()))
                .toList());
        releases.use(classes);
        supplies.use(classes);
        registrations.add(served(supplies, known::contains)
                .filter(supply -> !kept.contains(supply.deviceClass()))
                .map(this::resource)
                .toList());
        directory.progressed();
    }

    /**
     * Registers with a stand-in for the kubelet, in the background, so that later registrations with the real one are
     * quick. If no kubelet listens yet, it waits a short time for the end, so that a starting kubelet does not come in
     * the middle. Call it once.
     */
    public void rehearse() throws InterruptedException {
        rehearsal.start();
    }

    /** Waits for the end of the rehearsal, up to a timeout. Returns whether it has ended. */
    public boolean awaitRehearsed(Duration timeout) throws InterruptedException {
        return rehearsal.await(timeout);
    }

    /**
     * Whether one of its sockets answers a call in time; also true if it has no sockets, such as without the directory.
     */
    public boolean answers(Duration patience) throws InterruptedException {
        Optional<Path> socket = registrations.plugins().stream()
                .flatMap(plugin -> plugin.socket().stream())
                .findFirst();
        return socket.isEmpty() || rpc.answers(socket.orElseThrow(), patience);
    }

    /** Whether there is a kubelet, or its directory if it finds sockets by itself. */
    public boolean hasKubelet() {
        return registrations.hasKubelet();
    }

    /** Those whose devices the kubelet hands out. */
    private Stream<ResourcePlugin> handedOut() {
        return registrations.plugins().stream()
                .filter(plugin -> !plugin.deviceClass().isClaimed());
    }

    /** The resources whose devices the kubelet has now. */
    public List<ResourceName> registered() {
        return handedOut()
                .filter(ResourcePlugin::isRegistered)
                .map(plugin -> plugin.deviceClass().resource())
                .toList();
    }

    /** The pods of its kubelet and their devices. */
    public KubeletPods pods() {
        return pods;
    }

    /** How many registrations of each resource succeeded, and how many failed. */
    public Map<ResourceName, Outcomes.Counts> registrations() {
        return handedOut()
                .collect(Collectors.toMap(
                        plugin -> plugin.deviceClass().resource(),
                        plugin -> plugin.log().registrations()));
    }

    /**
     * Waits until the kubelet has come or gone, or a registration may have progressed.
     *
     * @return the new generation for the next call; begin with any negative one
     */
    public long awaitNewerThan(long generation) throws InterruptedException {
        PluginDirectory.View ignored = directory.views().awaitNewerThan(generation);
        return directory.view().generation();
    }

    /**
     * Waits until the kubelet may have written other notes about holders.
     *
     * @return the number for the next call; begin with any negative one
     */
    public long awaitNotes(long number) throws InterruptedException {
        return directory.notes().awaitNewerThan(number);
    }

    /** Removes all sockets without sending empty lists, which would make the kubelet fail running containers. */
    @Override
    public void close() throws IOException {
        rehearsal.interrupt();
        registrations.close();
        rehearsal.close();
        releases.close();
        pods.close();
        rpc.close();
        if (!directory.isRegistry()) {
            SocketNames.deleteOwn(directory.sockets());
        }
        directory.close();
    }

    /** Follows which containers hold which devices. */
    public Releases releases() {
        return releases;
    }
}
