package io.edgeplug.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.PackageJvm;
import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.api.kubelet.TestDaemon;
import io.edgeplug.api.status.NodeStatus;
import io.edgeplug.api.status.NodeStatus.DeviceStatus;
import io.edgeplug.api.status.NodeStatus.ResourceStatus;
import io.edgeplug.api.status.StatusOfOne;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DriverBinding;
import io.edgeplug.model.device.DriverDevices;
import io.edgeplug.model.device.FunctionBuilder;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.NodeUse;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.RdmaPort;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Outcomes;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
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

    /** Reads the counters of a large node for all readers that there may be, beside what fills the rest of the heap. */
    static final class Readers {

        private Readers() {}

        public static void main(String[] args) {
            byte[] rest = new byte[32 << 20];
            RdmaPort port = new RdmaPort(1, "ACTIVE", "LinkUp", "Ethernet", "0xffff", "");
            RdmaDevice rdma = new RdmaDevice("mlx5_0", "", "", List.of(port), List.of());
            List<DeviceStatus> devices = IntStream.range(0, 1000)
                    .mapToObj(i -> new DeviceStatus(vf(i, rdma), List.of(), 0, false, true, false))
                    .toList();
            ResourceName name = ResourceName.parse("example.com/vf");
            NodeStatus status =
                    StatusOfOne.resource(new ResourceStatus(name, true, 1, devices, new Outcomes.Counts(0, 0)));
            List<PortCounters> read = new ArrayList<>();
            for (int i = 0; i < MetricsServer.MAX_ANSWERS; i++) {
                read.add(PortCounters.read(Sysfs.at(Path.of(args[0])), false, status));
            }
            System.out.println(read.size() + rest.length);
        }

        private static Device vf(int number, RdmaDevice rdma) {
            return new VirtualFunction(
                    new FunctionBuilder(new PciAddress(number / 256, 0x3b, number / 8 % 32, number % 8))
                            .binding(new DriverBinding(
                                    Optional.of("mlx5_core"),
                                    List.of(),
                                    List.of(),
                                    List.of("infiniband"),
                                    List.of(rdma),
                                    DriverDevices.NONE,
                                    NodeUse.NONE,
                                    Optional.empty()))
                            .build(),
                    PF,
                    number,
                    List.of(),
                    List.of(),
                    Optional.empty(),
                    Health.HEALTHY);
        }
    }

    @Test
    void countersOfAThousandPortsFitIntoTheHeapForAllReaders() throws Exception {
        Path counters = Files.createDirectories(directory.resolve("sys/class/infiniband/mlx5_0/ports/1/hw_counters"));
        for (int i = 0; i < 45; i++) {
            Files.writeString(counters.resolve("roce_slow_restart_cnps_" + i), "4711\n");
        }

        PackageJvm.End end = PackageJvm.run(Readers.class, directory.toString());
        assertThat(end.exit()).as(end.output()).isZero();
    }

    private static void write(TestDaemon daemon, String path, String text) throws Exception {
        Path file = daemon.node.root().resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
