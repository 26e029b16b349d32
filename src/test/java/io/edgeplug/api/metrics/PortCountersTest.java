package io.edgeplug.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.api.kubelet.TestDaemon;
import io.edgeplug.model.device.PciAddress;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is read of the kernel's counters. */
@Timeout(60)
final class PortCountersTest {

    private static final PciAddress PF = new PciAddress(0, 0x3b, 0, 0);

    @TempDir
    private Path directory = Path.of("");

    @Test
    void countersOfAVfAreThoseThatItsPfHas() throws Exception {
        try (Closing closing = new Closing()) {
            Path kubeletDir = directory.resolve("device-plugins");
            TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir));
            write(daemon, "sys/bus/pci/devices/" + PF + "/sriov/1/stats", """
                    tx_packets    : 5011
                    rx_bytes      : 1450732
                    rx_dropped    : 2
                    rx_broadcast  : 7
                    tx_bytes      : garbage
                    """);

            StringWriter text = new StringWriter();
            new Scrape(daemon.view(), daemon.node.sysfs(), false).write(text);

            assertThat(text.toString().lines().filter(line -> line.startsWith("edgeplug_vf_")))
                    .containsExactlyInAnyOrder(
                            "edgeplug_vf_receive_bytes_total{device=\"0000:3b:01.1\",pci_address=\"0000:3b:01.1\",pf=\"ens1f0\"} 1450732.0",
                            "edgeplug_vf_receive_dropped_total{device=\"0000:3b:01.1\",pci_address=\"0000:3b:01.1\",pf=\"ens1f0\"} 2.0",
                            "edgeplug_vf_transmit_packets_total{device=\"0000:3b:01.1\",pci_address=\"0000:3b:01.1\",pf=\"ens1f0\"} 5011.0");
        }
    }

    private static void write(TestDaemon daemon, String path, String text) throws Exception {
        Path file = daemon.node.root().resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
