package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.v1beta1.Device;
import io.edgeplug.proto.v1beta1.RegisterRequest;
import io.edgeplug.proto.v1beta1.RegistrationGrpc;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** A local kubelet, what it told, and the plugins that a test starts on it. */
final class TestNode implements AutoCloseable {

    static final Duration DEADLINE = Duration.ofSeconds(10);

    private final Path directory;
    private final List<KubeletEvent> events;
    private final LocalKubelet kubelet;
    private final UnixRpc rpc = UnixRpc.open();
    private final List<TestPlugin> plugins = Collections.synchronizedList(new ArrayList<>());

    private TestNode(Path directory, List<KubeletEvent> events, LocalKubelet kubelet) throws IOException {
        this.directory = directory;
        this.events = events;
        this.kubelet = kubelet;
    }

    static TestNode open(Path directory) throws IOException {
        return open(directory, KubeletOptions.DEFAULTS);
    }

    static TestNode open(Path directory, KubeletOptions options) throws IOException {
        return open(directory, options, new Deadlines(DEADLINE, DEADLINE));
    }

    static TestNode open(Path directory, KubeletOptions options, Deadlines deadlines) throws IOException {
        List<KubeletEvent> events = Collections.synchronizedList(new ArrayList<>());
        return new TestNode(directory, events, LocalKubelet.open(directory, options, deadlines, events::add));
    }

    LocalKubelet kubelet() {
        return kubelet;
    }

    List<KubeletEvent> events() {
        return List.copyOf(events);
    }

    <T extends KubeletEvent> List<T> events(Class<T> kind) {
        return events().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Serves and does not register. */
    TestPlugin plugin(String socketName, Device... devices) throws IOException {
        TestPlugin plugin = TestPlugin.open(rpc, directory.resolve(socketName), devices);
        plugins.add(plugin);
        return plugin;
    }

    /** Serves, registers, and waits until the kubelet has its devices. */
    TestPlugin registered(ResourceName resource, String socketName, Device... devices)
            throws IOException, InterruptedException, TimeoutException {
        TestPlugin plugin = plugin(socketName, devices);
        register(resource, socketName);
        await(
                resource,
                state -> state.endpoint().filter(socketName::equals).isPresent() && state.capacity() == devices.length);
        return plugin;
    }

    void register(ResourceName resource, String socketName) {
        register("v1beta1", resource.toString(), socketName);
    }

    void register(String version, String resource, String socketName) {
        register(version, resource, socketName, DEADLINE.multipliedBy(2));
    }

    /** Gives up at the deadline, which the kubelet is told. */
    void register(String version, String resource, String socketName, Duration deadline) {
        ManagedChannel channel = rpc.dial(directory.resolve("kubelet.sock"));
        try {
            RegistrationGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(deadline)
                    .register(RegisterRequest.newBuilder()
                            .setVersion(version)
                            .setResourceName(resource)
                            .setEndpoint(socketName)
                            .build());
        } finally {
            channel.shutdownNow();
        }
    }

    ResourceState await(ResourceName resource, Predicate<ResourceState> wanted)
            throws InterruptedException, TimeoutException {
        return kubelet.await(resource, wanted, DEADLINE);
    }

    /** Waits until at least so many of a kind were told. */
    <T extends KubeletEvent> void awaitEvents(Class<T> kind, int count) throws InterruptedException, TimeoutException {
        kubelet.await(states -> events(kind).size() >= count, DEADLINE);
    }

    @Override
    public void close() {
        kubelet.close();
        plugins.forEach(TestPlugin::close);
        rpc.close();
    }
}
