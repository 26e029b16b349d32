package io.edgeplug.node.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Fpga;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FpgaScanTest {

    private static final PciAddress ADDRESS = new PciAddress(0, 0x5e, 0, 0);

    @TempDir
    private Path root = Path.of("");

    @Test
    void platformFpgaThatIsNotOperatingSaysItsState() throws IOException {
        write("sys/devices/platform/f8007000.devcfg/fpga_manager/fpga0/state", "write init error");
        Path manager = root.resolve("sys/devices/platform/f8007000.devcfg/fpga_manager/fpga0");
        Files.createSymbolicLink(manager.resolve("device"), Path.of("../../../f8007000.devcfg"));
        Files.createDirectories(root.resolve("sys/class/fpga_manager"));
        Files.createSymbolicLink(
                root.resolve("sys/class/fpga_manager/fpga0"),
                Path.of("../../devices/platform/f8007000.devcfg/fpga_manager/fpga0"));

        assertThat(scan().withoutFunction()).singleElement().satisfies(fpga -> {
            assertThat(fpga.id()).isEqualTo("f8007000.devcfg");
            assertThat(fpga.health().problem()).contains("its FPGA manager says write init error");
        });
    }

    @Test
    void functionIsAllItsRegionsWithPortsAndNoDeviceBeside() throws IOException {
        String function = "sys/bus/pci/devices/" + ADDRESS + "/";
        write(function + "vendor", "0x8086");
        write(function + "fpga_region/region0/dfl-port.0/afu_id", "d8424dc4a4a3c413f89e433683f9040b");
        write(function + "fpga_region/region1/dfl-fme.0/ports_num", "1");
        write(function + "fpga_region/region2/dfl-port.1/afu_id/in/the/way", "");

        assertThat(scan().function(ADDRESS))
                .extracting(Device::id)
                .containsExactly("0000:5e:00.0-region0", "0000:5e:00.0-region2");
        assertThat(scan().function(ADDRESS))
                .extracting(device -> device.health().problem().orElse("none"))
                .containsExactly("none", "read afu_id: Is a directory");
    }

    @Test
    void regionTellsWhatFitsItAndIsUnhealthyWhereThatReadsAllOnes() throws IOException {
        String region = "sys/bus/pci/devices/" + ADDRESS + "/fpga_region/region0/";
        String compatId = region + "dfl-fme.0/dfl-fme-region.2/fpga_region/region1/compat_id";
        write("sys/bus/pci/devices/" + ADDRESS + "/vendor", "0x8086");
        write(region + "dfl-port.0/afu_id", "d8424dc4a4a3c413f89e433683f9040b");
        write(compatId, "9346116d52ad20c82b7e3e0d0bd9c2c9");

        assertThat(fpga().compatId()).contains("9346116d52ad20c82b7e3e0d0bd9c2c9");
        assertThat(fpga().health()).isEqualTo(Health.HEALTHY);

        write(compatId, "f".repeat(32));
        assertThat(fpga().health().problem()).contains("its firmware has crashed: compat_id reads all ones");
    }

    /** The core of the drivers makes the node of a port, but only that of the port opens it and reads the image. */
    @Test
    void portWithoutItsDriverCannotBeUsed() throws IOException {
        String function = "sys/bus/pci/devices/" + ADDRESS + "/";
        write(function + "vendor", "0x8086");
        write(function + "fpga_region/region0/dfl-port.0/dev", "240:0");
        assertThat(fpga().health().problem())
                .contains("dfl-port.0 has no afu_id: its driver is not loaded, run modprobe dfl-afu");

        write(function + "fpga_region/region0/dfl-port.0/afu_id", "d8424dc4a4a3c413f89e433683f9040b");
        assertThat(fpga().health()).isEqualTo(Health.HEALTHY);
    }

    @Test
    void functionWithAnFpgaManagerAndNoRegionsIsOneFpga() throws IOException {
        String function = "sys/bus/pci/devices/" + ADDRESS + "/";
        write(function + "vendor", "0x1172");
        write(function + "fpga_manager/fpga0/name", "Altera CvP FPGA Manager @" + ADDRESS);
        write(function + "fpga_manager/fpga0/state", "operating");

        assertThat(fpga().id()).isEqualTo(ADDRESS.toString());
        assertThat(fpga().health()).isEqualTo(Health.HEALTHY);

        write(function + "fpga_manager/fpga0/state", "power off");
        assertThat(fpga().health().problem()).contains("its FPGA manager says power off");
    }

    private Fpga fpga() {
        return (Fpga) scan().function(ADDRESS).getFirst();
    }

    private DeviceScan scan() {
        return new DeviceScan(Sysfs.at(root));
    }

    private void write(String path, String value) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, value + "\n");
    }
}
