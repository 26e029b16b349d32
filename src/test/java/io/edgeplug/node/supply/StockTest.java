package io.edgeplug.node.supply;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.system.flow.Latest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StockTest {

    @TempDir
    private Path directory = Path.of("");

    /** One thread tells bad news, and another looks at all files meanwhile: what that one found stays told. */
    @Test
    void badNewsHidesNoProblem() throws Exception {
        List<Device> devices = devices();
        String gone = devices.getFirst().id();
        Device here = devices.getLast();
        Map<String, String> problems = Map.of(here.id(), "its file is not there");
        Latest<Stock> stock = new Latest<>(Stock.EMPTY, Stock::number);
        stock.change(before -> before.next(devices, 1, List.of(), Map.of(), Map.of()));

        stock.change(before -> before.next(devices, 1, List.of(), Map.of(), problems));
        stock.change(before -> before.withBadNews(devices.subList(1, devices.size())));

        assertThat(stock.get().problems()).isEqualTo(problems);
        assertThat(stock.get().devices()).extracting(Device::id).doesNotContain(gone);
        assertThat(stock.get().devices().getLast().health().problem()).contains("its file is not there");
        assertThat(stock.get().number()).isEqualTo(3);
    }

    /** A device that comes back waits for the look at its files. */
    @Test
    void goodNewsIsNoBadNews() throws Exception {
        List<Device> devices = devices();
        Stock stock = Stock.EMPTY.next(devices.subList(1, devices.size()), 1, List.of(), Map.of(), Map.of());

        assertThat(stock.withBadNews(devices)).isSameAs(stock);
    }

    private List<Device> devices() throws Exception {
        List<DeviceClass> classes =
                ConfigFiles.read(Machine.file("vfio-groups", "class.toml")).classes();
        try (SimulatedNode node =
                SimulatedNode.unpack(Files.readString(Machine.file("vfio-groups", "tree")), directory)) {
            return List.copyOf(Inventory.scan(node.sysfs(), classes).devices());
        }
    }
}
