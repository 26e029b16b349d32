package io.edgeplug.cli.devices;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.system.files.PciIds;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ColumnTableTest {

    private static final String LONG = "usb-FTDI_FT232R_USB_UART_A5069RR4-if00-port0-on-the-third-hub";

    private static ColumnTable table(String id) {
        return new ColumnTable(
                List.of(Column.DEVICE, Column.KIND, Column.RESOURCE, Column.HEALTH),
                List.of(new Item(device(id), Optional.empty())),
                new Column.Sources(PciIds.NONE, DeviceHolders.UNKNOWN, ClaimedDevices.UNKNOWN));
    }

    private static PathDevice device(String id) {
        return new PathDevice(
                id, List.of(new PathDevice.File("/dev/" + id, Optional.empty())), Optional.empty(), Health.HEALTHY);
    }

    @Test
    void longIdIsCutInTheMiddleToTheWidthOfATerminal() {
        assertThat(table(LONG).lines(true, 60))
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(60))
                .anyMatch(
                        line -> line.startsWith("usb-FTDI_") && line.contains("…") && line.contains("third-hub  path"));
    }

    @Test
    void longIdIsWholeWhereItIsPipedAndWhereItFits() {
        assertThat(table(LONG).lines(true, Integer.MAX_VALUE))
                .element(1)
                .asString()
                .startsWith(LONG + "  path");
        assertThat(table(LONG).lines(true, 200)).element(1).asString().startsWith(LONG + "  path");
        assertThat(table("tty0").lines(false, 10)).singleElement().asString().startsWith("tty0  path");
    }

    @Test
    void rowIsNotFoldedForItsLastWordAndThenAResourceIsCutToo() {
        String resource = "example.com/sriov_netdevice_of_the_first_adapter";
        PathDevice device = new PathDevice(
                "0000:5e:00.0-region0",
                List.of(new PathDevice.File("/dev/x", Optional.empty())),
                Optional.empty(),
                Health.HEALTHY);
        ColumnTable table = new ColumnTable(
                List.of(Column.DEVICE, Column.KIND, Column.IDS, Column.RESOURCE, Column.HEALTH),
                List.of(
                        new Item(device, Optional.of(DeviceClass.of(ResourceName.parse(resource), Kind.PATH))),
                        new Item(
                                device.withHealth(Health.unhealthy("its node GUID is zero: not configured yet")),
                                Optional.empty())),
                new Column.Sources(PciIds.NONE, DeviceHolders.UNKNOWN, ClaimedDevices.UNKNOWN));

        assertThat(table.lines(false, 60))
                .element(0)
                .asString()
                .hasSizeLessThanOrEqualTo(60)
                .startsWith("0000:5…gion0  path")
                .contains("example.com/")
                .endsWith("adapter  healthy");
        assertThat(table.lines(false, Integer.MAX_VALUE)).element(0).asString().contains(resource);
    }

    @Test
    void tableWithoutRowsHasOnlyItsHeadings() {
        ColumnTable table = new ColumnTable(
                List.of(Column.DEVICE, Column.HEALTH),
                List.of(),
                new Column.Sources(PciIds.NONE, DeviceHolders.UNKNOWN, ClaimedDevices.UNKNOWN));

        assertThat(table.lines(false, 60)).isEmpty();
        assertThat(table.lines(true, 60)).containsExactly("DEVICE  HEALTH");
    }

    @Test
    void idsThatAreCutStayDifferent() {
        ColumnTable table = new ColumnTable(
                List.of(Column.DEVICE, Column.KIND, Column.RESOURCE, Column.HEALTH),
                List.of(
                        new Item(device("usb-Scope_Instruments_DSO2000_7A31-if00-port0"), Optional.empty()),
                        new Item(device("usb-Scope_Instruments_DSO2000_7A31-if01-port0"), Optional.empty())),
                new Column.Sources(PciIds.NONE, DeviceHolders.UNKNOWN, ClaimedDevices.UNKNOWN));

        assertThat(table.lines(true, 40))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("DEVICE"),
                        line -> assertThat(line).startsWith("usb-Sco…0-port0  path"),
                        line -> assertThat(line).startsWith("usb-Sco…1-port0  path"));
    }

    @Test
    void rowIsNotFoldedForAnEmptyCellAtItsEnd() {
        ColumnTable table = new ColumnTable(
                List.of(Column.DEVICE, Column.HEALTH, Column.DRIVER, Column.NET),
                List.of(
                        new Item(device("tty0"), Optional.empty()),
                        new Item(
                                device("tty1").withHealth(Health.unhealthy("its link leads nowhere")),
                                Optional.empty())),
                new Column.Sources(PciIds.NONE, DeviceHolders.UNKNOWN, ClaimedDevices.UNKNOWN));

        assertThat(table.lines(false, 30).getFirst()).isEqualTo("tty0  healthy");
        assertThat(table.lines(false, 80).getFirst()).matches("tty0  healthy +- +-");
        assertThat(table.lines(false, Integer.MAX_VALUE).getFirst()).matches("tty0  healthy +- +-");
    }
}
