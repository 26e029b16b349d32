package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.simulation.SimulatedNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExplainTest {

    private static final Path MACHINES = Path.of("src/test/machines");

    @TempDir
    private Path root = Path.of("");

    @Test
    void takenDeviceIsExplainedClassByClassWithWhatItsContainerGets() throws IOException {
        assertThat(explain("vfio-bound", "0000:5e:02.0")).isEqualTo("""
                0000:5e:02.0
                  kind       vf
                  ids        8086:154c
                  driver     vfio-pci
                  numa       0
                  resource   intel.com/x710_dpdk
                  health     healthy
                  class      020000
                  subsystem  8086:0000
                  iommu      112
                  pf         0000:5e:00.0
                  vf         0
                intel.com/x710_dpdk: takes it
                  yes  kind vf, it has vf
                  yes  vendors 8086, it has 8086
                  yes  devices 154c, it has 154c
                  yes  drivers vfio-pci, it has vfio-pci
                intel.com/x710_netdevice: does not take it
                  yes  kind vf, it has vf
                  no   drivers iavf, it has vfio-pci
                  yes  root_devices 0000:5e:00.0#0-3, it has 0000:5e:00.0#0
                so it is advertised as intel.com/x710_dpdk
                its container would get
                  env        PCIDEVICE_INTEL_COM_X710_DPDK=0000:5e:02.0
                  env        PCI_RESOURCE_INTEL_COM_X710_DPDK=0000:5e:02.0
                  device     /dev/vfio/112 (rw)
                  device     /dev/vfio/vfio (rw)
                """);
    }

    @Test
    void pfWithVfsIsNotAdvertisedAndSaysWhy() throws IOException {
        assertThat(explain("vfio-bound", "0000:5e:00.0"))
                .contains("  no   no VFs of its own, it has some\n")
                .endsWith("so it is not advertised\n");
    }

    @Test
    void rdmaVfGetsItsNodes() throws IOException {
        assertThat(explain("connectx-rdma", "0000:81:00.1"))
                .contains("  yes  link_types ether, it has ether\n  yes  is_rdma true, it has true\n")
                .endsWith("""
                        so it is advertised as nvidia.com/roce_vf
                        its container would get
                          env        PCIDEVICE_NVIDIA_COM_ROCE_VF=0000:81:00.1
                          device     /dev/infiniband/issm1 (rw)
                          device     /dev/infiniband/rdma_cm (rw)
                          device     /dev/infiniband/umad1 (rw)
                          device     /dev/infiniband/uverbs1 (rw)
                        """);
    }

    @Test
    void hcaTellsEveryPort() throws IOException {
        assertThat(explain("ib-hca", "0000:03:00.0"))
                .contains("  ports      mlx4_0/1:InfiniBand:ACTIVE:LinkUp,mlx4_0/2:InfiniBand:DOWN:Polling\n")
                .contains("  guid       f452:1403:008f:2320\n")
                .contains("  device     /dev/infiniband/umad0 (rw)\n  device     /dev/infiniband/umad1 (rw)\n");
    }

    @Test
    void softwareRdmaOnAnInterfaceWithoutHardwareIsADeviceOfItsOwn() throws IOException {
        assertThat(explain("rxe", "siw0"))
                .contains("  no   vendors 1af4, it has no PCI function\n")
                .contains("  yes  pf_names dummy0, it has dummy0\n")
                .endsWith("  device     /dev/infiniband/rdma_cm (rw)\n  device     /dev/infiniband/uverbs1 (rw)\n");
    }

    @Test
    void nicWithTheDefaultRouteSaysSo() throws IOException {
        assertThat(explain("rxe", "0000:01:00.0"))
                .contains("  no   not the default route, it has it on enp1s0\n")
                .endsWith("so it is not advertised\n");
    }

    @Test
    void fpgaRegionGetsTheNodeOfItsPort() throws IOException {
        assertThat(explain("dfl-fpga", "0000:5e:00.0-region0"))
                .contains("  afu        d8424dc4a4a3c413f89e433683f9040b\n")
                .endsWith("""
                        its container would get
                          env        PCIDEVICE_INTEL_COM_FPGA=0000:5e:00.0-region0
                          device     /dev/dfl-port.0 (rw)
                        """);
    }

    @Test
    void groupOfPathsIsOneDevice() throws IOException {
        Path config = Files.writeString(root.resolve("x.toml"), """
                [[class]]
                resource = "example.com/capture"
                kind = "path"
                shares = 2
                [[class.groups]]
                paths = ["/etc/video*", "/etc/sound/*"]
                """);
        Path etc = Files.createDirectories(root.resolve("node/etc/sound")).resolveSibling("video7");
        Files.createFile(etc);
        Files.createFile(root.resolve("node/etc/sound/7"));
        StringWriter out = new StringWriter();

        Main.commandLine()
                .setOut(new PrintWriter(out))
                .execute(
                        "explain",
                        "video7",
                        "--sysroot",
                        root.resolve("node").toString(),
                        "--config",
                        config.toString());

        assertThat(out.toString()).isEqualTo("""
                video7
                  kind       path
                  resource   example.com/capture
                  health     healthy
                  shares     2
                  path       /etc/video7,/etc/sound/7
                example.com/capture: takes it
                  yes  kind path, it has path
                  yes  /etc/video* + /etc/sound/*, it has /etc/video* + /etc/sound/*
                so it is advertised as example.com/capture
                its container would get
                  mount      /etc/sound/7 (ro)
                  mount      /etc/video7 (ro)
                """);
    }

    private String explain(String machine, String id) throws IOException {
        StringWriter out = new StringWriter();
        try (SimulatedNode node = SimulatedNode.unpack(
                Files.readString(MACHINES.resolve(machine).resolve("tree")), root.resolve("node"))) {
            int exit = Main.commandLine()
                    .setOut(new PrintWriter(out))
                    .execute(
                            "explain",
                            id,
                            "--sysroot",
                            node.root().toString(),
                            "--config",
                            MACHINES.resolve(machine).resolve("class.toml").toString());
            assertThat(exit).isZero();
        }
        return out.toString();
    }
}
