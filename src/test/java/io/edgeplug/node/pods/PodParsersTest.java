package io.edgeplug.node.pods;

import com.google.protobuf.CodedInputStream;
import io.edgeplug.proto.pods.EventType;
import io.edgeplug.proto.pods.ObjectMeta;
import io.edgeplug.proto.pods.PodIdentity;
import io.edgeplug.proto.pods.PodStatus;
import io.edgeplug.proto.pods.WatchPodsEvent;
import io.edgeplug.soak.SpoiltInputs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Spoilt notes and spoilt answers of the kubelet are read or refused, and none is a bug. */
@Timeout(600)
final class PodParsersTest {

    @TempDir
    private Path directory = Path.of("");

    private final SpoiltInputs inputs = new SpoiltInputs();

    @Test
    void checkpointsAreReadOrRefused() throws Exception {
        String checkpoint = """
                {"Data":{"PodDeviceEntries":[{"PodUID":"u1","ContainerName":"main","ResourceName":"example.com/vf",\
                "DeviceIDs":{"0":["0000:3b:01.0"],"-1":["g1::2"]},"AllocResp":"Cg=="}],"RegisteredDevices":\
                {"example.com/vf":["0000:3b:01.0"]}},"Checksum":1}""";

        inputs.spoil(checkpoint.getBytes(StandardCharsets.UTF_8), 4000, input -> {
            Files.write(directory.resolve(HeldDevices.FILE), input);
            HeldDevices ignored = HeldDevices.read(directory);
        });
    }

    @Test
    void notesOfClaimsAreReadOrRefused() throws Exception {
        PreparedClaim.Device device = new PreparedClaim.Device(
                "vfs", "node1", "a", Optional.of("share"), "g1", "example.com/vf", false, Optional.of("x/y=z"));
        PreparedClaim claim = new PreparedClaim(
                        "uid", "default", "mine", List.of(new PreparedClaim.Pod("u1", "pod")), List.of(device))
                .ready("boot", "{}", Map.of("vfs", "{}"));

        inputs.spoil(ClaimNote.bytes(claim), 4000, input -> {
            Path file = Files.write(directory.resolve("uid.json"), input);
            PreparedClaim ignored = ClaimNote.read(file, "uid");
        });
    }

    @Test
    void eventsOfPodsAreReadOrRefused() throws Exception {
        PodIdentity pod = PodIdentity.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setUid("u1")
                        .setNamespace("edge")
                        .setName("router"))
                .setStatus(PodStatus.newBuilder().setPhase("Running"))
                .build();
        WatchPodsEvent event = WatchPodsEvent.newBuilder()
                .setType(EventType.ADDED)
                .setPod(pod.toByteString())
                .build();

        inputs.spoil(event.toByteArray(), 10_000, input -> {
            WatchedPod ignored = WatchedPod.read(CodedInputStream.newInstance(input));
        });
    }
}
