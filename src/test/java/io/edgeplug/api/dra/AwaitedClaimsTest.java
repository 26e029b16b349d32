package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.VF0;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static io.edgeplug.api.dra.DraNode.VF1_NAME;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.api.kubelet.Seen;
import io.edgeplug.proto.dra.v1.Device;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Devices that are prepared while the scheduler waits, and what becomes of them if it does not wait any more. */
@Timeout(90)
final class AwaitedClaimsTest extends OnEarlyNode {

    private static final String BIND = "sys/bus/pci/drivers/vfio-pci/bind";
    private static final String PREPARED = VF0 + " bound to vfio-pci";

    /** Blocks a preparation once it has begun. */
    private final CountDownLatch isBinding = new CountDownLatch(1);

    private final CountDownLatch goesOn = new CountDownLatch(1);

    private long preparations() {
        return node.node.acts().stream().filter(PREPARED::equals).count();
    }

    private void block() throws IOException {
        node.node.interfere(BIND, () -> {
            isBinding.countDown();
            try {
                boolean ignored = goesOn.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new IOException("interrupted", e);
            }
        });
    }

    static Predicate<JsonObject> isTrue(String type) {
        return claim -> Json.objects(Json.object(claim, "status"), "devices")
                .flatMap(device -> Json.objects(device, "conditions"))
                .anyMatch(one -> Json.text(one, "type").equals(type)
                        && Json.text(one, "status").equals("True"));
    }

    private static String message(JsonObject claim, String type) {
        return Json.objects(Json.object(claim, "status"), "devices")
                .flatMap(device -> Json.objects(device, "conditions"))
                .filter(one -> Json.text(one, "type").equals(type))
                .map(one -> Json.text(one, "message"))
                .findFirst()
                .orElse("none");
    }

    private void awaitNoNotes() throws Exception {
        Seen.untilSo("no claim is noted", () -> {
            String[] names = node.claims().toFile().list();
            return names == null || names.length == 0;
        });
    }

    @Test
    void slicesSayThatTheSchedulerWaits() throws Exception {
        List<JsonObject> devices = TestSlices.devices(node.server.slices());

        assertThat(devices).hasSize(2).allSatisfy(device -> {
            assertThat(device.get("bindsToNode").getAsBoolean()).isTrue();
            assertThat(device.get("bindingConditions")).hasToString("[\"Ready\"]");
            assertThat(device.get("bindingFailureConditions")).hasToString("[\"PreparationFailed\"]");
        });
        assertThat(node.driver().obstacleToEarlyPreparation()).isEmpty();
    }

    @Test
    void deviceIsReadyBeforeThePodIsBoundAndNothingIsLeftForTheKubelet() throws Exception {
        node.server.put(TestClaims.awaited("mine", VF0_NAME, VF1_NAME));
        JsonObject claim = node.server.awaitClaim("mine", isTrue("Ready"));

        assertThat(Json.objects(Json.object(claim, "status"), "devices")).hasSize(2);
        assertThat(isTrue("Healthy").test(claim)).isTrue();
        assertThat(preparations()).isEqualTo(1);
        assertThat(Files.readString(node.claims().resolve("uid-of-mine.json"))).contains("\"ahead\":");

        assertThat(error("mine")).isEmpty();
        assertThat(preparations()).isEqualTo(1);
        assertThat(node.specifications()).containsExactly("edgeplug-claim_uid-of-mine.json");
        assertThat(Files.readString(node.claims().resolve("uid-of-mine.json"))).doesNotContain("\"ahead\":");
    }

    @Test
    void claimThatTheKubeletHasIsNotGivenBackWhenItIsDeallocated() throws Exception {
        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        JsonObject ready = node.server.awaitClaim("mine", isTrue("Ready"));
        assertThat(error("mine")).isEmpty();
        node.server.put(TestClaims.deallocated("mine"));
        // The next claim shows that the news of the first one were read.
        node.server.put(TestClaims.awaited("yours", VF1_NAME));
        JsonObject next = node.server.awaitClaim("yours", isTrue("Ready"));

        assertThat(List.of(ready, next)).doesNotContainNull();
        assertThat(node.claims().resolve("uid-of-mine.json")).exists();
        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
        assertThat(node.claims().resolve("uid-of-mine.json")).doesNotExist();
    }

    @Test
    void deviceThatCannotBePreparedIsTaintedBeforeTheSchedulerKnowsAndStaysSo() throws Exception {
        AtomicBoolean fails = new AtomicBoolean(true);
        node.node.interfere(BIND, () -> {
            if (fails.get()) {
                throw new IOException("Cannot allocate memory");
            }
        });
        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        JsonObject claim = node.server.awaitClaim("mine", isTrue("PreparationFailed"));

        assertThat(isTrue("Ready").test(claim)).isFalse();
        assertThat(message(claim, "PreparationFailed"))
                .startsWith("Claim default/mine cannot be prepared: ")
                .contains("Cannot allocate memory");
        List<String> requests = node.server.requests();
        int told = requests.lastIndexOf("PATCH /apis/resource.k8s.io/v1/namespaces/default/resourceclaims/mine/status");
        assertThat(requests.subList(0, told).stream().filter(one -> one.startsWith("PUT ")))
                .isNotEmpty();
        assertThat(tainted()).containsExactly(VF0_NAME);

        node.server.put(TestClaims.deallocated("mine"));
        awaitNoNotes();
        fails.set(false);
        node.server.put(TestClaims.awaited("mine", VF1_NAME));
        JsonObject again = node.server.awaitClaim("mine", isTrue("Ready"));
        assertThat(isTrue("PreparationFailed").test(again)).isFalse();
        assertThat(tainted()).containsExactly(VF0_NAME);
    }

    private List<String> tainted() {
        return TestSlices.devices(node.server.slices()).stream()
                .filter(device -> device.toString().contains("edgeplug.io/unhealthy"))
                .map(device -> Json.text(device, "name"))
                .toList();
    }

    @Test
    void claimWithAWrongChoiceFailsAndItsDeviceStaysFree() throws Exception {
        JsonObject claim = TestClaims.awaited("mine", VF0_NAME);
        JsonArray configs = new JsonArray();
        configs.add(TestClaims.config("[]", TestClaims.parameters("\"vf\":{\"vlan\":7}")));
        TestClaims.devices(claim).add("config", configs);
        node.server.put(claim);

        JsonObject failed = node.server.awaitClaim("mine", isTrue("PreparationFailed"));
        assertThat(message(failed, "PreparationFailed")).endsWith("its [class.claims] lets claims choose nothing");
        assertThat(tainted()).isEmpty();
    }

    @Test
    void claimThatIsDeallocatedWhileItIsPreparedHasNothingAfterwards() throws Exception {
        block();
        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        assertThat(isBinding.await(20, TimeUnit.SECONDS)).isTrue();
        node.server.put(TestClaims.deallocated("mine"));
        goesOn.countDown();

        awaitNoNotes();
        Seen.untilSo("no holder", () -> node.holder(VF0).isEmpty());
        assertThat(node.specifications()).isEmpty();
        assertThat(isTrue("Ready").test(node.server.claim("mine"))).isFalse();
    }

    @Test
    void claimThatIsDeletedWhileItsPodWaitsHasNothingAfterwards() throws Exception {
        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        JsonObject ignored = node.server.awaitClaim("mine", isTrue("Ready"));
        node.server.gate(objects -> objects.claims.delete("default", "mine"));

        awaitNoNotes();
        Seen.untilSo("no holder", () -> node.holder(VF0).isEmpty());
    }

    @Test
    void daemonThatIsKilledWhileItPreparesGoesOnWhenItStartsAgain() throws Exception {
        block();
        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        assertThat(isBinding.await(20, TimeUnit.SECONDS)).isTrue();
        node.stopDaemon();
        goesOn.countDown();
        assertThat(isTrue("Ready").test(node.server.claim("mine"))).isFalse();
        node.startDaemon();

        JsonObject ignored = node.server.awaitClaim("mine", isTrue("Ready"));
        assertThat(error("mine")).isEmpty();
    }

    @Test
    void claimThatWasDeletedWhileTheDaemonWasAwayIsGivenBack() throws Exception {
        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        JsonObject ignored = node.server.awaitClaim("mine", isTrue("Ready"));
        node.stopDaemon();
        node.server.gate(objects -> objects.claims.delete("default", "mine"));
        node.startDaemon();

        awaitNoNotes();
    }

    @Test
    void claimIsPreparedAgainIfTheNodeWasBootedBeforeThePodWasBound() throws Exception {
        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        JsonObject ignored = node.server.awaitClaim("mine", isTrue("Ready"));
        node.stopDaemon();
        node.loseWhatABootTakes();
        node.startDaemon();

        Seen.untilSo("its files are written again", () -> !node.specifications().isEmpty());
    }

    @Test
    void kubeletGetsTheDeviceOfTheNewestAllocation() throws Exception {
        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        JsonObject first = node.server.awaitClaim("mine", isTrue("Ready"));
        // Nobody reports this to the daemon before the kubelet calls.
        node.server.gate(objects -> objects.claims.rights.remove("list resourceclaims"));
        node.server.endWatches();
        node.server.put(TestClaims.awaited("mine", VF1_NAME));

        assertThat(node.kubelet.prepare("mine").getDevicesList())
                .extracting(Device::getDeviceName)
                .containsExactly(VF1_NAME);
        assertThat(first).isNotNull();
        Seen.untilSo("no holder", () -> node.holder(VF0).isEmpty());
    }

    @Test
    void claimWaitsForADeviceThatIsStillBeingPreparedForADeallocatedOne() throws Exception {
        block();
        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        assertThat(isBinding.await(20, TimeUnit.SECONDS)).isTrue();
        node.server.put(TestClaims.deallocated("mine"));
        node.server.put(TestClaims.awaited("yours", VF0_NAME));
        goesOn.countDown();

        JsonObject yours = node.server.awaitClaim("yours", isTrue("Ready"));
        assertThat(isTrue("PreparationFailed").test(yours)).isFalse();
        assertThat(node.claims().resolve("uid-of-mine.json")).doesNotExist();
    }

    @Test
    void rightsThatAreLostAreNoticedAndTheKubeletIsWaitedForAgain() throws Exception {
        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        JsonObject ignored = node.server.awaitClaim("mine", isTrue("Ready"));
        node.server.gate(objects -> objects.claims.rights.clear());
        try (LogLines log = LogLines.open()) {
            node.server.put(TestClaims.awaited("yours", VF1_NAME));
            assertThat(log.await("edgeplug.io: devices are prepared only when the kubelet asks"))
                    .hasSize(1);
        }

        List<JsonObject> slices = node.server.await(all -> !all.toString().contains("bindingConditions"));
        assertThat(slices).isNotEmpty();
        awaitNoNotes();
        assertThat(node.driver().obstacleToEarlyPreparation())
                .get()
                .asString()
                .contains("is not allowed to get resourceclaims, list resourceclaims, watch resourceclaims, patch")
                .endsWith("edgeplug dra rbac prints the role");
        assertThat(error("mine")).isEmpty();
    }
}
