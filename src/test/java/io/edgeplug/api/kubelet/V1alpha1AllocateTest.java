package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.GOPHER;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.DevicePluginApi;
import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.proto.v1alpha1.AllocateRequest;
import io.edgeplug.proto.v1alpha1.AllocateResponse;
import io.edgeplug.proto.v1alpha1.DevicePluginGrpc;
import io.edgeplug.proto.v1alpha1.DeviceRuntimeSpec;
import io.edgeplug.system.rpc.UnixRpc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class V1alpha1AllocateTest {

    @TempDir
    private Path directory = Path.of("");

    /** It asks for an answer for each device, of which the kubelet makes one. */
    @Test
    void whatManyDevicesGiveTogetherIsToldOnce() throws Exception {
        int many = 300;
        Path kubeletDir = directory.resolve("device-plugins");
        Path gophers = Files.createDirectories(directory.resolve("node/etc/gophers"));
        for (int i = 0; i < many; i++) {
            Files.createFile(gophers.resolve("g" + i));
        }
        KubeletOptions old = KubeletOptions.DEFAULTS.withApis(Set.of(DevicePluginApi.V1ALPHA1));
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, old, event -> {});
                TestDaemon daemon =
                        TestDaemon.open(directory, kubeletDir, TestDaemon.filesClass(GOPHER.toString(), "gophers"));
                UnixRpc rpc = UnixRpc.open()) {
            String endpoint = kubelet.await(GOPHER, state -> state.allocatable() == many, PATIENCE)
                    .endpoint()
                    .orElseThrow();
            List<String> ids = IntStream.range(0, many).mapToObj(i -> "g" + i).toList();
            try (PluginClient client =
                    PluginClient.dial(rpc, kubeletDir.resolve("edgeplug").resolve(endpoint))) {
                AllocateResponse answer = DevicePluginGrpc.newBlockingStub(client.channel())
                        .withDeadlineAfter(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                        .allocate(AllocateRequest.newBuilder()
                                .addAllDevicesIDs(ids)
                                .build());

                assertThat(answer.getSpecList())
                        .extracting(DeviceRuntimeSpec::getID)
                        .containsExactlyElementsOf(ids);
                assertThat(answer.getSpecList().stream()
                                .mapToInt(DeviceRuntimeSpec::getMountsCount)
                                .sum())
                        .isEqualTo(many);
            }
        }
    }
}
