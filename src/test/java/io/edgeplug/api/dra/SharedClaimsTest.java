package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.VF0;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static io.edgeplug.api.dra.DraNode.VF1;
import static io.edgeplug.api.dra.TestSlices.devices;
import static io.edgeplug.api.dra.TestSlices.names;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.model.device.PciAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Devices of which several claims have a share each, where each share is a device of the slices. */
@Timeout(90)
final class SharedClaimsTest extends OnDraNode {

    @Override
    String classes() {
        return """
                [[class]]
                resource = "example.com/vf"
                kind = "vf"
                api = "dra"
                shares = 2
                prefer = "spread"
                match = { pf_names = ["ens1f0"] }
                [class.release]
                reset = "flr"
                """;
    }

    private static String share(String device, int number) {
        return DeviceNames.of(device + "::" + number);
    }

    @Test
    void eachShareIsADeviceAndThoseOfDifferentDevicesComeFirst() throws Exception {
        List<JsonObject> slices = node.server.await(all -> names(all).size() == 4);

        assertThat(names(slices)).containsExactly(share(VF0, 0), share(VF1, 0), share(VF0, 1), share(VF1, 1));
        assertThat(devices(slices))
                .extracting(one -> Json.text(Json.object(Json.object(one, "attributes"), "id"), "string"))
                .containsExactly(VF0, VF1, VF0, VF1);
    }

    @Test
    void claimsHaveAShareEachAndTheDeviceIsScrubbedAfterTheLast() throws Exception {
        node.allocate("mine", share(VF0, 0));
        node.allocate("yours", share(VF0, 1));
        node.allocate("theirs", share(VF0, 1));
        prepare("mine");
        prepare("yours");
        assertThat(error("theirs")).contains(" (claim yours)");
        assertThat(node.specification("yours")).contains("PCIDEVICE_EXAMPLE_COM_VF=" + VF0 + "\"");

        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
        node.allocate("next", share(VF0, 0));
        prepare("next");
        assertThat(resets()).isZero();
        try (LogLines log = LogLines.open()) {
            assertThat(node.kubelet.unprepare("yours").getError()).isEmpty();
            assertThat(node.kubelet.unprepare("next").getError()).isEmpty();
            assertThat(log.await(VF0 + ": scrubbed in ")).hasSize(1);
        }
        assertThat(resets()).isEqualTo(1);
    }

    @Test
    void claimWithSeveralSharesOfADeviceGetsItOnce() throws Exception {
        node.allocate("both", share(VF1, 0), share(VF1, 1));
        prepare("both");

        assertThat(node.specification("both")).contains("PCIDEVICE_EXAMPLE_COM_VF=" + VF1 + "\"");
    }

    @Test
    void deviceThatBreaksTaintsAllItsShares() throws Exception {
        node.node.fallOff(new PciAddress(0, 0x3b, 1, 0));

        List<JsonObject> slices =
                node.server.await(all -> all.toString().split("edgeplug.io/unhealthy", -1).length == 3);
        assertThat(devices(slices))
                .filteredOn(one -> one.has("taints"))
                .extracting(one -> Json.text(one, "name"))
                .containsExactly(share(VF0, 0), share(VF0, 1));
    }

    @Test
    void shareThatAClaimConsumesOfTheWholeDeviceIsNoOtherClaims() throws Exception {
        node.server.put(TestClaims.consuming("before", VF0_NAME, "1"));
        prepare("before");

        List<JsonObject> slices = node.server.await(all -> names(all).contains(VF0_NAME));
        assertThat(names(slices)).containsExactlyInAnyOrder(share(VF0, 1), share(VF1, 0), share(VF1, 1), VF0_NAME);
        node.allocate("mine", share(VF0, 0));
        assertThat(error("mine")).contains(" (claim before)");
        assertThat(node.kubelet.unprepare("before").getError()).isEmpty();
        assertThat(names(node.server.await(all -> !names(all).contains(VF0_NAME))))
                .contains(share(VF0, 0));
    }
}
