package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.AwaitedClaimsTest.isTrue;
import static io.edgeplug.api.dra.DraNode.VF0;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static io.edgeplug.api.dra.DraNode.VF1_NAME;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What was done for one pod of a claim, or for a device before it was pulled, is not taken for the next. */
@Timeout(90)
final class NextPodClaimsTest extends OnEarlyNode {

    private static final PciAddress THIRD = new PciAddress(0, 0x3b, 1, 2);
    private static final String THIRD_NAME = "0000-3b-01-2";

    @Override
    String classes() {
        return CLASSES.replace("driver = \"vfio-pci\"", "reset = \"flr\"");
    }

    private void plug() throws Exception {
        node.node.plug(DemoNode.thirdVf());
        assertThat(node.server.await(slices -> TestSlices.devices(slices).stream()
                        .anyMatch(device -> Json.text(device, "name").equals(THIRD_NAME)
                                && !device.toString().contains("edgeplug.io/unhealthy"))))
                .isNotEmpty();
    }

    private long preparations() {
        return node.node.acts().stream()
                .filter((THIRD + " reset by flr")::equals)
                .count();
    }

    /** A reload opens another driver. */
    @Test
    void deviceThatWasPulledIsPreparedAgainAlsoAfterAReload() throws Exception {
        plug();
        node.server.put(TestClaims.awaited("mine", THIRD_NAME));
        assertThat(isTrue("Ready")).accepts(node.server.awaitClaim("mine", isTrue("Ready")));
        assertThat(preparations()).isEqualTo(1);

        node.node.pull(THIRD);
        assertThat(node.server.await(slices -> slices.toString().contains("\"gone\"")))
                .isNotEmpty();
        plug();
        node.reload();
        PluginInfo ignored = node.kubelet.register();
        prepare("mine");

        assertThat(preparations()).isEqualTo(2);
    }

    /** Its last pod was deleted by force before anything was ready, so the kubelet releases the claim late. */
    @Test
    void claimIsPreparedForItsNextPodOnceTheKubeletHasReleasedItForTheLast() throws Exception {
        AtomicBoolean fails = new AtomicBoolean(true);
        node.node.interfere("sys/bus/pci/devices/" + VF0 + "/reset", () -> {
            if (fails.get()) {
                throw new IOException("Cannot allocate memory");
            }
        });
        node.allocate("mine", VF0_NAME);
        assertThat(error("mine")).contains("Cannot allocate memory");
        fails.set(false);

        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        // The next claim shows that the news of the first one were read.
        node.server.put(TestClaims.awaited("yours", VF1_NAME));
        assertThat(isTrue("Ready")).accepts(node.server.awaitClaim("yours", isTrue("Ready")));
        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();

        assertThat(isTrue("Ready")).accepts(node.server.awaitClaim("mine", isTrue("Ready")));
    }

    /** Its last pod was deleted by force, and the kubelet has not released it yet. */
    @Test
    void claimIsNotReadyForItsNextPodBecauseItWasForTheLast() throws Exception {
        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        assertThat(isTrue("Ready")).accepts(node.server.awaitClaim("mine", isTrue("Ready")));
        prepare("mine");
        JsonObject next = TestClaims.awaited("mine", VF0_NAME);
        Json.object(Json.object(next, "status"), "allocation")
                .addProperty("allocationTimestamp", "2026-11-29T12:00:00Z");
        node.server.put(next);
        // The next claim shows that the status of the first one was looked at.
        node.server.put(TestClaims.awaited("yours", VF1_NAME));
        assertThat(isTrue("Ready")).accepts(node.server.awaitClaim("yours", isTrue("Ready")));
        assertThat(isTrue("Ready")).rejects(node.server.claim("mine"));
        assertThat(resets()).isEqualTo(1);

        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
        assertThat(isTrue("Ready")).accepts(node.server.awaitClaim("mine", isTrue("Ready")));
        assertThat(resets()).isEqualTo(2);
    }
}
