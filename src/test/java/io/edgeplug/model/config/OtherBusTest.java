package io.edgeplug.model.config;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys of PCI functions in a class for USB devices, and the other way round. */
final class OtherBusTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void keyOfAnotherBusIsToldWithTheOneThatSaysTheSame() throws Exception {
        ConfigDirectory config = new ConfigDirectory(directory);
        config.write("edgeplug.toml", """
                [[class]]
                resource = "example.com/a"
                kind = "usb"
                match = { devices = ["2838"], classes = ["0e"], pci_addresses = ["0000:3b:00.0"], pf_names = ["a"] }
                [[class]]
                resource = "example.com/b"
                kind = "vf"
                match = { products = ["1889"], serials = ["a"] }
                """);

        config.assertMistakes(
                "edgeplug.toml: line 4: class 1 (example.com/a): match.devices: does not apply to kind usb, did you mean products?",
                "edgeplug.toml: line 4: class 1 (example.com/a): match.classes: does not apply to kind usb, did you mean interface_classes?",
                "edgeplug.toml: line 4: class 1 (example.com/a): match.pci_addresses: does not apply to kind usb, did you mean ports?",
                "edgeplug.toml: line 4: class 1 (example.com/a): match.pf_names: does not apply to kind usb",
                "edgeplug.toml: line 8: class 2 (example.com/b): match.products: does not apply to kind vf, did you mean devices?",
                "edgeplug.toml: line 8: class 2 (example.com/b): match.serials: does not apply to kind vf");
    }
}
