package io.edgeplug.api.kubelet;

import io.edgeplug.node.supply.Resource;
import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.AllocateResponse;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.edgeplug.proto.v1beta1.ContainerPreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.Device;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.proto.v1beta1.ListAndWatchResponse;
import io.edgeplug.proto.v1beta1.PreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.PreferredAllocationResponse;
import io.edgeplug.proto.v1beta1.RegisterRequest;
import io.edgeplug.proto.v1beta1.RegistrationGrpc;
import io.edgeplug.system.rpc.RpcCaller;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Logger;
import java.util.stream.IntStream;

/**
 * Registers resources with a stand-in for the kubelet, again and again, in a private directory.
 *
 * <p>A starting kubelet admits the node's pods some 50 ms after its socket appears, and refuses pods whose devices it
 * does not know by then. Java runs code slowly the first few hundred times, which would take longer than that. So all
 * of the code has run before the kubelet comes. Nothing is handed over, and nothing is logged.
 */
final class Rehearsal {

    private static final Logger LOG = Logger.getLogger(Rehearsal.class.getName());

    /**
     * The number of registrations in all. More did not make the next one faster. With half of them, the next one took
     * half as long again.
     */
    private static final int REGISTRATIONS = 400;

    /**
     * The number of registrations in each round, whatever the number of resources. A round costs more than a
     * registration, but must be over soon if a kubelet comes.
     */
    private static final int AT_A_TIME = 4;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final UnixRpc rpc;
    private final List<Resource> resources;
    private final Quiet quiet;
    private final Semaphore done = new Semaphore(0);
    private final Queue<ManagedChannel> channels = new ConcurrentLinkedQueue<>();
    private final Queue<RpcCaller> callers = new ConcurrentLinkedQueue<>();

    /** Waits while a real kubelet needs the resources, and returns whether that has ended. */
    interface Quiet {
        boolean await() throws InterruptedException;
    }

    /**
     * A rehearsal of some of these, which has not begun.
     *
     * @param rpc will serve them later too, because netty works some things out again in each thread
     */
    Rehearsal(UnixRpc rpc, List<Resource> resources, Quiet quiet) {
        this.rpc = rpc;
        this.resources = IntStream.range(0, resources.isEmpty() ? 0 : AT_A_TIME)
                .mapToObj(i -> resources.get(i % resources.size()).handingNothingOver())
                .toList();

        this.quiet = quiet;
    }

    /**
     * Rehearses long enough. A failure has no consequence, so it is logged only for debugging.
     *
     * @return the number of registrations
     */
    int run() throws InterruptedException {
        try {
            Path scratch = Files.createDirectory(scratch(), OWNER_ONLY);
            try {
                long begun = System.nanoTime();
                int done = rehearse(scratch);
                LOG.fine(() -> "rehearsed " + done + " registrations in "
                        + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun) + " ms");
                return done;
            } finally {
                Files.deleteIfExists(scratch);
            }
        } catch (IOException e) {
            LOG.fine(() -> "no rehearsal of registrations: " + e);
            return 0;
        }
    }

    /** A name that is not taken. That of a temporary directory would load the JDK's cryptography. */
    private static Path scratch() {
        return Path.of(
                System.getProperty("java.io.tmpdir"),
                "edgeplug-rehearsal-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
    }

    private int rehearse(Path scratch) throws IOException, InterruptedException {
        int done = 0;
        try (PluginDirectory directory = PluginDirectory.open(scratch, false)) {
            Registrations registrations = new Registrations(rpc, directory, true);
            try {
                registrations.add(resources);
                while (done < REGISTRATIONS && quiet.await() && actAsKubelet(directory)) {
                    done += resources.size();
                }
            } finally {
                // The daemon may be ending, but everything that was begun here must still be closed.
                boolean isInterrupted = Thread.interrupted();
                registrations.close();
                SocketNames.deleteOwn(directory.sockets());
                if (isInterrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
        return done;
    }

    /** Acts as a starting kubelet: serves, waits for each resource's first list, and asks for a device of it. */
    private boolean actAsKubelet(PluginDirectory directory) throws IOException, InterruptedException {
        done.drainPermits();
        Server kubelet = rpc.serve(directory.kubeletSocket(), new StandIn(directory.path()));
        try {
            return done.tryAcquire(resources.size(), PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            for (ManagedChannel channel = channels.poll(); channel != null; channel = channels.poll()) {
                channel.shutdownNow();
            }
            // A server that shuts down lets go of its connections politely. It keeps each for ten seconds, with 16 KB.
            for (RpcCaller caller = callers.poll(); caller != null; caller = callers.poll()) {
                caller.hangUp();
            }
            kubelet.shutdownNow().awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Dials back, asks for the options and reads the first list, as a kubelet does. */
    private final class StandIn extends RegistrationGrpc.RegistrationImplBase {

        private final Path directory;

        StandIn(Path directory) {
            this.directory = directory;
        }

        @Override
        public void register(RegisterRequest request, StreamObserver<Empty> plugin) {
            UnixRpc.caller().ifPresent(callers::add);
            // It must not be part of this call, whose end would end the stream.
            Context.ROOT.run(() -> dialBack(request, plugin));
        }

        private void dialBack(RegisterRequest request, StreamObserver<Empty> plugin) {
            ManagedChannel channel = rpc.dial(directory.resolve(request.getEndpoint()));
            channels.add(channel);
            DevicePluginGrpc.DevicePluginStub stub = DevicePluginGrpc.newStub(channel);
            stub.getDevicePluginOptions(Empty.getDefaultInstance(), new Listener<DevicePluginOptions>(options -> {
                plugin.onNext(Empty.getDefaultInstance());
                plugin.onCompleted();
                stub.listAndWatch(Empty.getDefaultInstance(), new Listener<>(list -> ask(stub, list)));
            }));
        }

        /** Asks for a device. The resources of a rehearsal hand it over to nobody. */
        private void ask(DevicePluginGrpc.DevicePluginStub stub, ListAndWatchResponse list) {
            Optional<String> healthy = list.getDevicesList().stream()
                    .filter(device -> device.getHealth().equals("Healthy"))
                    .map(Device::getID)
                    .findFirst();
            if (healthy.isEmpty()) {
                done.release();
                return;
            }
            String id = healthy.orElseThrow();
            stub.getPreferredAllocation(
                    PreferredAllocationRequest.newBuilder()
                            .addContainerRequests(ContainerPreferredAllocationRequest.newBuilder()
                                    .addAvailableDeviceIDs(id)
                                    .setAllocationSize(1))
                            .build(),
                    new Listener<PreferredAllocationResponse>(answer -> {}));
            stub.allocate(
                    AllocateRequest.newBuilder()
                            .addContainerRequests(
                                    ContainerAllocateRequest.newBuilder().addDevicesIds(id))
                            .build(),
                    new Listener<AllocateResponse>(answer -> {}, done::release));
        }
    }

    /**
     * Handles an answer. If none comes, the waiting thread notices.
     *
     * @param ended runs once no more answers come, even after an error
     */
    private record Listener<T>(Consumer<T> heard, Runnable ended) implements StreamObserver<T> {

        Listener(Consumer<T> heard) {
            this(heard, () -> {});
        }

        @Override
        public void onNext(T answer) {
            heard.accept(answer);
        }

        @Override
        public void onError(Throwable error) {
            // The plugin was given up, the rehearsal is over, or the device has just become unhealthy.
            ended.run();
        }

        @Override
        public void onCompleted() {
            ended.run();
        }
    }
}
