package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.AwaitedClaimsTest.isTrue;
import static io.edgeplug.api.dra.DraNode.VF0;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static io.edgeplug.api.dra.DraNode.VF1;
import static io.edgeplug.api.dra.DraNode.VF1_NAME;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.api.kubelet.Seen;
import io.edgeplug.model.device.PciAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims that are ready before their pods are bound, if rights, devices, the configuration or allocations change. */
@Timeout(90)
final class AheadClaimsTest extends OnEarlyNode {

    private static final String LIST = "GET /apis/resource.k8s.io/v1/resourceclaims";
    private static final String PATCH = "PATCH /apis/resource.k8s.io/v1/namespaces/default/resourceclaims/mine/status";

    private void makeReady(String device) throws Exception {
        node.server.put(TestClaims.awaited("mine", device));
        JsonObject ignored = node.server.awaitClaim("mine", isTrue("Ready"));
    }

    private Path note() {
        return node.claims().resolve("uid-of-mine.json");
    }

    private void awaitNothingHeld() {
        Seen.untilSo("the claim is given back", () -> !Files.exists(note()));
        Seen.untilSo("no holder", () -> node.holder(VF0).isEmpty());
    }

    private void awaitNobodyWaitedFor() throws Exception {
        assertThat(node.server.await(slices -> !slices.toString().contains("bindingConditions")))
                .isNotEmpty();
    }

    /** The API server calls this right no right, but a rule for valid objects. */
    @Test
    void rightToTheDriverThatIsLostIsNoticed() throws Exception {
        makeReady(VF0_NAME);
        node.server.gate(objects -> objects.claims.rights.removeIf(right -> right.contains("/driver")));
        node.server.put(TestClaims.awaited("yours", VF1_NAME));

        awaitNobodyWaitedFor();
        awaitNothingHeld();
        assertThat(node.driver().obstacleToEarlyPreparation())
                .get()
                .asString()
                .contains("is not allowed to arbitrary-node:patch resourceclaims/driver edgeplug.io");
        assertThat(error("yours")).isEmpty();
    }

    @Test
    void serverThatRefusesWhatItSaysItAllowsIsNotAskedWithoutAPause() throws Exception {
        node.server.gate(objects -> objects.claims.refusesPatches = true);
        node.server.put(TestClaims.awaited("mine", VF0_NAME));

        awaitNobodyWaitedFor();
        awaitNothingHeld();
        assertThat(node.driver().obstacleToEarlyPreparation())
                .get()
                .asString()
                .contains("is not allowed to patch", "cannot patch resource");
        assertThat(node.server.requests().stream().filter(LIST::equals)).hasSizeBetween(1, 3);
        assertThat(node.server.requests().stream().filter(PATCH::equals)).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void claimIsGivenBackIfItsClassIsNoLongerPreparedBeforePodsAreBound() throws Exception {
        makeReady(VF0_NAME);
        node.stopDaemon();
        node.configure(DraNode.CLASSES);
        node.startDaemon();

        awaitNothingHeld();
    }

    @Test
    void claimAndItsFilesAreGivenBackIfNoClassHasClaimsAnyMore() throws Exception {
        makeReady(VF0_NAME);
        node.allocate("asked", VF1_NAME);
        assertThat(error("asked")).isEmpty();
        node.stopDaemon();
        assertThat(node.specifications()).hasSize(2);
        node.giveBackAhead();

        assertThat(note()).doesNotExist();
        assertThat(node.claims().resolve("uid-of-asked.json")).exists();
        assertThat(node.specifications()).containsExactly("edgeplug-claim_uid-of-asked.json");
    }

    @Test
    void devicesThatCannotBeGivenBackAreGivenBackLater() throws Exception {
        makeReady(VF0_NAME);
        Files.delete(note());
        Path inTheWay = Files.createDirectories(note().resolve("file"));
        try (LogLines log = LogLines.open()) {
            node.server.gate(objects -> objects.claims.delete("default", "mine"));
            assertThat(log.await("cannot be released")).isNotEmpty();
        }
        Files.delete(inTheWay);

        awaitNothingHeld();
    }

    @Test
    void deviceThatBreaksBeforeTheKubeletAsksIsNotHandedOver() throws Exception {
        makeReady(VF0_NAME);
        node.node.fallOff(new PciAddress(0, 0x3b, 1, 0));
        assertThat(node.server.await(slices -> slices.toString().contains("edgeplug.io/unhealthy")))
                .isNotEmpty();

        assertThat(error("mine")).startsWith("Claim default/mine cannot be prepared: ");
    }

    /** Its pod is bound already, so the scheduler waits for nothing. */
    @Test
    void claimThatTheKubeletCannotGetIsNotPreparedForTheScheduler() throws Exception {
        makeReady(VF0_NAME);
        node.node.fallOff(new PciAddress(0, 0x3b, 1, 0));
        assertThat(node.server.await(slices -> slices.toString().contains("edgeplug.io/unhealthy")))
                .isNotEmpty();
        try (LogLines log = LogLines.open()) {
            assertThat(error("mine")).isNotEmpty();
            JsonObject mine = node.server.awaitClaim("mine", isTrue("Ready").negate());
            // The next claim shows that the news of the first one were read.
            node.server.put(TestClaims.awaited("yours", VF1_NAME));
            JsonObject yours = node.server.awaitClaim("yours", isTrue("Ready"));

            assertThat(List.of(mine, yours)).doesNotContainNull();
            assertThat(log.with("its pod waits")).isEmpty();
        }
    }

    /** The answer comes after the claim has got another device, of which it knows nothing. */
    @Test
    void answerThatIsOlderThanTheNewsIsIgnored() throws Exception {
        JsonObject old = TestClaims.awaited("mine", VF0_NAME);
        Json.object(old, "metadata").addProperty("resourceVersion", "1");
        node.server.answerRaw(PATCH, out -> {
            node.server.answerAsUsual(PATCH);
            node.server.put(TestClaims.awaited("mine", VF1_NAME));
            Seen.untilSo("the other device is ready", () -> isNoted(VF1));
            out.write(old.toString().getBytes(StandardCharsets.UTF_8));
        });
        node.server.put(TestClaims.awaited("mine", VF0_NAME));

        JsonObject ignored = node.server.awaitClaim(
                "mine", isTrue("Ready").and(claim -> claim.toString().contains(VF1_NAME)));
    }

    /** The note is as if the interface of the VF had been moved, which only a kernel can do. */
    @Test
    void statusTellsOfTheNetworkInterfaceOfThePod() throws Exception {
        Path note = node.node.sysfs().locate("run/edgeplug/interfaces/" + VF0);
        Files.createDirectories(note.resolveSibling(""));
        Files.writeString(note, """
                made=1
                name_in_pod=net1
                users=uid-of-mine
                name=ens1f0v0
                mac=02:00:00:00:00:01
                mtu=1500
                addresses=192.0.2.99/24
                addresses_in_pod=192.0.2.7/24 2001:db8::7/64
                """);
        makeReady(VF0_NAME);

        JsonObject network = network("mine");
        assertThat(network)
                .hasToString("{\"interfaceName\":\"net1\",\"hardwareAddress\":\"02:00:00:00:00:01\","
                        + "\"ips\":[\"192.0.2.7/24\",\"2001:db8::7/64\"]}");
        // Each claim is news for the status of all, and one whose interface stays on the node says nothing.
        node.server.put(TestClaims.awaited("yours", VF1_NAME));
        JsonObject yours = node.server.awaitClaim("yours", isTrue("Ready"));
        assertThat(yours.toString()).doesNotContain("networkData");
        assertThat(node.server.requests().stream().filter(PATCH::equals)).hasSize(1);

        // What edgeplug does not say any more goes with the next change.
        Files.delete(note);
        node.node.fallOff(new PciAddress(0, 0x3b, 1, 0));
        JsonObject mine = node.server.awaitClaim("mine", isTrue("Healthy").negate());
        assertThat(isTrue("Ready")).accepts(mine);
        assertThat(mine.toString()).doesNotContain("networkData");
    }

    @Test
    void whatOthersSayOfANetworkInterfaceStays() throws Exception {
        JsonObject claim = TestClaims.awaited("mine", VF0_NAME);
        JsonObject told = Json.of("driver", "edgeplug.io", "pool", "node1", "device", VF0_NAME);
        told.add("networkData", Json.of("interfaceName", "ib0"));
        Json.object(claim, "status").add("devices", Json.array(Stream.of(told)));
        node.server.put(claim);
        JsonObject ignored = node.server.awaitClaim("mine", isTrue("Ready"));

        assertThat(network("mine")).hasToString("{\"interfaceName\":\"ib0\"}");
    }

    private JsonObject network(String claim) {
        return Json.objects(Json.object(node.server.claim(claim), "status"), "devices")
                .map(device -> Json.object(device, "networkData"))
                .findFirst()
                .orElseThrow();
    }

    private boolean isNoted(String device) {
        try {
            String text = Files.exists(note()) ? Files.readString(note()) : "";
            return text.contains("\"" + device + "\"") && text.contains("\"boot\"");
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void claimDoesNotWaitForTheWorkOfAnother() throws Exception {
        CountDownLatch isBinding = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        node.node.interfere("sys/bus/pci/drivers/vfio-pci/bind", () -> {
            isBinding.countDown();
            Seen.awaitGoingOn(goesOn);
        });
        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        Seen.awaitGoingOn(isBinding);
        // Their UIDs had one lock.
        int lock = Math.floorMod("uid-of-mine".hashCode(), 64);
        String other = IntStream.range(0, 10_000)
                .mapToObj(i -> "other" + i)
                .filter(name -> Math.floorMod(("uid-of-" + name).hashCode(), 64) == lock)
                .findFirst()
                .orElseThrow();
        node.server.put(TestClaims.allocated(other, "0000-3b-01-7"));
        try (LogLines log = LogLines.open()) {
            assertThat(error(other)).contains("there is no device 0000-3b-01-7");
            // As long as it lasts, it has not been given up.
            assertThat(log.with("its pod waits")).isEmpty();
        } finally {
            goesOn.countDown();
        }
    }
}
