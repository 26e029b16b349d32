package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.BindableService;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A kubelet from the view of device plugins. It serves {@code kubelet.sock}, follows every plugin that registers, and
 * gives its devices to pods.
 *
 * <p>Sockets and calls are real. Pods are only names, and no container runs. It behaves like
 * pkg/kubelet/cm/devicemanager of the Kubernetes version in its options, with these exceptions. The connection of a
 * refused Register is closed. Running containers after a restart are admitted like others. There is no topology
 * policy, and there are no sidecar containers.
 */
public final class LocalKubelet implements AutoCloseable {

    /** Closing takes a few milliseconds, unless the machine is busy. */
    private static final long CLOSE_SECONDS = 5;

    private final Path directory;
    private final KubeletOptions options;
    private final Deadlines deadlines;
    private final UnixRpc rpc;
    private final Ledger ledger;
    private final PodTable pods = new PodTable();
    private final Admission admission;
    private final CountDownLatch closing = new CountDownLatch(1);

    /** What ends it, from one start to the next, the last first. */
    private final Deque<Runnable> ends = new ArrayDeque<>();

    private boolean stopped;

    private LocalKubelet(Path directory, KubeletOptions options, Deadlines deadlines, UnixRpc rpc, Ledger ledger) {
        this.directory = directory;
        this.options = options;
        this.deadlines = deadlines;
        this.rpc = rpc;
        this.ledger = ledger;
        this.admission = new Admission(ledger, pods);
    }

    /** Starts the kubelet of {@link KubeletOptions#DEFAULTS}. */
    public static LocalKubelet open(Path pluginDirectory, Consumer<KubeletEvent> listener) throws IOException {
        return open(pluginDirectory, KubeletOptions.DEFAULTS, listener);
    }

    /**
     * Starts like a kubelet: reads the checkpoint of an earlier kubelet in the directory, deletes every socket there in
     * the order of their names, and serves. The directory is made if it is missing.
     *
     * @param listener gets all events, in order and never on two threads at once; it may look at the kubelet but must
     *     not wait for it or change it, because the kubelet stands still meanwhile
     * @throws IOException if the directory cannot be cleared or the socket cannot be made
     */
    public static LocalKubelet open(Path pluginDirectory, KubeletOptions options, Consumer<KubeletEvent> listener)
            throws IOException {
        return open(pluginDirectory, options, Deadlines.KUBELET, listener);
    }

    static LocalKubelet open(
            Path pluginDirectory, KubeletOptions options, Deadlines deadlines, Consumer<KubeletEvent> listener)
            throws IOException {
        Path directory = pluginDirectory.toAbsolutePath();
        Ledger ledger = new Ledger(directory.resolve(Checkpoint.FILE), options, listener);
        LocalKubelet kubelet = new LocalKubelet(directory, options, deadlines, UnixRpc.open(), ledger);
        try {
            kubelet.start();
        } catch (IOException | RuntimeException e) {
            kubelet.close();
            throw e;
        }
        return kubelet;
    }

    /** Has the same effect on plugins as a restart of the kubelet: {@link #stop}, then {@link #start}. */
    public synchronized void restart() throws IOException {
        stop();
        start();
    }

    /** Disconnects all plugins and unlinks {@code kubelet.sock}. Their sockets stay. Does nothing if it is stopped. */
    public synchronized void stop() {
        refuseIfClosed();
        closeRun();
        stopped = true;
    }

    /**
     * Starts it after a {@link #stop}. From the checkpoint, it knows resources without devices, and pods with theirs.
     * Returns when {@code kubelet.sock} exists, after the pause of the options.
     */
    public synchronized void start() throws IOException {
        refuseIfClosed();
        if (!ends.isEmpty()) {
            throw new IllegalStateException("the local kubelet is running");
        }
        if (stopped) {
            ledger.tell(new KubeletEvent.Restarted());
        }
        ledger.restore();
        RegistrationServer.clear(directory);
        try {
            serve();
        } catch (IOException | RuntimeException e) {
            closeRun();
            throw e;
        }
    }

    private void serve() throws IOException {
        PodsServer podsApi = new PodsServer(pods);
        if (options.root().isPresent()) {
            Path root = options.root().orElseThrow().toAbsolutePath();
            serve(root.resolve("pod-resources/kubelet.sock"), new PodResourcesServer(pods, ledger, options));
            if (options.hasPodsApi()) {
                serve(root.resolve("pods-api/pods-api.sock"), podsApi);
            }
        }
        pause();
        Clients clients = new Clients(rpc, ledger, options, deadlines);
        ends.push(clients::close);
        ends.push(new RegistrationServer(directory, options, ledger, clients)::close);
        if (options.pluginsRegistry().isPresent()) {
            Path registry = options.pluginsRegistry().orElseThrow().toAbsolutePath();
            ends.push(new PluginsRegistry(registry, ledger, clients)::close);
        }
        podsApi.begin();
    }

    private void serve(Path socket, BindableService service) throws IOException {
        Files.createDirectories(socket.resolveSibling(""));
        if (RegistrationServer.isSocket(socket)) {
            Files.delete(socket);
        }
        Server server = rpc.serve(socket, service);
        ends.push(() -> end(server));
    }

    /** Returns when the socket is unlinked. A later unlink could hit the next kubelet's socket. */
    static void end(Server server) {
        try {
            server.shutdownNow().awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void pause() throws IOException {
        try {
            if (closing.await(options.socketPause().toNanos(), TimeUnit.NANOSECONDS)) {
                throw new IllegalStateException("the local kubelet is closed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(directory + ": interrupted while starting", e);
        }
    }

    private void refuseIfClosed() {
        if (closing.getCount() == 0) {
            throw new IllegalStateException("the local kubelet is closed");
        }
    }

    /**
     * Gives each container the devices that it asks for. Containers that already have theirs keep them. A resource that
     * no plugin has listed is not the kubelet's to give, so the pod is admitted without it.
     *
     * @throws AdmissionException if one cannot be given all of its devices; then a new pod holds none
     */
    public Pod admit(PodSpec spec) throws AdmissionException {
        return admission.admit(spec);
    }

    /**
     * Does what precedes each start of a container: PreStartContainer, within 30 s, of each resource whose plugin asked
     * for it. If a resource was listed only after the container was admitted, the container gets its devices now.
     *
     * @return the settings with which the container is started
     * @throws IllegalArgumentException if there is no such container
     */
    public ContainerAllocation startContainer(String pod, String container) throws ContainerStartException {
        return admission.start(pod, container);
    }

    /**
     * Reports that all containers of a pod have run to their end. Its devices become free when the next pod is admitted
     * or pod-resources is asked for a list. The checkpoint notes them until something else is noted.
     *
     * @throws IllegalArgumentException if there is no such pod
     */
    public void end(String pod) {
        pods.end(pod);
    }

    /**
     * Removes a pod as the API server does after its end. Its devices become free when the next pod is admitted or
     * pod-resources is asked for a list. The checkpoint notes them until something else is noted.
     */
    public void delete(String pod) {
        admission.delete(pod);
    }

    /** The same, but the checkpoint notes at once that its devices are free. Plugins are never told. */
    public void remove(String pod) {
        admission.remove(pod);
    }

    /** The pods that hold devices, in the order in which they came. */
    public List<Pod> pods() {
        return ledger.pods();
    }

    /** The pod with that name, if it holds devices. */
    public Optional<Pod> pod(String name) {
        return ledger.pod(name);
    }

    /** The present state of a resource; of an unknown one, that it is unknown. */
    public ResourceState resource(ResourceName resource) {
        return ledger.state(resource);
    }

    /** All resources that ever registered. */
    public SortedMap<ResourceName, ResourceState> resources() {
        return ledger.states();
    }

    /**
     * Waits until a resource is as wanted, and returns its state.
     *
     * @throws TimeoutException if it was not in time; the message has its last state
     */
    public ResourceState await(ResourceName resource, Predicate<ResourceState> wanted, Duration timeout)
            throws InterruptedException, TimeoutException {
        return ledger.await(() -> ledger.state(resource), wanted, timeout, ResourceState::text);
    }

    /**
     * Waits until all resources together are as wanted, and returns their states.
     *
     * @throws TimeoutException if they were not in time; the message has their last states
     */
    public SortedMap<ResourceName, ResourceState> await(
            Predicate<SortedMap<ResourceName, ResourceState>> wanted, Duration timeout)
            throws InterruptedException, TimeoutException {
        return ledger.await(
                ledger::states,
                wanted,
                timeout,
                states -> states.values().stream()
                        .map(ResourceState::text)
                        .collect(Collectors.joining("; ", states.size() + " resources: ", "")));
    }

    /** Disconnects all plugins and unlinks {@code kubelet.sock}. Callers that still wait get an exception. */
    @Override
    public void close() {
        closing.countDown();
        closeRun();
        ledger.close();
        rpc.close();
    }

    private synchronized void closeRun() {
        while (!ends.isEmpty()) {
            ends.pop().run();
        }
    }
}
