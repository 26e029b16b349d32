package io.edgeplug.api.kubelet;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.AllocateResponse;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.edgeplug.proto.v1beta1.ContainerPreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.Device;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.proto.v1beta1.ListAndWatchResponse;
import io.edgeplug.proto.v1beta1.PreStartContainerRequest;
import io.edgeplug.proto.v1beta1.PreStartContainerResponse;
import io.edgeplug.proto.v1beta1.PreferredAllocationRequest;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Calls one plugin's socket as a kubelet could, whether or not a kubelet would. */
final class PluginClient implements AutoCloseable {

    private final ManagedChannel channel;

    private PluginClient(ManagedChannel channel) {
        this.channel = channel;
    }

    static PluginClient dial(UnixRpc rpc, Path socket) {
        return new PluginClient(rpc.dial(socket));
    }

    /** Calls a plugin on the socket that it has registered with the kubelet in that directory. */
    static PluginClient of(ResourceState registered, Path kubeletDir, Closing closing) throws IOException {
        String socket = registered.endpoint().orElseThrow();
        return closing.add(
                dial(closing.add(UnixRpc.open()), kubeletDir.resolve("edgeplug").resolve(socket)));
    }

    ManagedChannel channel() {
        return channel;
    }

    private DevicePluginGrpc.DevicePluginBlockingStub plugin() {
        return DevicePluginGrpc.newBlockingStub(channel)
                .withDeadlineAfter(TestDaemon.PATIENCE.toMillis(), MILLISECONDS);
    }

    DevicePluginOptions options() {
        return plugin().getDevicePluginOptions(Empty.getDefaultInstance());
    }

    /** For one container. */
    AllocateResponse allocate(List<String> ids) {
        return allocate(AllocateRequest.newBuilder()
                .addContainerRequests(ContainerAllocateRequest.newBuilder().addAllDevicesIds(ids))
                .build());
    }

    AllocateResponse allocate(AllocateRequest request) {
        return plugin().allocate(request);
    }

    void preStart(List<String> ids) {
        PreStartContainerResponse ignored = plugin().preStartContainer(PreStartContainerRequest.newBuilder()
                .addAllDevicesIds(ids)
                .build());
    }

    List<String> prefer(List<String> available, List<String> must, int size) {
        return plugin().getPreferredAllocation(PreferredAllocationRequest.newBuilder()
                        .addContainerRequests(ContainerPreferredAllocationRequest.newBuilder()
                                .addAllAvailableDeviceIDs(available)
                                .addAllMustIncludeDeviceIDs(must)
                                .setAllocationSize(size))
                        .build())
                .getContainerResponses(0)
                .getDeviceIDsList();
    }

    /** Opens ListAndWatch and reads all that comes. */
    Watch watch() {
        return watch(true);
    }

    /** Opens ListAndWatch and reads nothing until it is told to. */
    Watch watchWithoutReading() {
        return watch(false);
    }

    private Watch watch(boolean reads) {
        Watch watch = new Watch(reads);
        DevicePluginGrpc.newStub(channel).listAndWatch(Empty.getDefaultInstance(), watch);
        return watch;
    }

    @Override
    public void close() throws InterruptedException {
        channel.shutdownNow();
        channel.awaitTermination(TestDaemon.PATIENCE.toMillis(), MILLISECONDS);
    }

    /** One ListAndWatch stream. */
    static final class Watch implements ClientResponseObserver<Empty, ListAndWatchResponse> {

        private final boolean reads;
        private final Seen<ListAndWatchResponse> lists = new Seen<>();
        private final CompletableFuture<ClientCallStreamObserver<Empty>> call = new CompletableFuture<>();
        private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

        private Watch(boolean reads) {
            this.reads = reads;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<Empty> stream) {
            if (!reads) {
                stream.disableAutoRequestWithInitial(0);
            }
            call.complete(stream);
        }

        @Override
        public void onNext(ListAndWatchResponse list) {
            lists.add(list);
        }

        @Override
        public void onError(Throwable error) {
            ended.complete(true);
        }

        @Override
        public void onCompleted() {
            ended.complete(true);
        }

        Seen<ListAndWatchResponse> lists() {
            return lists;
        }

        /** Each device's health, by ID, of the newest list. */
        Map<String, String> newest() {
            return health(lists.last());
        }

        static Map<String, String> health(ListAndWatchResponse list) {
            Map<String, String> health = new TreeMap<>();
            for (Device device : list.getDevicesList()) {
                health.put(device.getID(), device.getHealth());
            }
            return health;
        }

        /** Lets so many more messages come. */
        void read(int messages) {
            call.join().request(messages);
        }

        void cancel() {
            call.join().cancel("enough", null);
        }

        void awaitEnd() throws Exception {
            ended.get(TestDaemon.PATIENCE.toMillis(), MILLISECONDS);
        }
    }
}
