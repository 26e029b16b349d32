package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.VF0;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static io.edgeplug.api.dra.TestSlices.capacities;
import static io.edgeplug.api.dra.TestSlices.devices;
import static io.edgeplug.api.dra.TestSlices.names;
import static io.edgeplug.api.dra.TestSlices.vfs;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Preference;
import io.edgeplug.model.rules.Sharing;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The shares of devices in slices: a capacity that claims consume, or devices of their own. */
@Timeout(60)
final class CapacitySlicesTest extends OnApiServer {

    private static final String VF0_AS_FUNCTION = "0000:3b:00.0";
    private static final String VF0_IN_SLICE = "0000-3b-00-0";
    private static final String VF1_IN_SLICE = "0000-3b-00-1";

    private static DeviceClass packed(int shares) {
        return TestSlices.shared(Preference.PACK, new Sharing(shares, false));
    }

    private void offer(DeviceClass deviceClass, int shares, Set<String> claimed, Set<String> consumed) {
        offer(new Offer(deviceClass, vfs(2), claimed, Set.of(), Map.of(), shares, consumed, Set.of(), false));
    }

    private static String share(String device, int number) {
        return DeviceNames.of(device + "::" + number);
    }

    @Test
    void deviceHasAsMuchCapacityAsItHasShares() throws Exception {
        offer(packed(4), 4, Set.of(), Set.of());

        List<JsonObject> slices = start(2);
        assertThat(names(slices)).containsExactly(VF0_IN_SLICE, VF1_IN_SLICE);
        assertThat(devices(slices).getFirst().get("allowMultipleAllocations").getAsBoolean())
                .isTrue();
        assertThat(devices(slices).getFirst().get("capacity")).hasToString("""
                {"shares":{"requestPolicy":{"default":"1","validRange":{"min":"1","step":"1"}},"value":"4"}}""");
        publisher.awaitPublished(DraNode.PATIENCE);
        assertThat(count("POST")).isEqualTo(1);
        assertThat(publisher.status().devices()).isEqualTo(2);
    }

    @Test
    void aThousandSharesAreNotWrittenAgainForTheShorterNumberOfTheServer() throws Exception {
        offer(packed(1000), 1000, Set.of(), Set.of());

        assertThat(capacities(start(2))).containsEntry(VF0_IN_SLICE, 1000);
        publisher.awaitPublished(DraNode.PATIENCE);
        publisher.awaitPublished(DraNode.PATIENCE);
        assertThat(count("PUT")).isZero();
    }

    @Test
    void claimsOfAClassForOneShareCannotAskForMore() throws Exception {
        offer(TestSlices.shared(Preference.PACK, new Sharing(4, true)), 4, Set.of(), Set.of());

        assertThat(start(2).toString()).contains("\"validRange\":{\"max\":\"1\",\"min\":\"1\"}");
    }

    @Test
    void deviceWithOneShareLeftByOtherClassesIsTaken() throws Exception {
        offer(packed(4), 1, Set.of(), Set.of());

        assertThat(capacities(start(2))).containsEntry(VF0_IN_SLICE, 1);
    }

    @Test
    void classThatSpreadsHasADeviceForEachShare() throws Exception {
        offer(TestSlices.shared(Preference.SPREAD, new Sharing(2, false)), 2, Set.of(), Set.of());

        List<JsonObject> slices = start(4);
        assertThat(names(slices)).contains(share(VF0_AS_FUNCTION, 0), share(VF0_AS_FUNCTION, 1));
        assertThat(slices.toString()).doesNotContain("allowMultipleAllocations").doesNotContain("capacity");
    }

    @Test
    void serverWithoutTheFeatureGetsADeviceForEachShare() throws Exception {
        server.gate(objects -> objects.dropsCapacity = true);
        offer(packed(2), 2, Set.of(), Set.of());

        try (LogLines log = LogLines.open()) {
            List<JsonObject> slices = start(4);
            assertThat(slices.toString()).doesNotContain("capacity");
            assertThat(log.await("the API server drops capacities")).hasSize(1);
        }
    }

    @Test
    void deviceOfWhichClaimsHaveFewerSharesComesFirst() throws Exception {
        offer(packed(4), 4, Set.of(), Set.of());
        assertThat(names(start(2))).containsExactly(VF0_IN_SLICE, VF1_IN_SLICE);

        Set<String> one = Set.of(VF0_AS_FUNCTION + "::0");
        offer(packed(4), 4, one, one);
        List<JsonObject> slices = server.await(all -> names(all).equals(List.of(VF1_IN_SLICE, VF0_IN_SLICE)));
        assertThat(capacities(slices)).containsEntry(VF0_IN_SLICE, 4);
    }

    @Test
    void sharesThatClaimsHaveAsDevicesAreMissingFromTheCapacity() throws Exception {
        Set<String> claimed = Set.of(VF0_AS_FUNCTION + "::0", VF0_AS_FUNCTION + "::1", VF0_AS_FUNCTION + "::2");
        offer(packed(4), 4, claimed, Set.of(VF0_AS_FUNCTION + "::2"));

        List<JsonObject> slices = start(4);
        assertThat(capacities(slices))
                .isEqualTo(Map.of(
                        VF0_IN_SLICE, 2, VF1_IN_SLICE, 4, share(VF0_AS_FUNCTION, 0), 0, share(VF0_AS_FUNCTION, 1), 0));
        assertThat(devices(slices))
                .filteredOn(one -> one.toString().contains("\"effect\":\"NoSchedule\",\"key\":\"edgeplug.io/held\""))
                .extracting(one -> Json.text(one, "name"))
                .containsExactlyInAnyOrder(share(VF0_AS_FUNCTION, 0), share(VF0_AS_FUNCTION, 1));
    }

    @Test
    void deviceWhoseSharesAllAreDevicesHasNoCapacity() throws Exception {
        offer(packed(2), 2, Set.of(VF0_AS_FUNCTION + "::0", VF0_AS_FUNCTION + "::1"), Set.of());

        assertThat(names(start(3))).doesNotContain(VF0_IN_SLICE);
    }

    @Test
    void deviceWithAClaimStaysListedWhenItsClassHasFewerShares() throws Exception {
        Set<String> claimed = Set.of(VF0_AS_FUNCTION + "::0", VF0_AS_FUNCTION + "::3");
        offer(packed(2), 2, claimed, Set.of(VF0_AS_FUNCTION + "::3"));

        assertThat(capacities(start(3))).containsEntry(VF0_IN_SLICE, 1).containsEntry(share(VF0_AS_FUNCTION, 0), 0);
    }

    @Test
    void namesAreThoseThatTheListShows() {
        assertThat(DeviceNames.of(packed(4), VF0)).isEqualTo(VF0_NAME);
    }
}
