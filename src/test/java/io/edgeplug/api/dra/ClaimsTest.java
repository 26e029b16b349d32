package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.VF0;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static io.edgeplug.api.dra.DraNode.VF1_NAME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.api.kubelet.Seen;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.proto.dra.v1.Device;
import io.edgeplug.proto.dra.v1.NodePrepareResourceResponse;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims that the kubelet has prepared and released, while everything involved is restarted. */
@Timeout(90)
final class ClaimsTest extends OnDraNode {

    private static final String PREPARED = VF0 + " bound to vfio-pci";

    private long preparations() {
        return node.node.acts().stream().filter(PREPARED::equals).count();
    }

    @Test
    void driverIsFoundByThePluginWatcherAndPublishesItsDevices() throws Exception {
        PluginInfo info = node.kubelet.register();

        assertThat(info.getType()).isEqualTo("DRAPlugin");
        assertThat(info.getName()).isEqualTo("edgeplug.io");
        assertThat(info.getEndpoint())
                .isEqualTo(directory.resolve("plugins/edgeplug.io/dra.sock").toString());
        assertThat(info.getSupportedVersionsList()).contains("v1.DRAPlugin", "v1beta1.DRAPlugin");
        assertThat(node.server.await(slices -> !slices.isEmpty()).toString()).contains(VF0_NAME, VF1_NAME);
    }

    @Test
    void deviceIsPreparedAndTheRuntimeIsToldWhatItsContainersGet() throws Exception {
        node.allocate("mine", VF0_NAME, VF1_NAME);
        NodePrepareResourceResponse answer = node.kubelet.prepare("mine");

        assertThat(answer.getError()).isEmpty();
        assertThat(answer.getDevicesList()).extracting(Device::getDeviceName).containsExactly(VF0_NAME, VF1_NAME);
        Device first = answer.getDevices(0);
        assertThat(first.getRequestNamesList()).containsExactly("vfs");
        assertThat(first.getPoolName()).isEqualTo("node1");
        assertThat(first.getCdiDeviceIdsList()).containsExactly("edgeplug.io/claim=uid-of-mine_vfs_" + VF0_NAME);
        assertThat(node.node.acts()).contains(PREPARED);
        JsonObject spec = JsonParser.parseString(node.specification("mine")).getAsJsonObject();
        assertThat(spec.get("kind").getAsString()).isEqualTo("edgeplug.io/claim");
        assertThat(spec.toString()).contains("/dev/vfio/vfio", "PCIDEVICE_EXAMPLE_COM_VF=0000:3b:01.0,0000:3b:01.1");
    }

    @Test
    void claimThatIsPreparedIsNotPreparedAgain() throws Exception {
        node.allocate("mine", VF0_NAME);
        NodePrepareResourceResponse once = node.kubelet.prepare("mine");

        assertThat(node.kubelet.prepare("mine")).isEqualTo(once);
        assertThat(preparations()).isEqualTo(1);
    }

    @Test
    void releasedFunctionReturnsToItsHostDriverAndNothingIsLeft() throws Exception {
        node.allocate("mine", VF0_NAME);
        assertThat(error("mine")).isEmpty();
        try (LogLines log = LogLines.open()) {
            assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
            assertThat(log.await(VF0 + ": returned to its host driver iavf")).hasSize(1);
        }

        assertThat(node.specifications()).isEmpty();
        assertThat(node.claims()).isEmptyDirectory();
        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
    }

    @Test
    void claimOutlivesARestartOfTheDaemon() throws Exception {
        node.allocate("mine", VF0_NAME);
        NodePrepareResourceResponse before = node.kubelet.prepare("mine");
        node.stopDaemon();
        Files.delete(directory.resolve("cdi/edgeplug-claim_uid-of-mine.json"));
        Files.writeString(directory.resolve("cdi/edgeplug-claim_left.json"), "{}");
        node.startDaemon();

        assertThat(node.specifications()).containsExactly("edgeplug-claim_uid-of-mine.json");
        PluginInfo ignored = node.kubelet.register();
        assertThat(node.kubelet.prepare("mine")).isEqualTo(before);
        assertThat(preparations()).isEqualTo(1);
        assertThat(node.node.acts()).endsWith(PREPARED);
    }

    @Test
    void claimThatWasPreparedBeforeABootIsPreparedAgain() throws Exception {
        node.allocate("mine", VF0_NAME);
        NodePrepareResourceResponse before = node.kubelet.prepare("mine");
        node.stopDaemon();
        node.loseWhatABootTakes();
        node.startDaemon();
        PluginInfo ignored = node.kubelet.register();

        assertThat(node.specifications()).isEmpty();
        long asked = claimRequests();
        assertThat(node.kubelet.prepare("mine")).isEqualTo(before);
        assertThat(claimRequests()).isEqualTo(asked + 1);
        assertThat(node.specifications()).containsExactly("edgeplug-claim_uid-of-mine.json");
    }

    private long claimRequests() {
        return node.server.requests().stream()
                .filter(one -> one.contains("resourceclaims"))
                .count();
    }

    @Test
    void claimIsReleasedWhileTheApiServerIsAway() throws Exception {
        node.allocate("mine", VF0_NAME);
        assertThat(error("mine")).isEmpty();
        node.server.close();

        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
        assertThat(error("mine")).startsWith("Claim default/mine cannot be prepared: API server https://127.0.0.1:");
    }

    @Test
    void deviceOfAnotherClaimIsRefusedUntilThatIsReleased() {
        node.allocate("mine", VF0_NAME);
        node.allocate("yours", VF0_NAME);
        assertThat(error("mine")).isEmpty();

        assertThat(error("yours")).contains(" is held as example.com/vf by default/");
        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
        assertThat(error("yours")).isEmpty();
    }

    @Test
    void administratorSeesADeviceThatIsInUseAndNothingIsDoneToIt() throws Exception {
        node.allocate("mine", VF0_NAME);
        assertThat(error("mine")).isEmpty();
        JsonObject claim = TestClaims.allocated("look", VF0_NAME);
        TestClaims.result(claim).addProperty("adminAccess", true);
        node.server.put(claim);

        assertThat(error("look")).isEmpty();
        assertThat(preparations()).isEqualTo(1);
        assertThat(node.kubelet.unprepare("look").getError()).isEmpty();
        assertThat(node.specifications()).containsExactly("edgeplug-claim_uid-of-mine.json");
    }

    @Test
    void claimIsPreparedOnceHoweverManyAskAtATime() {
        node.allocate("mine", VF0_NAME);
        List<String> errors =
                IntStream.range(0, 8).parallel().mapToObj(i -> error("mine")).toList();

        assertThat(errors).containsOnly("");
        assertThat(preparations()).isEqualTo(1);
    }

    @Test
    void deviceThatIsPulledStaysInItsSliceAsLongAsAClaimHasIt() throws Exception {
        node.allocate("mine", VF0_NAME);
        assertThat(error("mine")).isEmpty();
        node.node.pull(new PciAddress(0, 0x3b, 1, 0));
        assertThat(node.server
                        .await(slices -> slices.toString().contains("\"gone\""))
                        .toString())
                .contains(VF0_NAME, "NoSchedule");

        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
        assertThat(node.server
                        .await(slices -> !slices.toString().contains(VF0_NAME))
                        .toString())
                .contains(VF1_NAME);
    }

    @Test
    void recipeThatFailsIsTriedAgainAndTheDeviceStaysWithItsClaim() throws Exception {
        node.allocate("mine", VF0_NAME);
        node.allocate("yours", VF0_NAME);
        AtomicBoolean hasFailed = new AtomicBoolean();
        node.node.interfere("sys/bus/pci/drivers/vfio-pci/bind", () -> {
            if (!hasFailed.getAndSet(true)) {
                throw new IOException("Cannot allocate memory");
            }
        });
        assertThat(error("mine")).contains("Claim default/mine cannot be prepared", "Cannot allocate memory");

        assertThat(error("yours")).contains("cannot be prepared");
        assertThat(error("mine")).isEmpty();
    }

    @Test
    void claimThatIsRefusedHasNothing() throws Exception {
        node.node.fallOff(new PciAddress(0, 0x3b, 1, 0));
        assertThat(node.server.await(slices -> slices.toString().contains("edgeplug.io/unhealthy")))
                .isNotEmpty();
        node.allocate("mine", VF0_NAME);

        assertThat(error("mine")).contains("does not answer on PCI");
        assertThat(node.claims()).isEmptyDirectory();
        Seen.untilSo("no holder", () -> node.holder(VF0).isEmpty());
    }

    @Test
    void claimThatIsReleasedAfterAReloadDoesNotComeBackWithItsPreparationOfBefore() throws Exception {
        CountDownLatch isBinding = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        node.node.interfere("sys/bus/pci/drivers/vfio-pci/bind", () -> {
            isBinding.countDown();
            try {
                boolean ignored = goesOn.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new IOException("interrupted", e);
            }
        });
        node.allocate("mine", VF0_NAME);
        // The reload closes the socket before there is an answer.
        Thread asker = Thread.ofVirtual()
                .start(() ->
                        assertThatThrownBy(() -> node.kubelet.prepare("mine")).isNotNull());
        assertThat(isBinding.await(20, TimeUnit.SECONDS)).isTrue();
        node.reload();
        PluginInfo ignored = node.kubelet.register();
        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();

        try (LogLines log = LogLines.open()) {
            goesOn.countDown();
            assertThat(log.await("laim default/mine").getFirst())
                    .endsWith("edgeplug has read its configuration again meanwhile");
        }
        asker.join();
        assertThat(node.claims()).isEmptyDirectory();
        assertThat(node.specifications()).isEmpty();
    }

    @Test
    void deviceOfAClaimWhoseNoteIsDamagedKeepsItsDriverUntilTheClaimIsReleased() throws Exception {
        node.allocate("mine", VF0_NAME);
        node.allocate("yours", VF1_NAME);
        assertThat(error("mine")).isEmpty();
        assertThat(error("yours")).isEmpty();
        node.stopDaemon();
        Files.writeString(node.claims().resolve("uid-of-mine.json"), "{");
        try (LogLines log = LogLines.open()) {
            node.startDaemon();
            PluginInfo ignored = node.kubelet.register();
            // The thread that follows the holders has looked at all drivers by then.
            assertThat(log.await("0000:3b:01.1: held by ")).hasSize(1);
            assertThat(node.node.sysfs().linkName("sys/bus/pci/devices/" + VF0 + "/driver"))
                    .contains("vfio-pci");
            assertThat(log.with("returned to its host driver iavf")).isEmpty();

            assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
            assertThat(log.await(VF0 + ": returned to its host driver iavf")).hasSize(1);
        }
    }

    @Test
    void socketsThatSomebodyDeletesAreMadeAgain() throws Exception {
        Files.delete(directory.resolve("plugins_registry/edgeplug.io-reg.sock"));
        PluginInfo ignored = node.kubelet.register();
        node.allocate("mine", VF0_NAME);

        assertThat(error("mine")).isEmpty();
    }
}
