package io.edgeplug.lab.localkubelet;

import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.AllocateResponse;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import io.edgeplug.proto.v1beta1.ContainerPreferredAllocationResponse;
import io.edgeplug.proto.v1beta1.Device;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc.DevicePluginImplBase;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.proto.v1beta1.ListAndWatchResponse;
import io.edgeplug.proto.v1beta1.NUMANode;
import io.edgeplug.proto.v1beta1.PreStartContainerRequest;
import io.edgeplug.proto.v1beta1.PreStartContainerResponse;
import io.edgeplug.proto.v1beta1.PreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.PreferredAllocationResponse;
import io.edgeplug.proto.v1beta1.TopologyInfo;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.function.Supplier;

/** A device plugin that does what a test tells it. */
final class TestPlugin extends DevicePluginImplBase implements AutoCloseable {

    final List<AllocateRequest> allocations = Collections.synchronizedList(new ArrayList<>());
    final List<PreferredAllocationRequest> preferences = Collections.synchronizedList(new ArrayList<>());
    final List<PreStartContainerRequest> preStarts = Collections.synchronizedList(new ArrayList<>());

    volatile DevicePluginOptions options = DevicePluginOptions.getDefaultInstance();
    volatile Function<AllocateRequest, AllocateResponse> allocate = TestPlugin::idsInEnvironment;
    volatile Function<PreferredAllocationRequest, List<String>> preferred = request -> List.of();
    /** Whether it lists nothing before it is told to send. */
    volatile boolean silent;

    volatile Status preStart = Status.OK;
    volatile boolean preStartHangs;

    /** Whether it is asked for its options in vain, until it is told to answer. */
    volatile boolean optionsHang;

    /** Counted down when it is asked for its options in vain. */
    final CountDownLatch askedInVain = new CountDownLatch(1);

    private final List<StreamObserver<DevicePluginOptions>> unanswered =
            Collections.synchronizedList(new ArrayList<>());

    private volatile Optional<CountDownLatch> stalled = Optional.empty();

    private final List<StreamObserver<ListAndWatchResponse>> streams = new ArrayList<>();
    private ListAndWatchResponse list;
    private Optional<Server> server = Optional.empty();

    private TestPlugin(ListAndWatchResponse list) {
        this.list = list;
    }

    static TestPlugin open(UnixRpc rpc, Path socket, Device... devices) throws IOException {
        TestPlugin plugin = new TestPlugin(listOf(devices));
        plugin.server = Optional.of(rpc.serve(socket, plugin));
        return plugin;
    }

    static Device healthy(String id, long... numaNodes) {
        return device(id, "Healthy", numaNodes);
    }

    static Device unhealthy(String id, long... numaNodes) {
        return device(id, "Unhealthy", numaNodes);
    }

    static DevicePluginOptions options(boolean preStart, boolean preferred) {
        return DevicePluginOptions.newBuilder()
                .setPreStartRequired(preStart)
                .setGetPreferredAllocationAvailable(preferred)
                .build();
    }

    private static Device device(String id, String health, long... numaNodes) {
        Device.Builder device = Device.newBuilder().setID(id).setHealth(health);
        for (long node : numaNodes) {
            device.setTopology(TopologyInfo.newBuilder(device.getTopology())
                    .addNodes(NUMANode.newBuilder().setID(node)));
        }
        return device.build();
    }

    private static ListAndWatchResponse listOf(Device... devices) {
        return ListAndWatchResponse.newBuilder().addAllDevices(List.of(devices)).build();
    }

    private static AllocateResponse idsInEnvironment(AllocateRequest request) {
        return AllocateResponse.newBuilder()
                .addContainerResponses(ContainerAllocateResponse.newBuilder()
                        .putEnvs(
                                "IDS",
                                String.join(",", request.getContainerRequests(0).getDevicesIdsList())))
                .build();
    }

    synchronized void send(Device... devices) {
        silent = false;
        list = listOf(devices);
        streams.forEach(stream -> stream.onNext(list));
    }

    /** Answers no Allocate from now on, and counts down when it is called. */
    void stallAllocate(CountDownLatch called) {
        stalled = Optional.of(called);
    }

    synchronized int streams() {
        return streams.size();
    }

    synchronized void endOldestStream() {
        streams.removeFirst().onCompleted();
    }

    synchronized void endStreams() {
        streams.forEach(StreamObserver::onCompleted);
        streams.clear();
    }

    @Override
    public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> caller) {
        if (optionsHang) {
            ((ServerCallStreamObserver<DevicePluginOptions>) caller).setOnCancelHandler(() -> {});
            unanswered.add(caller);
            askedInVain.countDown();
            return;
        }
        answer(caller, () -> options);
    }

    /** Answers those that have asked for its options, in vain so far. */
    void answerOptions() {
        unanswered.forEach(caller -> answer(caller, () -> options));
    }

    @Override
    public synchronized void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> caller) {
        ((ServerCallStreamObserver<ListAndWatchResponse>) caller).setOnCancelHandler(() -> forget(caller));
        streams.add(caller);
        if (!silent) {
            caller.onNext(list);
        }
    }

    private synchronized void forget(StreamObserver<ListAndWatchResponse> caller) {
        streams.remove(caller);
    }

    @Override
    public void getPreferredAllocation(
            PreferredAllocationRequest request, StreamObserver<PreferredAllocationResponse> caller) {
        preferences.add(request);
        answer(
                caller,
                () -> PreferredAllocationResponse.newBuilder()
                        .addContainerResponses(ContainerPreferredAllocationResponse.newBuilder()
                                .addAllDeviceIDs(preferred.apply(request)))
                        .build());
    }

    @Override
    public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> caller) {
        allocations.add(request);
        Optional<CountDownLatch> waiting = stalled;
        if (waiting.isPresent()) {
            waiting.orElseThrow().countDown();
            return;
        }
        answer(caller, () -> allocate.apply(request));
    }

    @Override
    public void preStartContainer(PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> caller) {
        preStarts.add(request);
        if (preStartHangs) {
            return;
        }
        if (preStart.isOk()) {
            answer(caller, PreStartContainerResponse::getDefaultInstance);
        } else {
            caller.onError(preStart.asRuntimeException());
        }
    }

    private static <T> void answer(StreamObserver<T> caller, Supplier<T> message) {
        try {
            caller.onNext(message.get());
            caller.onCompleted();
        } catch (StatusRuntimeException e) {
            caller.onError(e);
        }
    }

    /** As if the process died: connections drop and the socket is gone. */
    @Override
    public void close() {
        server.ifPresent(Server::shutdownNow);
    }
}
