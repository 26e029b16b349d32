package io.edgeplug.kubelet;

import io.edgeplug.device.ResourceName;
import io.edgeplug.flow.Outcomes;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.pods.KubeletPods;
import io.edgeplug.pods.PreparedClaims;
import io.edgeplug.rules.Api;
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
                () -> registered(supplies).map(this::resource).toList());
        this.pods = pods;
        this.releases = Releases.of(pods, supplies, preparations, registrations::areComplete, directory.notes());
        this.rpc = rpc;
        this.directory = directory;
        this.supplies = supplies;
        this.preparations = preparations;
    }

    /**
     * Starts to serve and to register; a kubelet that is not there yet is waited for.
     *
     * @param kubeletDir the kubelet's directory for device plugins, which may be missing yet
     * @param kubeletRoot its root directory, in which it tells of its pods
     * @param claims those whose devices are held beside those that it notes
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
     * Starts to serve where the kubelet's plugin watcher finds the sockets.
     *
     * @param registry the kubelet's {@code plugins_registry}, which may be missing yet
     * @param kubeletDir its directory for device plugins, where it notes who holds what
     * @param kubeletRoot its root directory, in which it tells of its pods
     * @param claims those whose devices are held beside those that it notes
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
        plugins.registrations.add(registered(supplies).map(plugins::resource).toList());
        plugins.releases.start();
        return plugins;
    }

    /** The supplies that the kubelet is told of; the others are for claims. */
    private static Stream<Supply> registered(Supplies supplies) {
        return supplies.each().stream().filter(supply -> supply.deviceClass().api() == Api.DEVICE_PLUGIN);
    }

    private Resource resource(Supply supply) {
        return new Resource(supply, preparations, pods.kubeletDir(), pods::give);
    }

    /**
     * Serves these classes from now on, and has the monitor use them. A resource whose class is as it was keeps its
     * socket, its stream and its supply. One thread at a time.
     */
    public void use(List<DeviceClass> classes) throws InterruptedException {
        List<DeviceClass> kept = registrations.plugins().stream()
                .map(ResourcePlugin::deviceClass)
                .filter(classes::contains)
                .toList();
        // first: a resource without devices would be an empty list, and fail the containers that have them
        registrations.remove(registrations.plugins().stream()
                .filter(plugin -> !kept.contains(plugin.deviceClass()))
                .toList());
        releases.use(classes);
        supplies.use(classes);
        registrations.add(registered(supplies)
                .filter(supply -> !kept.contains(supply.deviceClass()))
                .map(this::resource)
                .toList());
        directory.progressed();
    }

    /**
     * Registers with a stand-in for the kubelet, in the background, so that the real one is registered with quickly. Waits
     * until that is done, but not long, if no kubelet listens yet: one that starts next would come in the middle of it. Once.
     */
    public void rehearse() throws InterruptedException {
        rehearsal.start();
    }

    /** Waits until that is done, or for so long, and says whether it is. */
    public boolean awaitRehearsed(Duration timeout) throws InterruptedException {
        return rehearsal.await(timeout);
    }

    /** Whether one of its sockets answers a call within so long; also where it has none, as without the directory. */
    public boolean answers(Duration patience) throws InterruptedException {
        Optional<Path> socket = registrations.plugins().stream()
                .flatMap(plugin -> plugin.socket().stream())
                .findFirst();
        return socket.isEmpty() || rpc.answers(socket.orElseThrow(), patience);
    }

    /** Whether there is a kubelet; where it finds sockets by itself, whether there is its directory. */
    public boolean hasKubelet() {
        return registrations.hasKubelet();
    }

    /** The resources that the kubelet has the devices of now. */
    public List<ResourceName> registered() {
        return registrations.plugins().stream()
                .filter(ResourcePlugin::isRegistered)
                .map(plugin -> plugin.deviceClass().resource())
                .toList();
    }

    /** Which pods of its kubelet hold what. */
    public KubeletPods pods() {
        return pods;
    }

    /** Has what pods hold looked at again soon, as when the kubelet has noted something else. */
    public void lookAtHolders() {
        directory.noted();
    }

    /** How many registrations of each resource came about, and how many failed. */
    public Map<ResourceName, Outcomes.Counts> registrations() {
        return registrations.plugins().stream()
                .collect(Collectors.toMap(
                        plugin -> plugin.deviceClass().resource(),
                        plugin -> plugin.log().registrations()));
    }

    /**
     * Waits until the kubelet has come or gone, or a registration may have come further.
     *
     * @return the generation that is newer, to wait with next; begin with any negative one
     */
    public long awaitNewerThan(long generation) throws InterruptedException {
        PluginDirectory.View ignored = directory.views().awaitNewerThan(generation);
        return directory.view().generation();
    }

    /**
     * Waits until the kubelet may have noted something else of who holds what.
     *
     * @return the number to wait with next; begin with any negative one
     */
    public long awaitNotes(long number) throws InterruptedException {
        return directory.notes().awaitNewerThan(number);
    }

    /** Takes all sockets away, without a farewell: an empty list would have the kubelet fail running containers. */
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

    /** For tests: what follows the notes of the kubelet. */
    Releases releases() {
        return releases;
    }
}
