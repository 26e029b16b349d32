package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Devices that could not be prepared before their pods were bound. */
@Timeout(90)
final class FailedDevicesTest extends OnEarlyNode {

    private static final String TAINT = "edgeplug.io/unhealthy";

    @Test
    void deviceIsTriedAgainAfterAWhileAlsoIfAReloadWasInBetween() throws Exception {
        List<JsonObject> first = node.server.await(slices -> slices.toString().contains("bindingConditions"));
        node.node.interfere("sys/bus/pci/drivers/vfio-pci/bind", () -> {
            throw new IOException("Cannot allocate memory");
        });
        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        JsonObject failed = node.server.awaitClaim(
                "mine", claim -> claim.toString().contains("PreparationFailed\",\"status\":\"True"));
        node.server.put(TestClaims.deallocated("mine"));
        node.reload();
        PluginInfo ignored = node.kubelet.register();
        assertThat(node.server.await(slices -> slices.toString().contains(TAINT)))
                .isNotEmpty();

        assertThat(node.offers(Duration.ofMinutes(5)).now()).isNotEmpty();
        assertThat(node.server.slices().toString()).contains(TAINT);
        assertThat(node.offers(Duration.ZERO).now()).isNotEmpty();
        assertThat(node.server.await(slices -> !slices.toString().contains(TAINT)))
                .isNotEmpty();
        assertThat(List.of(first, failed)).doesNotContainNull();
    }
}
