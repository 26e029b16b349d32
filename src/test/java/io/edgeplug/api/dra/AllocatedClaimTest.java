package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.edgeplug.node.pods.PreparedClaim;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class AllocatedClaimTest {

    private static final PreparedClaim PREPARED = new PreparedClaim(
            "uid-of-mine",
            "default",
            "mine",
            List.of(),
            List.of(new PreparedClaim.Device(
                    "vfs", "node1", "vf0", Optional.empty(), "id", "example.com/vf", false, Optional.empty())));

    private static AllocatedClaim read(JsonObject claim) throws IOException {
        Json.object(claim, "metadata").addProperty("resourceVersion", "7");
        return AllocatedClaim.of(claim, "edgeplug.io", "node1");
    }

    /** The status of the device as the driver writes it, with one more condition. */
    private static JsonObject told(String condition) throws IOException {
        JsonObject claim = TestClaims.awaited("mine", "vf0");
        DeviceConditions wanted = DeviceConditions.ready(PREPARED, Map.of());
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
        assertThat(DeviceConditions.ready(PREPARED, Map.of()).areThoseOf(claim)).isTrue();
    }

    @Test
    void conditionThatDoesNotApplyAnyMoreIs() throws Exception {
        AllocatedClaim claim = read(told("{\"type\":\"PreparationFailed\",\"status\":\"True\",\"reason\":\"Failed\"}"));

        assertThat(DeviceConditions.ready(PREPARED, Map.of()).areThoseOf(claim)).isFalse();
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
