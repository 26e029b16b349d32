package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A kubelet from the view of device plugins. It serves {@code kubelet.sock}, follows every plugin that registers, and
 * gives its devices to pods.
 *
 * <p>Sockets and calls are real. Pods are only names, and no container runs. It behaves like
 * pkg/kubelet/cm/devicemanager of the Kubernetes version in its options, with these exceptions. The connection of a
 * refused Register is closed. Running containers after a restart are admitted like others. Hints are those up to 1.35,
 * over all NUMA nodes. There are no sidecar containers.
 */
public final class LocalKubelet implements AutoCloseable {

    private final Path directory;
    private final KubeletOptions options;
    private final Deadlines deadlines;
    private final UnixRpc rpc;
    private final Ledger ledger;
    private final PodTable pods = new PodTable();
    private final Admission admission;
    private final CountDownLatch closing = new CountDownLatch(1);
    private @Nullable KubeletRun run;
    private @Nullable PodApis apis;
    private boolean stopped;

    private LocalKubelet(Path directory, KubeletOptions options, Deadlines deadlines, UnixRpc rpc, Ledger ledger) {
        this.directory = directory;
        this.options = options;
        this.deadlines = deadlines;
        this.rpc = rpc;
        this.ledger = ledger;
        this.admission = new Admission(ledger, pods, options);
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
        if (run != null) {
            throw new IllegalStateException("the local kubelet is running");
        }
        if (stopped) {
            ledger.tell(new KubeletEvent.Restarted());
        }
        ledger.restore();
        RegistrationServer.clear(directory);
        if (options.root().isPresent()) {
            Path root = options.root().orElseThrow().toAbsolutePath();
            apis = PodApis.open(rpc, root, options, pods, ledger);
        }
        pause();
        run = KubeletRun.open(rpc, directory, options, deadlines, ledger);
        if (apis != null) {
            apis.begin();
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
        if (run != null) {
            run.close();
        }
        run = null;
        if (apis != null) {
            apis.close();
        }
        apis = null;
    }
}
