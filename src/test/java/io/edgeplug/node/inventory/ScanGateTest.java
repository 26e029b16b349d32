package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PlatformFpga;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class ScanGateTest {

    private static final Device OTHER = new PlatformFpga("f8007000.devcfg", Optional.empty(), Health.HEALTHY);
    private static final PciAddress FUNCTION = new PciAddress(0, 0x3b, 1, 0);

    private final ScanGate gate = new ScanGate();

    /** A reset of another function must not wait for a scan that hangs. */
    @Test
    void onlyTheFunctionThatIsScannedWaits() throws Exception {
        CountDownLatch looks = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread scan = Thread.ofPlatform()
                .start(() -> gate.unlessClosed(FUNCTION, () -> {
                    looks.countDown();
                    boolean ignored = await(end);
                }));
        assertThat(looks.await(10, TimeUnit.SECONDS)).isTrue();

        Thread other = Thread.ofPlatform().start(() -> gate.close(OTHER));

        assertThat(other.join(Duration.ofSeconds(10))).isTrue();
        assertThat(gate.isClosed(OTHER)).isTrue();
        end.countDown();
        assertThat(scan.join(Duration.ofSeconds(10))).isTrue();
    }

    private static boolean await(CountDownLatch end) {
        try {
            return end.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
