package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.HealthCheck;
import io.edgeplug.node.scan.HealthScan;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong with devices of other machines than the demo's. */
final class HealthScanTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void inactivePortAndErrorsOfAnFpgaPortAreTold() throws Exception {
        Path hca = machine("ib-hca");
        for (String port : List.of("ib0", "ib1")) {
            Files.writeString(hca.resolve("sys/class/net/" + port + "/carrier"), "1\n");
        }
        assertThat(problems(hca, HealthCheck.LINK)).contains("port 2 of mlx4_0 is not active: 1: DOWN");

        Path card = machine("dfl-fpga");
        Path errors = card.resolve("sys/bus/platform/devices/dfl-port.0/errors/errors");
        Files.createDirectories(errors.getParent());
        Files.writeString(errors, "0x0\n");
        assertThat(problems(card, HealthCheck.PORT_ERRORS)).isEmpty();
        Files.writeString(errors, "0x40\n");
        assertThat(problems(card, HealthCheck.PORT_ERRORS)).containsExactly("dfl-port.0 has errors: 0x40");
    }

    /** The scan of the device knows the name from before. */
    @Test
    void linkIsNotDownWhereItsInterfaceHasAnotherNameMeanwhile() throws Exception {
        Path adapter = machine("two-ports-of-one-function");
        List<Device> devices = devices(adapter);
        assertThat(problems(adapter, devices, HealthCheck.PF_LINK)).contains("the link of enp4s0np1 is down");

        Path nets = adapter.resolve("sys/class/net");
        Files.move(nets.resolve("enp4s0np1"), nets.resolve("uplink1"));

        assertThat(problems(adapter, devices, HealthCheck.PF_LINK)).isEmpty();
    }

    @Test
    void portIsNotInactiveWhereItsRdmaDeviceHasAnotherNameMeanwhile() throws Exception {
        Path hca = machine("ib-hca");
        List<Device> devices = devices(hca);
        for (String port : List.of("ib0", "ib1")) {
            Files.writeString(hca.resolve("sys/class/net/" + port + "/carrier"), "1\n");
        }

        Path all = hca.resolve("sys/class/infiniband");
        Files.move(all.resolve("mlx4_0"), all.resolve("ibp3s0"));

        assertThat(problems(hca, devices, HealthCheck.LINK)).isEmpty();
    }

    private Path machine(String name) throws IOException {
        Path root = directory.resolve(name);
        SimulatedNode.unpack(Files.readString(Path.of("src/test/machines", name, "tree")), root)
                .close();
        return root;
    }

    /** Of all devices of a node. */
    private static List<String> problems(Path root, HealthCheck check) throws IOException {
        return problems(root, devices(root), check);
    }

    /** Of devices that were scanned before. */
    private static List<String> problems(Path root, List<Device> devices, HealthCheck check) {
        HealthScan health = new HealthScan(Sysfs.at(root));
        return devices.stream()
                .flatMap(device -> health.problem(device, Set.of(check)).stream())
                .toList();
    }

    private static List<Device> devices(Path root) throws IOException {
        return Inventory.scan(Sysfs.at(root), List.of()).items().stream()
                .map(Inventory.Item::device)
                .toList();
    }
}
