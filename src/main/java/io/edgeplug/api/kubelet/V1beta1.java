package io.edgeplug.api.kubelet;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.HandOver;
import io.edgeplug.node.container.Allocation;
import io.edgeplug.node.supply.Resource;
import io.edgeplug.proto.pluginregistration.InfoRequest;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import io.edgeplug.proto.pluginregistration.RegistrationStatus;
import io.edgeplug.proto.pluginregistration.RegistrationStatusResponse;
import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.AllocateResponse;
import io.edgeplug.proto.v1beta1.CDIDevice;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import io.edgeplug.proto.v1beta1.ContainerPreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.ContainerPreferredAllocationResponse;
import io.edgeplug.proto.v1beta1.Device;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.proto.v1beta1.DevicePluginOptions;
import io.edgeplug.proto.v1beta1.DeviceSpec;
import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.proto.v1beta1.ListAndWatchResponse;
import io.edgeplug.proto.v1beta1.Mount;
import io.edgeplug.proto.v1beta1.NUMANode;
import io.edgeplug.proto.v1beta1.PreStartContainerRequest;
import io.edgeplug.proto.v1beta1.PreStartContainerResponse;
import io.edgeplug.proto.v1beta1.PreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.PreferredAllocationResponse;
import io.edgeplug.proto.v1beta1.RegisterRequest;
import io.edgeplug.proto.v1beta1.RegistrationGrpc;
import io.edgeplug.proto.v1beta1.TopologyInfo;
import io.edgeplug.system.flow.IncrementalMapping;
import io.edgeplug.system.kernel.PlainText;
import io.grpc.BindableService;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Version v1beta1, which every kubelet since 1.10 speaks.
 *
 * @param isFound whether the kubelet finds the socket by itself, in plugins_registry (pkg/kubelet/pluginmanager). Then the
 *     socket itself is the registration, and the kubelet may take as long as it likes.
 */
record V1beta1(boolean isFound) implements KubeletApi {

    /** The type of a plugin that the kubelet finds. */
    private static final String TYPE = "DevicePlugin";

    static final String VERSION = "v1beta1";

    @Override
    public boolean serves(Resource resource) {
        return true;
    }

    @Override
    public List<BindableService> services(Resource resource, Registration registration) {
        Service service = new Service(resource, registration);
        return isFound ? List.of(service, new Found(resource.name(), registration)) : List.of(service);
    }

    @Override
    public void announce(Channel kubelet, String endpoint, Resource resource, Registration registration) {
        RegistrationGrpc.newStub(kubelet)
                .withDeadlineAfter(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)
                .register(
                        RegisterRequest.newBuilder()
                                .setVersion(VERSION)
                                .setEndpoint(endpoint)
                                .setResourceName(resource.name().toString())
                                .setOptions(options(resource))
                                .build(),
                        registration.answer());
    }

    /**
     * Each call on the epoll loop returns at once, because it blocks the loop and the kubelet's admission of pods.
     * Longer calls run on threads of their own.
     */
    private static final class Service extends DevicePluginGrpc.DevicePluginImplBase {

        private final Resource resource;
        private final Lists<ListAndWatchResponse> lists;
        private final Registration registration;

        Service(Resource resource, Registration registration) {
            this.resource = resource;
            this.lists = new Lists<>(resource, new Encoding());
            this.registration = registration;
        }

        @Override
        public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> answer) {
            answer.onNext(options(resource));
            answer.onCompleted();
        }

        @Override
        public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> answer) {
            ListStream.start(lists, answer, registration);
        }

        @Override
        public void getPreferredAllocation(
                PreferredAllocationRequest request, StreamObserver<PreferredAllocationResponse> answer) {
            PreferredAllocationResponse.Builder response = PreferredAllocationResponse.newBuilder();
            for (ContainerPreferredAllocationRequest container : request.getContainerRequestsList()) {
                response.addContainerResponses(ContainerPreferredAllocationResponse.newBuilder()
                        .addAllDeviceIDs(resource.prefer(
                                container.getAvailableDeviceIDsList(),
                                container.getMustIncludeDeviceIDsList(),
                                container.getAllocationSize())));
            }
            answer.onNext(response.build());
            answer.onCompleted();
        }

        @Override
        public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> answer) {
            List<? extends List<String>> containers = request.getContainerRequestsList().stream()
                    .map(ContainerAllocateRequest::getDevicesIdsList)
                    .toList();
            resource.allocate(
                    containers,
                    HandOver.CDI,
                    allocations -> {
                        AllocateResponse.Builder response = AllocateResponse.newBuilder();
                        allocations.forEach(allocation -> response.addContainerResponses(container(allocation)));
                        answer.onNext(response.build());
                        answer.onCompleted();
                    },
                    refusal -> answer.onError(refusal(Status.FAILED_PRECONDITION, refusal)));
        }

        @Override
        public void preStartContainer(
                PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> answer) {
            // A caller that has gone is not worth a complaint.
            ((ServerCallStreamObserver<PreStartContainerResponse>) answer).setOnCancelHandler(() -> {});
            Thread.ofVirtual().name("prestart " + resource.name()).start(() -> prepare(request, answer));
        }

        private void prepare(PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> answer) {
            try {
                resource.prepare(request.getDevicesIdsList());
            } catch (DeviceUnavailableException e) {
                answer.onError(refusal(Status.FAILED_PRECONDITION, e));
                return;
            } catch (PrepareException e) {
                answer.onError(refusal(Status.INTERNAL, e));
                return;
            } catch (TimeoutException e) {
                answer.onError(refusal(Status.DEADLINE_EXCEEDED, e));
                return;
            } catch (InterruptedException e) {
                answer.onError(Status.UNAVAILABLE
                        .withDescription(PlainText.of("Devices of " + resource.name() + " are not prepared yet ("
                                + String.join(", ", request.getDevicesIdsList()) + "): edgeplug is stopping"))
                        .asRuntimeException());
                return;
            }
            answer.onNext(PreStartContainerResponse.getDefaultInstance());
            answer.onCompleted();
        }

        private static StatusRuntimeException refusal(Status status, Exception e) {
            return status.withDescription(PlainText.of(String.valueOf(e.getMessage())))
                    .asRuntimeException();
        }
    }

    /** Tells a kubelet that has found the socket what is served there. */
    private static final class Found
            extends io.edgeplug.proto.pluginregistration.RegistrationGrpc.RegistrationImplBase {

        private final ResourceName resource;
        private final Registration registration;

        Found(ResourceName resource, Registration registration) {
            this.resource = resource;
            this.registration = registration;
        }

        @Override
        public void getInfo(InfoRequest request, StreamObserver<PluginInfo> answer) {
            registration.found();
            answer.onNext(PluginInfo.newBuilder()
                    .setType(TYPE)
                    .setName(resource.toString())
                    .addSupportedVersions(VERSION)
                    .build());
            answer.onCompleted();
        }

        @Override
        public void notifyRegistrationStatus(
                RegistrationStatus status, StreamObserver<RegistrationStatusResponse> answer) {
            if (status.getPluginRegistered()) {
                registration.accepted();
            } else {
                registration.refused(status.getError());
            }
            answer.onNext(RegistrationStatusResponse.getDefaultInstance());
            answer.onCompleted();
        }
    }

    private static DevicePluginOptions options(Resource resource) {
        return DevicePluginOptions.newBuilder()
                .setPreStartRequired(
                        resource.checksStarts() && !resource.deviceClass().isClaimed())
                .setGetPreferredAllocationAvailable(true)
                .build();
    }

    /** Makes messages of lists. An unchanged device is not encoded again. */
    private static final class Encoding implements Function<List<Advertised>, ListAndWatchResponse> {

        private final IncrementalMapping<Advertised, ByteString> devices = new IncrementalMapping<>();

        /** Thousands of devices are near only a few nodes. */
        private final Map<List<Integer>, TopologyInfo> topologies = new HashMap<>();

        @Override
        public ListAndWatchResponse apply(List<Advertised> list) {
            // On the wire, an embedded message is its length and its bytes, whoever has encoded it; see "Submessages"
            // in the encoding guide of Protocol Buffers.
            UnknownFieldSet.Field.Builder encoded = UnknownFieldSet.Field.newBuilder();
            devices.map(list, this::encoded).forEach(encoded::addLengthDelimited);
            return ListAndWatchResponse.newBuilder()
                    .setUnknownFields(UnknownFieldSet.newBuilder()
                            .addField(ListAndWatchResponse.DEVICES_FIELD_NUMBER, encoded.build())
                            .build())
                    .build();
        }

        private ByteString encoded(Advertised device) {
            Device.Builder message =
                    Device.newBuilder().setID(device.id()).setHealth(device.healthy() ? "Healthy" : "Unhealthy");
            // An empty list of nodes would mean that the device fits nowhere.
            if (!device.numaNodes().isEmpty()) {
                message.setTopology(topologies.computeIfAbsent(device.numaNodes(), V1beta1::topology));
            }
            return message.build().toByteString();
        }
    }

    private static TopologyInfo topology(List<Integer> nodes) {
        TopologyInfo.Builder topology = TopologyInfo.newBuilder();
        nodes.forEach(node -> topology.addNodes(NUMANode.newBuilder().setID(node)));
        return topology.build();
    }

    /** A container's allocation as a message of this version. */
    static ContainerAllocateResponse container(Allocation allocation) {
        ContainerAllocateResponse.Builder container =
                ContainerAllocateResponse.newBuilder().putAllEnvs(allocation.env());
        for (Allocation.Node node : allocation.nodes()) {
            container.addDevices(DeviceSpec.newBuilder()
                    .setHostPath(node.hostPath())
                    .setContainerPath(node.containerPath())
                    .setPermissions(node.permissions()));
        }
        for (Allocation.Mount mount : allocation.mounts()) {
            container.addMounts(Mount.newBuilder()
                    .setHostPath(mount.hostPath())
                    .setContainerPath(mount.containerPath())
                    .setReadOnly(mount.readOnly()));
        }
        container.putAllAnnotations(allocation.annotations());
        allocation
                .cdiDevices()
                .forEach(name -> container.addCdiDevices(CDIDevice.newBuilder().setName(name)));
        return container.build();
    }
}
