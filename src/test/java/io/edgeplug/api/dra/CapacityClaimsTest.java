package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.VF0;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static io.edgeplug.api.dra.DraNode.VF1;
import static io.edgeplug.api.dra.DraNode.VF1_NAME;
import static io.edgeplug.api.dra.TestClaims.consuming;
import static io.edgeplug.api.dra.TestClaims.share;
import static io.edgeplug.api.dra.TestSlices.capacities;
import static io.edgeplug.api.dra.TestSlices.devices;
import static io.edgeplug.api.dra.TestSlices.names;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.proto.dra.v1.Device;
import io.edgeplug.proto.dra.v1.NodePrepareResourceResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Devices of which several claims consume shares, as the scheduler of Kubernetes 1.36 counts them. */
@Timeout(90)
final class CapacityClaimsTest extends OnDraNode {

    @Override
    String classes() {
        return """
                [[class]]
                resource = "example.com/vf"
                kind = "vf"
                api = "dra"
                shares = 4
                evict = true
                match = { pf_names = ["ens1f0"] }
                [class.release]
                reset = "flr"
                """;
    }

    private void consume(String claim, String device, String... shares) {
        node.server.put(consuming(claim, device, shares));
    }

    @Test
    void deviceIsOneDeviceAndClaimsHaveItUntilTheLastIsReleased() throws Exception {
        assertThat(capacities(node.server.await(all -> names(all).size() == 2)))
                .isEqualTo(Map.of(VF0_NAME, 4, VF1_NAME, 4));
        consume("mine", VF0_NAME, "1");
        consume("yours", VF0_NAME, "1");
        prepare("mine");
        prepare("yours");
        assertThat(node.specification("mine")).contains("PCIDEVICE_EXAMPLE_COM_VF=" + VF0 + "\"");
        assertThat(node.specification("yours")).contains("PCIDEVICE_EXAMPLE_COM_VF=" + VF0 + "\"");
        List<JsonObject> ordered = node.server.await(all -> names(all).equals(List.of(VF1_NAME, VF0_NAME)));
        assertThat(capacities(ordered)).isEqualTo(Map.of(VF0_NAME, 4, VF1_NAME, 4));

        try (LogLines log = LogLines.open()) {
            assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
            assertThat(resets()).isZero();
            assertThat(node.kubelet.unprepare("yours").getError()).isEmpty();
            assertThat(log.await(VF0 + ": scrubbed in ")).hasSize(1);
        }
        assertThat(resets()).isEqualTo(1);
    }

    @Test
    void kubeletIsToldTheShareIdOnceForAllSharesOfARequest() {
        consume("mine", VF0_NAME, "3", "1");

        NodePrepareResourceResponse answer = node.kubelet.prepare("mine");
        assertThat(answer.getError()).isEmpty();
        assertThat(answer.getDevicesList())
                .extracting(Device::getDeviceName, Device::getShareId, one -> one.getRequestNames(0))
                .containsExactly(
                        tuple(VF0_NAME, share("mine", 0), "request-0"), tuple(VF0_NAME, share("mine", 1), "request-1"));
        assertThat(answer.getDevicesList()).allMatch(one -> one.getCdiDeviceIdsCount() == 1);
        assertThat(node.kubelet.prepare("mine")).isEqualTo(answer);
    }

    @Test
    void notMoreSharesAreHeldThanThereAre() throws Exception {
        consume("three", VF0_NAME, "3");
        prepare("three");
        consume("two", VF0_NAME, "2");
        assertThat(error("two"))
                .contains("its device " + VF0
                        + " has 1 of 4 shares left, and the claim needs 2; the rest is held by claim default/three");
        consume("many", VF1_NAME, "1k");
        assertThat(error("many")).contains("its device " + VF1 + " has 4 of 4 shares left, and the claim needs 1000");
        consume("one", VF0_NAME, "1");
        prepare("one");
        assertThat(error("two")).contains("has 0 of 4 shares left").contains("claim default/one, claim default/three");

        assertThat(node.kubelet.unprepare("three").getError()).isEmpty();
        prepare("two");
    }

    @Test
    void claimsThatArePreparedAtOnceChooseDifferentShares() throws Exception {
        List<String> claims = IntStream.range(0, 8).mapToObj(i -> "claim" + i).toList();
        claims.forEach(claim -> consume(claim, VF0_NAME, "1"));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<String>> all = claims.stream()
                    .<Callable<String>>map(claim -> () -> error(claim))
                    .toList();
            List<String> errors =
                    threads.invokeAll(all).stream().map(one -> one.resultNow()).toList();
            assertThat(errors).filteredOn(String::isEmpty).hasSize(4);
            assertThat(errors)
                    .filteredOn(text -> !text.isEmpty())
                    .allSatisfy(text -> assertThat(text).contains("has 0 of 4 shares left"));
        }
    }

    @Test
    void claimKeepsItsSharesOverARestart() throws Exception {
        consume("mine", VF0_NAME, "3");
        prepare("mine");
        node.stopDaemon();
        node.loseWhatABootTakes();
        node.startDaemon();
        Object ignored = node.kubelet.register();
        consume("yours", VF0_NAME, "2");

        assertThat(error("yours")).contains("has 1 of 4 shares left");
        assertThat(node.kubelet.prepare("mine").getDevicesList())
                .extracting(Device::getShareId)
                .containsExactly(share("mine", 0));
    }

    @Test
    void shareThatAClaimHasAsADeviceIsNoOtherClaims() throws Exception {
        String asDevice = DeviceNames.of(VF0 + "::0");
        node.allocate("before", asDevice);
        prepare("before");

        List<JsonObject> slices = node.server.await(all -> names(all).contains(asDevice));
        assertThat(capacities(slices)).isEqualTo(Map.of(VF0_NAME, 3, VF1_NAME, 4, asDevice, 0));
        consume("four", VF0_NAME, "4");
        assertThat(error("four")).contains("has 3 of 4 shares left");
        consume("three", VF0_NAME, "3");
        prepare("three");
        assertThat(node.kubelet.unprepare("before").getError()).isEmpty();
        assertThat(capacities(node.server.await(all -> !names(all).contains(asDevice))))
                .containsEntry(VF0_NAME, 4);
    }

    @Test
    void administratorTakesNoShare() throws Exception {
        consume("all", VF0_NAME, "4");
        prepare("all");
        JsonObject looking = consuming("looking", VF0_NAME, "1");
        TestClaims.result(looking).addProperty("adminAccess", true);
        node.server.put(looking);

        prepare("looking");
    }

    @Test
    void strangeNumbersAndIdsOfSharesAreRefused() {
        for (String amount : List.of("0", "-1", "1.5", "500m", "9k", "1Ki", "", "x")) {
            consume("mine", VF0_NAME, amount);
            assertThat(error("mine")).as(amount).contains("consumes a number of shares that no device has");
        }
        JsonObject strange = consuming("mine", VF0_NAME, "1");
        TestClaims.result(strange).addProperty("shareID", "../../etc");
        node.server.put(strange);
        assertThat(error("mine")).contains("its allocation has a shareID that is no UID");
    }

    @Test
    void deviceThatBreaksEvictsAllWhoConsumeIt() throws Exception {
        consume("mine", VF0_NAME, "1");
        prepare("mine");
        node.node.fallOff(new PciAddress(0, 0x3b, 1, 0));

        List<JsonObject> slices = node.server.await(TestSlices.taints("NoExecute"));
        assertThat(devices(slices))
                .filteredOn(one -> one.has("taints"))
                .extracting(one -> Json.text(one, "name"))
                .containsExactly(VF0_NAME);
    }
}
