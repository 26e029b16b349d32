package io.edgeplug.lab.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.system.udev.Uevent;
import io.edgeplug.system.udev.UeventSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a number of VFs that is written, as with the kernel's own. */
@Timeout(10)
final class SimulatedVfsTest {

    private static final String PF = "sys/bus/pci/devices/0000:41:00.0/";
    private static final String SECOND = "sys/bus/pci/devices/0000:41:10.2/";

    private static final String TREE = """
            [sys/devices/pci0000:40/0000:41:00.0]
            vendor = 0x8086
            driver -> ../../../bus/pci/drivers/igb
            sriov_totalvfs = 7
            sriov_numvfs = 0
            sriov_offset = 128
            sriov_stride = 2
            sriov_vf_device = 10ca
            sriov_drivers_autoprobe = 1
            [sys/bus/pci]
            drivers/igb/bind = x
            drivers/igbvf/bind = x
            devices/0000:41:00.0 -> ../../../devices/pci0000:40/0000:41:00.0
            """;

    @TempDir
    private Path root = Path.of("");

    @AutoClose
    private SimulatedNode node;

    @BeforeEach
    void unpack() throws IOException {
        node = SimulatedNode.unpack(TREE, root);
    }

    @Test
    void vfsAreMadeBoundAnnouncedAndRemoved() throws IOException {
        try (UeventSource uevents = node.uevents()) {
            node.sysfs().write(PF + "sriov_numvfs", "2");

            assertThat(node.sysfs().linkName(PF + "virtfn1")).contains("0000:41:10.2");
            assertThat(node.sysfs().linkName(SECOND + "physfn")).contains("0000:41:00.0");
            assertThat(node.sysfs().linkName(SECOND + "driver")).contains("igbvf");
            node.sysfs().write(PF + "sriov_numvfs", "0");

            assertThat(node.sysfs().exists(SECOND)).isFalse();
            assertThat(node.sysfs().exists(PF + "virtfn0")).isFalse();
            assertThat(Stream.generate(() -> uevents.next().orElseThrow()).limit(6))
                    .extracting(Uevent::action)
                    .containsExactly("add", "bind", "add", "bind", "remove", "remove");
        }
    }

    @Test
    void vfsThatTheKernelMustNotProbeHaveNoDriver() throws IOException {
        node.sysfs().write(PF + "sriov_drivers_autoprobe", "0");
        node.sysfs().write(PF + "sriov_numvfs", "2");

        assertThat(node.sysfs().exists(SECOND + "driver")).isFalse();
    }

    @Test
    void numberIsRefusedAsByTheKernel() throws IOException {
        node.sysfs().write(PF + "sriov_numvfs", "2");

        assertThatThrownBy(() -> node.sysfs().write(PF + "sriov_numvfs", "3"))
                .hasMessage("write sriov_numvfs: Device or resource busy");
        assertThatThrownBy(() -> node.sysfs().write(PF + "sriov_numvfs", "8"))
                .hasMessage("write sriov_numvfs: Numerical result out of range");
    }
}
