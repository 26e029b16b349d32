package io.edgeplug.api.kubelet;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.supply.Resource;
import io.edgeplug.proto.pluginregistration.InfoRequest;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import io.edgeplug.proto.pluginregistration.RegistrationGrpc;
import io.edgeplug.proto.pluginregistration.RegistrationStatus;
import io.edgeplug.proto.pluginregistration.RegistrationStatusResponse;
import io.grpc.BindableService;
import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.stream.Stream;

/**
 * Version v1beta1 on a socket that the kubelet finds by itself, in plugins_registry (pkg/kubelet/pluginmanager).
 *
 * <p>The kubelet may take as long as it likes, so there is no deadline.
 */
final class RegistryApi implements KubeletApi {

    private static final String TYPE = "DevicePlugin";

    private final V1beta1 v1beta1 = new V1beta1();

    @Override
    public boolean serves(Resource resource) {
        return true;
    }

    @Override
    public List<BindableService> services(Resource resource, Registration registration) {
        return Stream.concat(
                        v1beta1.services(resource, registration).stream(),
                        Stream.<BindableService>of(new Service(resource.name(), registration)))
                .toList();
    }

    @Override
    public void announce(Channel kubelet, String endpoint, Resource resource, Registration registration) {
        // The socket itself is the registration.
    }

    private static final class Service extends RegistrationGrpc.RegistrationImplBase {

        private final ResourceName resource;
        private final Registration registration;

        Service(ResourceName resource, Registration registration) {
            this.resource = resource;
            this.registration = registration;
        }

        @Override
        public void getInfo(InfoRequest request, StreamObserver<PluginInfo> answer) {
            registration.found();
            answer.onNext(PluginInfo.newBuilder()
                    .setType(TYPE)
                    .setName(resource.toString())
                    .addSupportedVersions(V1beta1.VERSION)
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
}
