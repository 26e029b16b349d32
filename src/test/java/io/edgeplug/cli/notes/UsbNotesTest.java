package io.edgeplug.cli.notes;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.cli.Console;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code check} says of classes for USB devices, on the machine {@code usb-hub}. */
final class UsbNotesTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void otherProductOfTheVendorIsNamed() throws IOException {
        assertThat(check("usb", "vendors = [\"1a86\"], products = [\"5523\"]")).isEqualTo("""
                example.com/a: kind usb, no devices here
                note: example.com/a: no device of this node matches
                note: example.com/a: 1-4.1, 1-4.2 would match but for "products 5523": it has 7523
                """);
    }

    @Test
    void driverThatIsCalledAsItsModuleIsNoted() throws IOException {
        assertThat(check("usb", "vendors = [\"0403\"], drivers = [\"ftdi-sio\"]"))
                .endsWith(
                        "note: example.com/a: there is no driver \"ftdi-sio\", did you mean \"ftdi_sio\"? a module and "
                                + "its driver may have different names\n");
    }

    @Test
    void devicesWithTheSameSerialNumberNeedAnotherId() throws IOException {
        assertThat(check("usb", "drivers = [\"cp210x\"]")).isEqualTo("""
                example.com/a: kind usb, 1 device here, healthy
                note: example.com/a: a device is left out: 1-4.4: another device has the ID 10c4-ea60-0001; \
                the key id gives other IDs, such as id = "port"
                """);
    }

    @Test
    void serialNumberIsNoPatternOfAShell() throws IOException {
        assertThat(check("usb", "serials = [\"A50[0-9]*\"]"))
                .contains("note: example.com/a: serials: \"A50[0-9]*\" is taken literally: only * and ? are patterns");
    }

    @Test
    void pathWithBusAndDeviceNumbersIsNoted() throws IOException {
        assertThat(check("path", "paths = [\"/dev/bus/usb/001/002\"]")).isEqualTo("""
                example.com/a: kind path, 1 device here, healthy
                note: example.com/a: paths: bus and device numbers change each time that a device is plugged in: \
                /dev/bus/usb/001/002; a class of kind usb takes devices by what they are
                """);
    }

    @Test
    void directoryOfAllBusesHasNoNumber() throws IOException {
        assertThat(check("path", "paths = [\"/dev/bus/usb/\", \"/dev/ttyUSB0\"]"))
                .doesNotContain("note:");
    }

    private String check(String kind, String match) throws IOException {
        Path config = Files.writeString(directory.resolve("edgeplug.toml"), """
                [[class]]
                resource = "example.com/a"
                kind = "%s"
                match = { %s }
                """.formatted(kind, match));
        Console console = new Console();
        String tree = Files.readString(Machine.file("usb-hub", "tree"));
        try (SimulatedNode node = SimulatedNode.unpack(tree, directory.resolve("node"))) {
            assertThat(console.execute("check", "--sysroot", node.root().toString(), "--config", config.toString()))
                    .isZero();
        }
        return console.text();
    }
}
