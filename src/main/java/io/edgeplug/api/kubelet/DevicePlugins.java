package io.edgeplug.api.kubelet;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.node.pods.KubeletPods;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.node.supply.CustodyThread;
import io.edgeplug.node.supply.Preparations;
import io.edgeplug.node.supply.Resource;
import io.edgeplug.node.supply.Supplies;
import io.edgeplug.node.supply.Supply;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Follower;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Outcomes;
import io.edgeplug.system.flow.Threads;
import io.edgeplug.system.kernel.FilePages;
import io.edgeplug.system.rpc.UnixRpc;
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
import org.jspecify.annotations.Nullable;

/** The device plugins of a node, one for each resource, registered with its kubelet while this is open. */
public final class DevicePlugins implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(DevicePlugins.class.getName());

    /** The longest that a start waits for the rehearsal, which takes about a second. */
    private static final Duration REHEARSED_WITHIN = Duration.ofSeconds(3);

    /** Reports begin after the start, and a kubelet that is there gets its first lists. */
    private static final Duration START_SETTLED = Duration.ofSeconds(1);

    /** The longest that an end waits for the rehearsal, whose sockets use the same loop. */
    private static final Duration REHEARSAL_ENDS_WITHIN = Duration.ofSeconds(20);

    private final UnixRpc rpc;
    private final PluginDirectory directory;

    private final Registrations registrations;
    private final Supplies supplies;
    private final Preparations preparations;
    private final KubeletPods pods;
    private final CustodyThread custody;
    private final Thread rehearsal;

    /**
     * Starts to serve and to register. Waits for a kubelet that is not there yet.
     *
     * @param registry the kubelet's {@code plugins_registry}, if its plugin watcher finds the sockets there; null if they
     *     are registered in {@code kubeletDir}. It may not exist yet.
     * @param kubeletDir its directory for device plugins, where it notes the holders of devices; it may not exist yet
     * @param kubeletRoot its root directory, with the sockets that tell of pods
     * @param claims whose devices are held, besides those in the kubelet's notes
     * @throws IOException if the directory cannot be watched, or another daemon serves in it
     */
    public DevicePlugins(
            @Nullable Path registry,
            Path kubeletDir,
            Path kubeletRoot,
            Supplies supplies,
            Preparations preparations,
            PreparedClaims claims)
            throws IOException {
        this.directory = PluginDirectory.open(registry == null ? kubeletDir : registry, registry != null);
        this.supplies = supplies;
        this.preparations = preparations;
        this.rpc = open(directory, kubeletDir);
        this.pods = new KubeletPods(
                rpc,
                kubeletRoot,
                kubeletDir,
                claims,
                KubeletPods.CGROUPS,
                // The ends of pods are followed, also if no class has their resource any more.
                resource -> supplies.has(resource) || supplies.custodian().wasAnyHeldAs(resource),
                directory::noted);
        this.registrations = new Registrations(rpc, directory, false);
        this.custody = new CustodyThread(pods, supplies, preparations, registrations::areComplete, directory.notes());
        this.rehearsal = Thread.ofPlatform().name("rehearsal").daemon().unstarted(this::rehearseAll);
        registrations.add(served(supplies, resource -> HeldDevices.isKnown(kubeletDir, resource))
                .map(this::resource)
                .toList());
        custody.start();
    }

    private static UnixRpc open(PluginDirectory directory, Path kubeletDir) throws IOException {
        try {
            if (directory.isRegistry() || !Files.isSymbolicLink(directory.sockets())) {
                SocketNames.deleteAbandoned(directory.sockets());
            }
            if (!directory.isRegistry() && directory.view().kubelet().isEmpty()) {
                LOG.info(() -> "waiting for the kubelet: there is no " + directory.kubeletSocket());
            }
            return UnixRpc.open(kubeletDir.toAbsolutePath().resolve(PluginDirectory.KUBELET_SOCKET));
        } catch (IOException e) {
            directory.close();
            throw e;
        }
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
        supplies.use(classes);
        // This comes before the first pod can ask for a device that another one has by a class of before.
        custody.use(classes);
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
        if (!directory.isRegistry() && !UnixRpc.isListening(directory.kubeletSocket())) {
            boolean ignored = rehearsal.join(REHEARSED_WITHIN);
        }
    }

    private void rehearseAll() {
        List<Resource> all =
                served(supplies, resource -> false).map(this::resource).toList();
        try {
            if (!all.isEmpty()) {
                new Rehearsal(rpc, all, registrations::awaitComplete).run();
                if (!hasKubelet()) {
                    // Else the garbage of the rehearsal would be collected just when the kubelet comes. Beside a
                    // kubelet, this pause of up to 40 ms would hold up its calls.
                    System.gc();
                }
            }
        } catch (InterruptedException e) {
            LOG.fine("no longer rehearsing");
        }
    }

    /** The start is over, and what only it and the rehearsal have needed leaves this process's memory a little later. */
    public void started() {
        Thread.ofVirtual().name("memory of the start").start(this::giveBack);
    }

    private void giveBack() {
        try {
            rehearsal.join();
            Deadline.in(START_SETTLED).await();
            FilePages.giveBack();
        } catch (InterruptedException | IOException e) {
            LOG.fine(() -> "keeping the memory that the start has needed: " + e);
        }
    }

    /** Waits for the end of the rehearsal, up to a timeout. Returns whether it has ended. */
    public boolean awaitRehearsed(Duration timeout) throws InterruptedException {
        return rehearsal.join(timeout);
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

    /** What is in the place of a kubelet; empty if there is one. Looks at files, so never call it on a shared thread. */
    public Optional<String> kubeletAbsence() {
        return hasKubelet() ? Optional.empty() : Optional.of(KubeletAbsence.reason(directory));
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
     * Runs an action now, and when the kubelet has come or gone, or a registration may have progressed.
     *
     * @param burst for how long to let changes come together
     */
    public Follower follow(String name, Duration burst, Runnable action) {
        return directory.views().follow(Front.STATUS, name, burst, view -> action.run());
    }

    /** Runs an action now, and when the kubelet may have written other notes about holders. */
    public Follower followNotes(String name, Runnable action) {
        return directory.notes().follow(Front.STATUS, name, Duration.ZERO, count -> action.run());
    }

    /** Removes all sockets without sending empty lists, which would make the kubelet fail running containers. */
    @Override
    public void close() throws IOException {
        rehearsal.interrupt();
        registrations.close();
        Threads.end(rehearsal, REHEARSAL_ENDS_WITHIN);
        custody.close();
        pods.close();
        rpc.close();
        if (!directory.isRegistry()) {
            SocketNames.deleteOwn(directory.sockets());
        }
        directory.close();
    }

    /** Follows which containers hold which devices. */
    public CustodyThread custody() {
        return custody;
    }
}
