package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PlatformFpga;
import io.edgeplug.system.udev.Uevent;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which uevents are of which device. */
final class PlaceTest {

    private static final Place FPGA = Place.of(new PlatformFpga("fpga1", Optional.empty(), Health.HEALTHY));
    private static final Place FUNCTION = Place.of(new PciAddress(0, 0x3b, 1, 2));

    @Test
    void deviceIsNamedByItsOwnUeventsAndThoseOfItsParts() {
        assertThat(FPGA.isNamedBy(of("add", "/devices/soc/fpga1"))).isTrue();
        assertThat(FPGA.isNamedBy(of("add", "/devices/soc/fpga1/fpga_manager/fpga0")))
                .isTrue();
    }

    @Test
    void deviceWhoseNameBeginsLikeAnothersIsNotNamedByThatOnesUevents() {
        assertThat(FPGA.isNamedBy(of("add", "/devices/soc/fpga10"))).isFalse();
    }

    @Test
    void functionIsNamedByWhatIsBehindItAndNotByAnotherFunctionThere() {
        assertThat(FUNCTION.isNamedBy(of("add", "/devices/pci0000:3a/0000:3b:01.2/net/eth0")))
                .isTrue();
        assertThat(FUNCTION.isNamedBy(of("add", "/devices/pci0000:3a/0000:3b:01.2/0000:3c:00.0")))
                .isFalse();
    }

    @Test
    void onlyTheDeviceItselfIsPulledAndNoPartOfIt() {
        assertThat(FPGA.isPulledBy(of("remove", "/devices/soc/fpga1"))).isTrue();
        assertThat(FPGA.isPulledBy(of("remove", "/devices/soc/fpga1/fpga_manager/fpga0")))
                .isFalse();
        assertThat(FPGA.isPulledBy(of("add", "/devices/soc/fpga1"))).isFalse();
    }

    private static Uevent of(String action, String devpath) {
        return new Uevent(action, devpath, "platform");
    }
}
