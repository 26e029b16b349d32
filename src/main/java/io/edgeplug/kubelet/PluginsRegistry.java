package io.edgeplug.kubelet;

import io.edgeplug.device.ResourceName;
import io.edgeplug.proto.pluginregistration.InfoRequest;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import io.edgeplug.proto.pluginregistration.RegistrationGrpc;
import io.edgeplug.proto.pluginregistration.RegistrationStatus;
import io.edgeplug.proto.pluginregistration.RegistrationStatusResponse;
import io.edgeplug.supply.Resource;
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
final class PluginsRegistry implements KubeletApi {

    private static final String TYPE = "DevicePlugin";

    private final V1beta1 v1beta1 = new V1beta1();

    @Override
    public boolean serves(Resource resource) {
        return true;
    }

    @Override
    public List<BindableService> services(Resource resource, Progress progress) {
        return Stream.concat(
                        v1beta1.services(resource, progress).stream(),
                        Stream.<BindableService>of(new Service(resource.name(), progress)))
                .toList();
    }

    @Override
    public void announce(Channel kubelet, String endpoint, Resource resource, Progress progress) {
        // The socket itself is the registration.
    }

    private static final class Service extends RegistrationGrpc.RegistrationImplBase {

        private final ResourceName resource;
        private final Progress progress;

        Service(ResourceName resource, Progress progress) {
            this.resource = resource;
            this.progress = progress;
        }

        @Override
        public void getInfo(InfoRequest request, StreamObserver<PluginInfo> answer) {
            progress.found();
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
                progress.accepted();
            } else {
                progress.refused(status.getError());
            }
            answer.onNext(RegistrationStatusResponse.getDefaultInstance());
            answer.onCompleted();
        }
    }
}
