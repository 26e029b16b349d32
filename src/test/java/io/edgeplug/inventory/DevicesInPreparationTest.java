package io.edgeplug.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.device.Device;
import io.edgeplug.device.Health;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PlatformFpga;
import io.edgeplug.linux.Uevent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class DevicesInPreparationTest {

    private static final Device DEVICE = new PlatformFpga("f8007000.devcfg", Optional.empty(), Health.HEALTHY);
    private static final String PATH = "/devices/soc/f8007000.devcfg";
    private static final PciAddress FUNCTION = new PciAddress(0, 0x3b, 1, 0);

    private final DevicesInPreparation inPreparation = new DevicesInPreparation();

    /** A scan of thousands of functions looks all the time: uevents that waited for it came a second late. */
    @Test
    void ueventDoesNotWaitForWhoLooksAtAFunction() throws Exception {
        CountDownLatch looks = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Boolean> look = new CompletableFuture<>();
        Thread.ofPlatform()
                .start(() -> inPreparation.unlessInPreparation(FUNCTION, () -> {
                    looks.countDown();
                    look.complete(await(end));
                }));
        assertThat(looks.await(10, TimeUnit.SECONDS)).isTrue();

        Thread listener = Thread.ofPlatform()
                .start(() -> inPreparation.allowRetry(new Uevent("change", "/devices/pci0000:3a/" + FUNCTION, "pci")));

        assertThat(listener.join(Duration.ofSeconds(10))).isTrue();
        end.countDown();
        assertThat(look.get(10, TimeUnit.SECONDS)).isTrue();
    }

    private static boolean await(CountDownLatch end) {
        try {
            return end.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Test
    void deviceThatIsPulledRightAfterItCouldNotBePreparedHasAnotherChance() {
        fail();

        inPreparation.allowRetry(new Uevent("remove", PATH, "platform"));

        assertThat(isHealthy()).isTrue();
    }

    @Test
    void echoOfAPreparationThatFailedIsNoChance() {
        fail();

        inPreparation.allowRetry(new Uevent("remove", PATH + "/fpga_manager/fpga0", "fpga_manager"));
        inPreparation.allowRetry(new Uevent("add", PATH, "platform"));

        assertThat(isHealthy()).isFalse();
    }

    private void fail() {
        inPreparation.begin(DEVICE);
        inPreparation.end(DEVICE, Optional.of("could not be prepared"));
    }

    private boolean isHealthy() {
        return inPreparation.judged(List.of(DEVICE)).getFirst().health().isHealthy();
    }
}
