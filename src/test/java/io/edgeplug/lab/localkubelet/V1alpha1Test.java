package io.edgeplug.lab.localkubelet;

import static io.edgeplug.lab.localkubelet.TestPlugin.healthy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.edgeplug.lab.localkubelet.ContainerAllocation.DeviceNode;
import io.edgeplug.lab.localkubelet.ContainerAllocation.Mount;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.v1alpha1.AllocateRequest;
import io.edgeplug.proto.v1alpha1.AllocateResponse;
import io.edgeplug.proto.v1alpha1.Device;
import io.edgeplug.proto.v1alpha1.DevicePluginGrpc.DevicePluginImplBase;
import io.edgeplug.proto.v1alpha1.DeviceRuntimeSpec;
import io.edgeplug.proto.v1alpha1.DeviceSpec;
import io.edgeplug.proto.v1alpha1.Empty;
import io.edgeplug.proto.v1alpha1.ListAndWatchResponse;
import io.edgeplug.proto.v1alpha1.RegisterRequest;
import io.edgeplug.proto.v1alpha1.RegistrationGrpc;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class V1alpha1Test {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");
    private static final KubeletOptions OLD =
            KubeletOptions.DEFAULTS.withApis(Set.of(DevicePluginApi.V1ALPHA1)).withMinorVersion(8);

    @TempDir
    Path directory;

    @Test
    void pluginThatServesOnceItHasItsAnswerIsFollowedAndAllocates() throws Exception {
        try (TestNode node = TestNode.open(directory, OLD);
                UnixRpc rpc = UnixRpc.open()) {
            register(rpc, "v1alpha1");
            Server server = rpc.serve(directory.resolve("vf.sock"), new Plugin(true));
            try {
                ResourceState state = node.await(VF, now -> now.capacity() == 2);
                assertThat(state.devices()).extracting(ListedDevice::toString).containsExactly("a", "b (unhealthy)");

                ContainerAllocation allocation = node.kubelet()
                        .admit(PodSpec.of("pod", VF, 1))
                        .container("main")
                        .allocation();
                assertThat(allocation.envs()).containsEntry("VF_a", "yes");
                assertThat(allocation.mounts()).containsExactly(new Mount("/in", "/out", true));
                assertThat(allocation.devices()).containsExactly(new DeviceNode("/dev/in", "/dev/out", "rw"));
                assertThat(node.kubelet().startContainer("pod", "main")).isEqualTo(allocation);
            } finally {
                server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
            }
            node.await(VF, now -> now.allocatable() == 0);
        }
    }

    @Test
    void emptyAllocationIsRefused() throws Exception {
        try (TestNode node = TestNode.open(directory, OLD);
                UnixRpc rpc = UnixRpc.open()) {
            Server server = rpc.serve(directory.resolve("vf.sock"), new Plugin(false));
            register(rpc, "v1alpha1");
            node.await(VF, now -> now.capacity() == 2);
            assertThatExceptionOfType(AdmissionException.class)
                    .isThrownBy(() -> node.kubelet().admit(PodSpec.of("pod", VF, 1)))
                    .withMessageContaining("no containers return in allocation response");
            server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void kubeletThatSpeaksOnlyThisAnswersV1beta1Unimplemented() throws Exception {
        try (TestNode node = TestNode.open(directory, OLD)) {
            assertThatExceptionOfType(StatusRuntimeException.class)
                    .isThrownBy(() -> node.register(VF, "vf.sock"))
                    .satisfies(
                            refusal -> assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED));
        }
    }

    @Test
    void otherVersionIsRefused() throws Exception {
        try (TestNode node = TestNode.open(directory, OLD);
                UnixRpc rpc = UnixRpc.open()) {
            assertThatExceptionOfType(StatusRuntimeException.class)
                    .isThrownBy(() -> register(rpc, "v1beta1"))
                    .withMessage("UNKNOWN: requested API version \"v1beta1\" is not supported by kubelet. "
                            + "Supported version is [\"v1alpha1\"]");
            assertThat(node.events(KubeletEvent.RegistrationRefused.class)).hasSize(1);
        }
    }

    @Test
    void kubeletMaySpeakBoth() throws Exception {
        KubeletOptions both = KubeletOptions.DEFAULTS.withApis(EnumSet.allOf(DevicePluginApi.class));
        try (TestNode node = TestNode.open(directory, both);
                UnixRpc rpc = UnixRpc.open()) {
            node.registered(ResourceName.parse("example.com/new"), "new.sock", healthy("n"));
            Server server = rpc.serve(directory.resolve("vf.sock"), new Plugin(true));
            register(rpc, "v1alpha1");
            node.await(VF, now -> now.allocatable() == 1);
            server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    private void register(UnixRpc rpc, String version) {
        ManagedChannel channel = rpc.dial(directory.resolve("kubelet.sock"));
        try {
            RegistrationGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(10, TimeUnit.SECONDS)
                    .register(RegisterRequest.newBuilder()
                            .setVersion(version)
                            .setResourceName(VF.toString())
                            .setEndpoint("vf.sock")
                            .build());
        } finally {
            channel.shutdownNow();
        }
    }

    private static final class Plugin extends DevicePluginImplBase {

        private final boolean answers;

        private Plugin(boolean answers) {
            this.answers = answers;
        }

        @Override
        public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> caller) {
            caller.onNext(ListAndWatchResponse.newBuilder()
                    .addDevices(Device.newBuilder().setID("a").setHealth("Healthy"))
                    .addDevices(Device.newBuilder().setID("b").setHealth("Unhealthy"))
                    .build());
        }

        @Override
        public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> caller) {
            AllocateResponse.Builder answer = AllocateResponse.newBuilder();
            if (answers) {
                for (String id : request.getDevicesIDsList()) {
                    answer.addSpec(DeviceRuntimeSpec.newBuilder()
                            .setID(id)
                            .putEnvs("VF_" + id, "yes")
                            .addMounts(io.edgeplug.proto.v1alpha1.Mount.newBuilder()
                                    .setHostPath("/out")
                                    .setMountPath("/in")
                                    .setReadOnly(true))
                            .addDevices(DeviceSpec.newBuilder()
                                    .setHostPath("/dev/out")
                                    .setContainerPath("/dev/in")
                                    .setPermissions("rw")));
                }
            }
            caller.onNext(answer.build());
            caller.onCompleted();
        }
    }
}
