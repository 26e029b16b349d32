package io.edgeplug.system.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.system.kernel.OtherLinks.Entry;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OtherLinksTest {

    private static final Entry FEIGNED = new Entry(1, 2, "ens1f0v1", false, false);
    private static final Entry REAL = new Entry(2, 7, "net1", true, true);

    /** A pod makes an interface with the hardware address of another pod's. */
    @Test
    void interfaceOfTheDeviceCountsAndNotOneWithItsHardwareAddress() {
        assertThat(OtherLinks.ofDevice(List.of(FEIGNED, REAL))).containsExactly(REAL);
    }

    @Test
    void olderKernelTellsOnlyHardwareAddresses() {
        assertThat(OtherLinks.ofDevice(List.of(FEIGNED))).containsExactly(FEIGNED);
        assertThat(OtherLinks.ofDevice(Collections.nCopies(3000, FEIGNED))).hasSize(16);
    }
}
