package io.edgeplug.localkubelet;

import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.UnixRpc;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A kubelet as device plugins see one: it serves {@code kubelet.sock}, follows every plugin that registers and gives
 * its devices to pods.
 *
 * <p>Sockets and calls are real; pods are names, no container runs. It behaves as pkg/kubelet/cm/devicemanager of
 * Kubernetes 1.36 does, with these exceptions: a plugin that is dialled back must give its options within the dial's
 * 10 s; an endpoint that is no bare file name is refused; a pod that asks for a resource that nobody ever registered is
 * refused, where a scheduler would not have sent it to this node; GetPreferredAllocation is asked only where there is a
 * choice, which a kubelet without a topology hint does not look at.
 */
public final class LocalKubelet implements AutoCloseable {

    private static final Duration DIAL_DEADLINE = Duration.ofSeconds(10);

    private final Path directory;
    private final Duration dialDeadline;
    private final UnixRpc rpc;
    private final Ledger ledger;
    private final Admission admission;
    private RegistrationServer server;
    private boolean closed;

    private LocalKubelet(Path directory, Duration dialDeadline, UnixRpc rpc, Ledger ledger, RegistrationServer server) {
        this.directory = directory;
        this.dialDeadline = dialDeadline;
        this.rpc = rpc;
        this.ledger = ledger;
        this.admission = new Admission(ledger);
        this.server = server;
    }

    /**
     * Starts as a kubelet does: deletes every socket in the directory, which is made if there is none, and serves.
     *
     * @param listener is told all that happens, in order and never by two threads at once; it may look at the kubelet
     *     but not wait for it or change it, since the kubelet stands still meanwhile
     * @throws IOException if the directory cannot be cleared or the socket not be made
     */
    public static LocalKubelet open(Path pluginDirectory, Consumer<KubeletEvent> listener) throws IOException {
        return open(pluginDirectory, listener, DIAL_DEADLINE);
    }

    static LocalKubelet open(Path pluginDirectory, Consumer<KubeletEvent> listener, Duration dialDeadline)
            throws IOException {
        Path directory = pluginDirectory.toAbsolutePath();
        Ledger ledger = new Ledger(listener);
        UnixRpc rpc = UnixRpc.open();
        try {
            RegistrationServer server = RegistrationServer.open(rpc, directory, ledger, dialDeadline);
            return new LocalKubelet(directory, dialDeadline, rpc, ledger, server);
        } catch (IOException | RuntimeException e) {
            rpc.close();
            throw e;
        }
    }

    /**
     * Does to plugins what a restart of the kubelet does: hangs up on all, deletes every socket in the directory and
     * serves anew. Resources stay known, without devices; pods keep theirs.
     */
    public synchronized void restart() throws IOException {
        if (closed) {
            throw new IllegalStateException("the local kubelet is closed");
        }
        server.close();
        ledger.restarted();
        server = RegistrationServer.open(rpc, directory, ledger, dialDeadline);
    }

    /**
     * Gives each container the devices that it asks for; containers that hold theirs already keep them.
     *
     * @throws AdmissionException if one cannot be given all; then a new pod holds none
     */
    public Pod admit(PodSpec spec) throws AdmissionException {
        return admission.admit(spec);
    }

    /**
     * Does what comes before each start of a container: PreStartContainer, within 30 s, of each resource whose plugin
     * asked for it.
     *
     * @return what the container is started with
     * @throws IllegalArgumentException if there is no such container or it has no devices
     */
    public ContainerAllocation startContainer(String pod, String container) throws ContainerStartException {
        return admission.start(pod, container);
    }

    /** Frees the devices of a pod that is gone; plugins are not told, they never are. */
    public void remove(String pod) {
        ledger.removed(pod);
    }

    /** The pods that hold devices, in the order they came. */
    public List<Pod> pods() {
        return ledger.pods();
    }

    /** The pod of that name, if it holds devices. */
    public Optional<Pod> pod(String name) {
        return ledger.pod(name);
    }

    /** What is known of a resource now; of an unknown one that it is unknown. */
    public ResourceState resource(ResourceName resource) {
        return ledger.state(resource);
    }

    /** All resources that ever registered. */
    public SortedMap<ResourceName, ResourceState> resources() {
        return ledger.states();
    }

    /**
     * Waits until a resource is as wanted, and returns it so.
     *
     * @throws TimeoutException if it was not in that time; the message says how it was last
     */
    public ResourceState await(ResourceName resource, Predicate<ResourceState> wanted, Duration timeout)
            throws InterruptedException, TimeoutException {
        return ledger.await(() -> ledger.state(resource), wanted, timeout, ResourceState::text);
    }

    /**
     * Waits until all resources together are as wanted, and returns them so.
     *
     * @throws TimeoutException if they were not in that time; the message says how they were last
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

    /** Hangs up on all plugins and unlinks {@code kubelet.sock}; what still waits fails. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            server.close();
            ledger.close();
            rpc.close();
        }
    }
}
