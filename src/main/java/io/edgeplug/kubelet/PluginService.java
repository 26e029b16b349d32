package io.edgeplug.kubelet;

import io.edgeplug.container.Allocation;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.inventory.DeviceUnavailableException;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.AllocateResponse;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.proto.v1beta1.ListAndWatchResponse;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.function.IntConsumer;

/** Answers the kubelet for one resource; every call returns at once, for it holds up the epoll loop and pod admission. */
final class PluginService extends DevicePluginGrpc.DevicePluginImplBase {

    /** What the kubelet need not call. */
    static final DevicePluginOptions OPTIONS = DevicePluginOptions.getDefaultInstance();

    private final Monitor monitor;
    private final DeviceClass deviceClass;
    private final IntConsumer listSent;
    private final Runnable streamEnded;

    PluginService(Monitor monitor, DeviceClass deviceClass, IntConsumer listSent, Runnable streamEnded) {
        this.monitor = monitor;
        this.deviceClass = deviceClass;
        this.listSent = listSent;
        this.streamEnded = streamEnded;
    }

    @Override
    public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> answer) {
        answer.onNext(OPTIONS);
        answer.onCompleted();
    }

    @Override
    public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> answer) {
        ListStream.start(
                monitor,
                deviceClass.resource(),
                (ServerCallStreamObserver<ListAndWatchResponse>) answer,
                listSent,
                streamEnded);
    }

    @Override
    public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> answer) {
        Inventory inventory = monitor.current();
        AllocateResponse.Builder response = AllocateResponse.newBuilder();
        try {
            for (ContainerAllocateRequest container : request.getContainerRequestsList()) {
                response.addContainerResponses(Messages.container(Allocation.of(
                        deviceClass, inventory.allocatable(deviceClass.resource(), container.getDevicesIdsList()))));
            }
        } catch (DeviceUnavailableException e) {
            answer.onError(
                    Status.FAILED_PRECONDITION.withDescription(e.getMessage()).asRuntimeException());
            return;
        }
        answer.onNext(response.build());
        answer.onCompleted();
    }
}
