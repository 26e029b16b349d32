package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;

import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.ResourceName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Device nodes of PCI functions that come and go, of which no uevent tells. */
@Timeout(60)
final class NodesComeAndGoTest {

    private static final ResourceName VFIO = ResourceName.parse("example.com/vfio");
    private static final ResourceName RDMA = ResourceName.parse("example.com/rdma");
    private static final ResourceName FPGA = ResourceName.parse("example.com/fpga");

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    /** A node of that machine, and what the kubelet has of it. */
    private LocalKubelet serve(String machine, String classes) throws Exception {
        SimulatedNode.unpack(Files.readString(Machine.file(machine, "tree")), directory.resolve("node"))
                .close();
        for (String node : List.of(
                "null",
                "dfl-port.0",
                "infiniband/rdma_cm",
                "infiniband/uverbs1",
                "infiniband/umad1",
                "infiniband/issm1")) {
            Path file = Files.createDirectories(node("dev")).resolve(node);
            Files.createDirectories(file.resolveSibling("."));
            if (!Files.exists(file)) {
                Files.createFile(file);
            }
        }
        Path kubeletDir = directory.resolve("device-plugins");
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        closing.add(TestDaemon.open(directory, kubeletDir, classes));
        return kubelet;
    }

    private static void await(LocalKubelet kubelet, ResourceName resource, String id, boolean isHealthy)
            throws Exception {
        kubelet.await(
                resource,
                state -> state.devices().stream()
                        .anyMatch(device -> device.id().equals(id) && device.healthy() == isHealthy),
                PATIENCE);
    }

    private Path node(String path) {
        return directory.resolve("node").resolve(path);
    }

    @Test
    void deviceWithoutItsVfioGroupIsUnhealthyUntilTheNodeIsBack() throws Exception {
        LocalKubelet kubelet = serve("vfio-groups", """
                [[class]]
                resource = "example.com/vfio"
                kind = "pci"
                match = { vendors = ["10de"], devices = ["20b5"] }
                """);
        comesAndGoes(kubelet, VFIO, "0000:41:00.1", "dev/vfio/19");
    }

    @Test
    void deviceWithoutItsUverbsIsUnhealthyUntilTheNodeIsBack() throws Exception {
        LocalKubelet kubelet = serve("connectx-rdma", """
                [[class]]
                resource = "example.com/rdma"
                kind = "vf"
                match = { is_rdma = true }
                """);
        comesAndGoes(kubelet, RDMA, "0000:81:00.1", "dev/infiniband/uverbs1");
    }

    @Test
    void regionWithoutItsPortIsUnhealthyUntilTheNodeIsBack() throws Exception {
        LocalKubelet kubelet = serve("dfl-fpga", """
                [[class]]
                resource = "example.com/fpga"
                kind = "fpga"
                match = { vendors = ["8086"] }
                """);
        comesAndGoes(kubelet, FPGA, "0000:5e:00.0-region0", "dev/dfl-port.0");
    }

    private void comesAndGoes(LocalKubelet kubelet, ResourceName resource, String id, String path) throws Exception {
        await(kubelet, resource, id, true);
        Path file = node(path);
        Path kept = directory.resolve("kept");

        Files.move(file, kept);
        await(kubelet, resource, id, false);
        Files.move(kept, file);
        await(kubelet, resource, id, true);

        Path parent = file.resolveSibling(".").normalize();
        Path moved = directory.resolve("moved");
        Files.move(parent, moved);
        await(kubelet, resource, id, false);
        Files.move(moved, parent);
        await(kubelet, resource, id, true);

        Files.move(file, kept);
        await(kubelet, resource, id, false);
    }
}
