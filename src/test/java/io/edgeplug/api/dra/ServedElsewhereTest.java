package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.proto.pluginregistration.PluginInfo;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** B8. A claim whose recipe has failed once is prepared at the next try, also if the daemon serves elsewhere meanwhile. */
@Timeout(90)
final class ServedElsewhereTest extends OnDraNode {

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void recipeThatFailedIsTriedAgainForItsClaim(boolean isReloaded) throws Exception {
        node.allocate("mine", VF0_NAME);
        AtomicBoolean hasFailed = new AtomicBoolean();
        node.node.interfere("sys/bus/pci/drivers/vfio-pci/bind", () -> {
            if (!hasFailed.getAndSet(true)) {
                throw new IOException("Cannot allocate memory");
            }
        });
        assertThat(error("mine")).contains("Claim default/mine cannot be prepared", "Cannot allocate memory");
        if (isReloaded) {
            node.reload();
            PluginInfo ignored = node.kubelet.register();
        }

        assertThat(error("mine")).isEmpty();
    }
}
