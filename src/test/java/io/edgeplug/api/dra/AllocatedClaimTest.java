package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.edgeplug.model.device.PodInterface;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.system.kernel.LinkAddress;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class AllocatedClaimTest {

    private static final PreparedClaim PREPARED = new PreparedClaim(
            "uid-of-mine",
            "default",
            "mine",
            List.of(),
            List.of(new PreparedClaim.Device(
                    "vfs", "node1", "vf0", Optional.empty(), "id", "example.com/vf", false, Optional.empty())));

    private static final AllocatedClaim.Key DEVICE = new AllocatedClaim.Key("node1", "vf0", "");

    private static final NetworkData NETWORK = NetworkData.of(moved("2001:db8:0:0::7/64", "192.0.2.7/24"));

    private static PodInterface moved(String... addresses) {
        return new PodInterface(
                "net1",
                Optional.empty(),
                "02:00:00:00:00:01",
                Stream.of(addresses)
                        .map(text -> LinkAddress.parse(text).orElseThrow())
                        .toList());
    }

    private static DeviceConditions ready(NetworkData network) {
        return DeviceConditions.ready(PREPARED, Map.of(DEVICE, network), Map.of());
    }

    private static AllocatedClaim read(JsonObject claim) throws IOException {
        Json.object(claim, "metadata").addProperty("resourceVersion", "7");
        return AllocatedClaim.of(claim, "edgeplug.io", "node1");
    }

    /** The status of the device as the driver writes it, with one more condition. */
    private static JsonObject told(String condition) throws IOException {
        JsonObject claim = TestClaims.awaited("mine", "vf0");
        DeviceConditions wanted = ready(NETWORK);
        JsonObject status = Json.object(wanted.status(read(claim), "edgeplug.io"), "status");
        Json.objects(status, "devices")
                .forEach(device -> device.getAsJsonArray("conditions").add(JsonParser.parseString(condition)));
        Json.object(claim, "status").add("devices", status.get("devices"));
        return claim;
    }

    @Test
    void conditionsOfOthersAreNoReasonToWriteTheStatusAgain() throws Exception {
        AllocatedClaim claim = read(told("{\"type\":\"example.com/Cooled\",\"status\":\"True\",\"reason\":\"Fan\"}"));

        assertThat(claim.isWaiting()).isFalse();
        assertThat(ready(NETWORK).areThoseOf(claim)).isTrue();
    }

    @Test
    void conditionThatDoesNotApplyAnyMoreIs() throws Exception {
        AllocatedClaim claim = read(told("{\"type\":\"PreparationFailed\",\"status\":\"True\",\"reason\":\"Failed\"}"));

        assertThat(ready(NETWORK).areThoseOf(claim)).isFalse();
    }

    @Test
    void anotherNetworkInterfaceIsAReasonToWriteTheStatusAgain() throws Exception {
        AllocatedClaim claim = read(told("{\"type\":\"example.com/Cooled\",\"status\":\"True\"}"));

        assertThat(ready(NetworkData.of(moved("192.0.2.8/24"))).areThoseOf(claim))
                .isFalse();
        // Others may say something of an interface that stays on the node.
        assertThat(DeviceConditions.ready(PREPARED, Map.of(), Map.of()).areThoseOf(claim))
                .isTrue();
    }

    @Test
    void whatKubernetesWouldRefuseOfANetworkInterfaceIsLeftOut() {
        String[] addresses = IntStream.range(0, 20)
                .mapToObj(i -> "192.0.2." + (1 + i / 2) + "/24")
                .toArray(String[]::new);
        assertThat(NetworkData.of(moved(addresses)).addresses()).hasSize(10).doesNotHaveDuplicates();
        String[] more = IntStream.range(0, 20)
                .mapToObj(i -> "192.0.2." + (1 + i) + "/24")
                .toArray(String[]::new);
        assertThat(NetworkData.of(moved(more)).addresses()).hasSize(16);
        PodInterface tooLong = new PodInterface("n".repeat(257), Optional.empty(), "m".repeat(129), List.of());
        assertThat(NetworkData.of(tooLong)).isEqualTo(NetworkData.NONE);
    }

    @Test
    void onlyTheStartOfALongNetworkNameIsKept() throws Exception {
        JsonObject claim = TestClaims.awaited("mine", "vf0");
        JsonObject device = Json.of("driver", "edgeplug.io", "pool", "node1", "device", "vf0");
        device.add("networkData", Json.of("interfaceName", "n".repeat(16_000), "ips", Json.array(Stream.of())));
        Json.object(claim, "status").add("devices", Json.array(Stream.of(device)));

        assertThat(read(claim).devices().getFirst().network().name()).hasSize(256);
    }

    @Test
    void onlyTheStartOfALongMessageIsKept() throws Exception {
        String message = "x".repeat(16_000);
        AllocatedClaim claim =
                read(told("{\"type\":\"PreparationFailed\",\"status\":\"True\",\"message\":\"" + message + "\"}"));

        assertThat(claim.devices().getFirst().conditions())
                .hasEntrySatisfying(
                        "PreparationFailed", one -> assertThat(one.message()).hasSize(1024));
    }

    @Test
    void allocationOfMoreDevicesThanASchedulerGivesIsRefused() {
        String[] devices = IntStream.range(0, 33).mapToObj(i -> "vf" + i).toArray(String[]::new);

        assertThatThrownBy(() -> read(TestClaims.awaited("mine", devices)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("more than 32 devices");
    }

    @Test
    void namesThatWouldFillTheMemoryAreRefused() {
        JsonObject longDevice = TestClaims.awaited("mine", "v".repeat(17_000));
        JsonObject longName = TestClaims.awaited("mine", "vf0");
        Json.object(longName, "metadata").addProperty("name", "n".repeat(254));

        assertThatThrownBy(() -> read(longDevice)).hasMessageContaining("a name that is too long");
        assertThatThrownBy(() -> read(longName)).hasMessageContaining("in another way than Kubernetes does");
    }
}
