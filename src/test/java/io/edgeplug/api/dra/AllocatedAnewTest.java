package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.VF0;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static io.edgeplug.api.dra.DraNode.VF1_NAME;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.Seen;
import io.edgeplug.proto.dra.v1.Device;
import io.edgeplug.proto.dra.v1.NodePrepareResourceResponse;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims that have lost their devices and got others, while the kubelet had lost its notes and has released nothing. */
@Timeout(90)
final class AllocatedAnewTest extends OnDraNode {

    @Override
    String classes() {
        return DraNode.CLASSES.replace("driver = \"vfio-pci\"", "reset = \"flr\"");
    }

    private void allocate(String time, String device) {
        JsonObject claim = TestClaims.allocated("mine", device);
        Json.object(Json.object(claim, "status"), "allocation").addProperty("allocationTimestamp", time);
        node.server.put(claim);
    }

    private static List<String> names(NodePrepareResourceResponse answer) {
        assertThat(answer.getError()).isEmpty();
        return answer.getDevicesList().stream().map(Device::getDeviceName).toList();
    }

    @Test
    void claimGetsTheDeviceThatItHasNowAndLosesTheOther() throws Exception {
        node.allocate("mine", VF0_NAME);
        assertThat(names(node.kubelet.prepare("mine"))).containsExactly(VF0_NAME);
        node.allocate("mine", VF1_NAME);

        assertThat(names(node.kubelet.prepare("mine"))).containsExactly(VF1_NAME);
        assertThat(node.specification("mine")).contains("0000:3b:01.1").doesNotContain(VF0);
        Seen.untilSo("no holder", () -> node.holder(VF0).isEmpty());
    }

    @Test
    void sameDeviceIsPreparedAgainForTheNextAllocation() throws Exception {
        allocate("2026-11-27T12:00:00Z", VF0_NAME);
        assertThat(names(node.kubelet.prepare("mine"))).containsExactly(VF0_NAME);
        assertThat(names(node.kubelet.prepare("mine"))).containsExactly(VF0_NAME);
        assertThat(resets()).isEqualTo(1);
        allocate("2026-11-27T13:00:00Z", VF0_NAME);

        assertThat(names(node.kubelet.prepare("mine"))).containsExactly(VF0_NAME);
        assertThat(resets()).isEqualTo(2);
    }

    @Test
    void noteOfAnEarlierBuildIsComparedByItsDevices() throws Exception {
        allocate("2026-11-27T12:00:00Z", VF0_NAME);
        assertThat(names(node.kubelet.prepare("mine"))).containsExactly(VF0_NAME);
        node.stopDaemon();
        Path note = node.claims().resolve("uid-of-mine.json");
        Path unusedFile =
                Files.writeString(note, Files.readString(note).replaceFirst(",?\"allocation\":\"[^\"]*\"", ""));
        node.startDaemon();
        PluginInfo ignored = node.kubelet.register();

        assertThat(names(node.kubelet.prepare("mine"))).containsExactly(VF0_NAME);
        assertThat(resets()).isEqualTo(1);
        node.allocate("mine", VF1_NAME);
        assertThat(names(node.kubelet.prepare("mine"))).containsExactly(VF1_NAME);
    }

    @Test
    void claimWaitsWhileAPodOfItsLastAllocationMayRun() throws Exception {
        node.allocate("mine", VF0_NAME);
        assertThat(error("mine")).isEmpty();
        JsonObject next = TestClaims.allocated("mine", VF1_NAME);
        TestClaims.reservedFor(next).addProperty("uid", "uid-of-next-pod");
        node.server.put(next);
        node.runs("uid-of-pod-of-mine", true);

        assertThat(error("mine")).endsWith("it was allocated anew, and its last pod pod-of-mine has not ended yet");
        assertThat(node.holder(VF0)).isPresent();
        node.runs("uid-of-pod-of-mine", false);
        assertThat(names(node.kubelet.prepare("mine"))).containsExactly(VF1_NAME);
    }
}
