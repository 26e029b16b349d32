package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.UsbPort;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.node.scan.UsbScan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the cluster is told of USB devices. */
final class UsbAttributesTest {

    private static final DeviceClass SERIAL = DeviceClass.of(
            ResourceName.parse("example.com/serial"),
            Kind.USB,
            new Selector(Map.of(SelectorWord.SERIALS, List.of("A5028*"))));

    @TempDir
    Path directory;

    @Test
    void usbDeviceIsKnownByItsIdsItsPortItsSerialNumberAndItsController() throws Exception {
        try (SimulatedNode node = SimulatedNode.unpack(
                Files.readString(Path.of("src/test/machines/usb-devices/tree")), directory.resolve("node"))) {
            UsbScan scan = new UsbScan(node.sysfs());

            JsonObject adapter =
                    DeviceAttributes.of(SERIAL, scan.device(new UsbPort("1-6")).orElseThrow());
            JsonObject radio = DeviceAttributes.of(
                    SERIAL, scan.device(new UsbPort("1-4.1")).orElseThrow());

            assertThat(List.of("kind", "usbVendor", "usbProduct", "usbPort", "usbSerial", "usbController", "driver"))
                    .extracting(
                            name -> adapter.getAsJsonObject(name).get("string").getAsString())
                    .containsExactly("usb", "0403", "6001", "1-6", "A50285BI", "0000:00:14.0", "ftdi_sio");
            assertThat(adapter.getAsJsonObject("resource.kubernetes.io/numaNode"))
                    .hasToString("{\"int\":0}");
            assertThat(radio.keySet()).doesNotContain("usbSerial");
        }
    }
}
