package io.edgeplug.api.kubelet;

import io.edgeplug.model.rules.HandOver;
import io.edgeplug.node.container.Allocation;
import io.edgeplug.node.supply.Resource;
import io.edgeplug.proto.v1alpha1.AllocateRequest;
import io.edgeplug.proto.v1alpha1.AllocateResponse;
import io.edgeplug.proto.v1alpha1.Device;
import io.edgeplug.proto.v1alpha1.DevicePluginGrpc;
import io.edgeplug.proto.v1alpha1.DeviceRuntimeSpec;
import io.edgeplug.proto.v1alpha1.DeviceSpec;
import io.edgeplug.proto.v1alpha1.Empty;
import io.edgeplug.proto.v1alpha1.ListAndWatchResponse;
import io.edgeplug.proto.v1alpha1.Mount;
import io.edgeplug.proto.v1alpha1.RegisterRequest;
import io.edgeplug.proto.v1alpha1.RegistrationGrpc;
import io.grpc.BindableService;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Version v1alpha1, the first proposal: no topology, no preference, and one answer for each device. */
final class V1alpha1 implements KubeletApi {

    private static final String VERSION = "v1alpha1";

    @Override
    public boolean serves(Resource resource) {
        // This version has no call to prepare devices.
        return !resource.prepares();
    }

    @Override
    public List<BindableService> services(Resource resource, Registration registration) {
        return List.of(new Service(resource, registration));
    }

    @Override
    public void announce(Channel kubelet, String endpoint, Resource resource, Registration registration) {
        RegistrationGrpc.newStub(kubelet)
                .withDeadlineAfter(KubeletApi.PATIENCE.toNanos(), TimeUnit.NANOSECONDS)
                .register(
                        RegisterRequest.newBuilder()
                                .setVersion(VERSION)
                                .setEndpoint(endpoint)
                                .setResourceName(resource.name().toString())
                                .build(),
                        registration.answer());
    }

    /** Each call returns at once, as in v1beta1. */
    private static final class Service extends DevicePluginGrpc.DevicePluginImplBase {

        private final Resource resource;
        private final Lists<ListAndWatchResponse> lists;
        private final Registration registration;

        Service(Resource resource, Registration registration) {
            this.resource = resource;
            this.lists = new Lists<>(resource, V1alpha1::list);
            this.registration = registration;
        }

        @Override
        public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> answer) {
            ListStream.start(lists, answer, registration);
        }

        @Override
        public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> answer) {
            List<String> ids = request.getDevicesIDsList();
            resource.allocate(
                    List.of(ids),
                    HandOver.DEVICE_NODES,
                    allocations -> {
                        // The kubelet adds up the answers for all devices, so the first answer has everything that they
                        // bring together.
                        AllocateResponse.Builder response =
                                AllocateResponse.newBuilder().addSpec(spec(ids.getFirst(), allocations.getFirst()));
                        ids.stream()
                                .skip(1)
                                .forEach(id -> response.addSpec(
                                        DeviceRuntimeSpec.newBuilder().setID(id)));
                        answer.onNext(response.build());
                        answer.onCompleted();
                    },
                    refusal -> answer.onError(Status.FAILED_PRECONDITION
                            .withDescription(refusal.getMessage())
                            .asRuntimeException()));
        }
    }

    private static ListAndWatchResponse list(List<Advertised> devices) {
        ListAndWatchResponse.Builder list = ListAndWatchResponse.newBuilder();
        devices.forEach(device -> list.addDevices(
                Device.newBuilder().setID(device.id()).setHealth(device.healthy() ? "Healthy" : "Unhealthy")));
        return list.build();
    }

    private static DeviceRuntimeSpec spec(String id, Allocation allocation) {
        DeviceRuntimeSpec.Builder spec =
                DeviceRuntimeSpec.newBuilder().setID(id).putAllEnvs(allocation.env());
        for (Allocation.Node node : allocation.nodes()) {
            spec.addDevices(DeviceSpec.newBuilder()
                    .setHostPath(node.hostPath())
                    .setContainerPath(node.containerPath())
                    .setPermissions(node.permissions()));
        }
        for (Allocation.Mount mount : allocation.mounts()) {
            spec.addMounts(Mount.newBuilder()
                    .setHostPath(mount.hostPath())
                    .setMountPath(mount.containerPath())
                    .setReadOnly(mount.readOnly()));
        }
        return spec.build();
    }
}
