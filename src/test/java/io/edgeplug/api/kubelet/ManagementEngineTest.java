package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.node.container.IommuGroups;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.system.files.Sysfs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ManagementEngineTest {

    private static final Pattern ENGINE_LINE = Pattern.compile("(?m)^.*intel-fpga-fme\\.0.*\n");

    @TempDir
    private Path directory = Path.of("");

    @Test
    void regionWithoutTheEngineThatItsClassAsksForCannotBeHandedOver() throws Exception {
        String tree = Files.readString(Machine.file("opae-legacy", "tree"));

        assertThat(problem(tree, "with")).isEmpty();
        assertThat(problem(ENGINE_LINE.matcher(tree).replaceAll(""), "without"))
                .contains("it has no management engine, which fpga_management asks for: only a card's PF has one");
    }

    private String problem(String tree, String name) throws Exception {
        DeviceClass deviceClass = ConfigFiles.read(Machine.file("opae-legacy", "class.toml"))
                .classes()
                .getFirst();
        try (SimulatedNode node = SimulatedNode.unpack(tree, directory.resolve(name))) {
            Sysfs sysfs = node.sysfs();
            List<Device> devices = Inventory.scan(sysfs, List.of(deviceClass)).devices(deviceClass.resource());
            assertThat(devices).hasSize(1);
            return Equipment.of(deviceClass, devices.getFirst(), IommuGroups.of(devices))
                    .problem()
                    .orElse("");
        }
    }
}
