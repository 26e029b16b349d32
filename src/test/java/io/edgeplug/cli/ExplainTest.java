package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Explains the devices of captured machines with the classes that are kept beside them. */
final class ExplainTest {

    static final Path MACHINES = Path.of("src/test/machines");

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
                  pfnet      enp94s0f0
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
                  env        PCIDEVICE_INTEL_COM_X710_DPDK_INFO={"0000:5e:02.0":{"generic":{"deviceID":"0000:5e:02.0"},\
                "vfio":{"dev-mount":"/dev/vfio/112","mount":"/dev/vfio/vfio"}}}
                  env        PCI_RESOURCE_INTEL_COM_X710_DPDK=0000:5e:02.0
                  device     /dev/vfio/112 (rw)
                  device     /dev/vfio/vfio (rw)
                  file       intel.com-x710_dpdk-0000:5e:02.0-device.json {"type":"pci","version":"1.1.0",\
                "pci":{"pci-address":"0000:5e:02.0","pf-pci-address":"0000:5e:00.0"}}
                """);
    }

    @Test
    void numaNodeThatTheKernelDoesNotNameIsMarkedAsAGuess() throws IOException {
        assertThat(explain("shared-iommu-group", "0000:02:00.0")).contains("  numa       0\n  numafrom   guess\n");
        assertThat(explain("vfio-bound", "0000:5e:02.0")).doesNotContain("numafrom");
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
                          env        PCIDEVICE_NVIDIA_COM_ROCE_VF_INFO={"0000:81:00.1":{"generic":{"deviceID":\
                        "0000:81:00.1"},"rdma":{"issm":"/dev/infiniband/issm1","rdma_cm":"/dev/infiniband/rdma_cm",\
                        "rdma_dev":"mlx5_1","umad":"/dev/infiniband/umad1","uverbs":"/dev/infiniband/uverbs1"}}}
                          device     /dev/infiniband/issm1 (rw)
                          device     /dev/infiniband/rdma_cm (rw)
                          device     /dev/infiniband/umad1 (rw)
                          device     /dev/infiniband/uverbs1 (rw)
                          file       nvidia.com-roce_vf-0000:81:00.1-device.json {"type":"pci","version":"1.1.0",\
                        "pci":{"pci-address":"0000:81:00.1","rdma-device":"mlx5_1","pf-pci-address":"0000:81:00.0"}}
                        """);
    }

    @Test
    void hcaTellsEveryPort() throws IOException {
        assertThat(explain("ib-hca", "0000:03:00.0"))
                .contains("  ports      mlx4_0/1:InfiniBand:ACTIVE:LinkUp,mlx4_0/2:InfiniBand:DOWN:Polling\n")
                .contains("  guid       f452:1403:008f:2320\n  sysguid    f452:1403:008f:2323\n")
                .contains("  portguid   f452:1403:008f:2321,f452:1403:008f:2322\n  pkeys      0xffff,0x7fff\n")
                .contains("  device     /dev/infiniband/umad0 (rw)\n  device     /dev/infiniband/umad1 (rw)\n");
    }

    @Test
    void softwareRdmaOnAnInterfaceWithoutHardwareIsADeviceOfItsOwn() throws IOException {
        assertThat(explain("rxe", "siw0"))
                .contains("  no   vendors 1af4, it has none\n")
                .contains("  yes  pf_names dummy0, it has dummy0\n")
                .endsWith("  device     /dev/infiniband/rdma_cm (rw)\n  device     /dev/infiniband/uverbs1 (rw)\n");
    }

    @Test
    void nicWithTheDefaultRouteSaysSo() throws IOException {
        assertThat(explain("rxe", "0000:01:00.0"))
                .contains("  no   no such use by the node itself, it has the default route on enp1s0\n")
                .endsWith("so it is not advertised\n");
    }

    @Test
    void fpgaRegionGetsTheNodeOfItsPort() throws IOException {
        assertThat(explain("dfl-fpga", "0000:5e:00.0-region0"))
                .contains("  afu        d8424dc4a4a3c413f89e433683f9040b\n")
                .endsWith("""
                        its container would get
                          env        FPGA_AFU_0=d8424dc4a4a3c413f89e433683f9040b
                          env        FPGA_REGION_0=9346116d52ad20c82b7e3e0d0bd9c2c9
                          env        PCIDEVICE_INTEL_COM_FPGA=0000:5e:00.0-region0
                          env        PCIDEVICE_INTEL_COM_FPGA_INFO={"0000:5e:00.0-region0":\
                        {"generic":{"deviceID":"0000:5e:00.0-region0"}}}
                          device     /dev/dfl-port.0 (rw)
                        """);
    }

    @Test
    void vfOfASwitchTellsItsRepresentorAndGetsItsNode() throws IOException {
        assertThat(explain("e810-switchdev", "0000:17:01.4"))
                .contains("  nodes      /dev/uio0\n")
                .contains("  pfnet      ens1f0np0\n  vf         4\n  rep        ens1f0npf0vf4\n")
                .contains("  yes  drivers vfio-*, uio_pci_generic, it has uio_pci_generic\n")
                .contains("  yes  pf_names ens*f0np0, it has ens1f0np0#4\n")
                .endsWith("""
                          device     /dev/uio0 (rw)
                          file       intel.com-e810_dpdk-0000:17:01.4-device.json {"type":"pci","version":"1.1.0",\
                        "pci":{"pci-address":"0000:17:01.4","pf-pci-address":"0000:17:00.0",\
                        "representor-device":"ens1f0npf0vf4"}}
                        """);
        assertThat(explain("e810-switchdev", "0000:17:00.0"))
                .contains("  net        ens1f0np0\n")
                .contains("  aux        ice.gnss.0,ice.roce.0\n")
                .contains("  acpi       101\n");
    }

    @Test
    void vendorAndDeviceIdsNameAllDevicesThatHaveThem() throws IOException {
        assertThat(explain("usb-devices", "0BDA:2838"))
                .startsWith("1-4.1\n")
                .contains("  ids        0bda:2838\n", "\n1-4.2\n");
        assertThat(explain("vfio-bound", "8086:154c")).startsWith("0000:5e:02.0\n");
    }

    /** Without a class of kind usb, no scan looks at USB devices. */
    @Test
    void vendorAndDeviceIdsOfUsbAreKnownWithoutAClass() throws IOException {
        Console console = new Console();
        try (SimulatedNode node = unpack("usb-devices")) {
            assertThat(console.execute(
                            "explain", "0bda:2838", "--sysroot", node.root().toString()))
                    .isEqualTo(1);
            assertThat(console.text())
                    .endsWith(
                            "edgeplug: 0bda:2838: is at USB port 1-4.1, 1-4.2, and no class of kind usb is there yet, "
                                    + "so edgeplug does not look at USB devices\n");
            assertThat(console.execute(
                            "explain", "0bda:2832", "--sysroot", node.root().toString()))
                    .isEqualTo(1);
            assertThat(console.text())
                    .endsWith("edgeplug: 0bda:2832: no such device here; USB devices here have 1a6e:089a, 0bda:2838, "
                            + "046d:0892, 0403:6001, 0781:5581\n");
        }
    }

    @Test
    void subFunctionIsOneOfItsPf() throws IOException {
        assertThat(explain("sub-functions", "mlx5_core.sf.4"))
                .contains("  aux        mlx5_core.eth.4,mlx5_core.rdma.4\n")
                .contains("""
                          pf         0000:03:00.0
                          pfnet      enp3s0f0np0
                          sf         88
                          rep        enp3s0f0npf0sf88
                        """)
                .contains("  yes  aux_types sf, it has sf\n")
                .endsWith("""
                        so it is advertised as nvidia.com/sf
                        its container would get
                          env        PCIDEVICE_NVIDIA_COM_SF=mlx5_core.sf.4
                          env        PCIDEVICE_NVIDIA_COM_SF_INFO={"mlx5_core.sf.4":{"generic":{"deviceID":\
                        "mlx5_core.sf.4"},"rdma":{"rdma_cm":"/dev/infiniband/rdma_cm","rdma_dev":"mlx5_4",\
                        "umad":"/dev/infiniband/umad4","uverbs":"/dev/infiniband/uverbs4"}}}
                          device     /dev/infiniband/rdma_cm (rw)
                          device     /dev/infiniband/umad4 (rw)
                          device     /dev/infiniband/uverbs4 (rw)
                        """);
        assertThat(explain("sub-functions", "0000:03:00.0"))
                .contains("  no   no sub-functions of its own, it has some\n")
                .endsWith("so it is not advertised\n");
    }

    @Test
    void vdpaDeviceGivesItsNodeOrItsInterface() throws IOException {
        assertThat(explain("vdpa", "0000:65:00.2"))
                .contains("  vdpa       vdpa:0000:65:00.2:vhost\n")
                .contains("  yes  vdpa_type vhost, it has vhost\n")
                .endsWith("""
                          device     /dev/vhost-vdpa-0 (rw)
                          file       nvidia.com-vhost_vdpa-0000:65:00.2-device.json {"type":"vdpa","version":"1.1.0",\
                        "vdpa":{"parent-device":"vdpa:0000:65:00.2","driver":"vhost","path":"/dev/vhost-vdpa-0",\
                        "pci-address":"0000:65:00.2","pf-pci-address":"0000:65:00.0",\
                        "representor-device":"enp101s0f0npf0vf0"}}
                        """);
        assertThat(explain("vdpa", "0000:65:00.3"))
                .contains("  net        eth1\n")
                .contains("  vdpa       vdpa1:virtio\n")
                .contains("  env        PCIDEVICE_NVIDIA_COM_VIRTIO_VDPA=0000:65:00.3\n")
                .doesNotContain("  device ")
                .contains("\"vdpa\":{\"parent-device\":\"vdpa1\",\"driver\":\"virtio\",\"pci-address\":");
    }

    @Test
    void alveoGetsTheRenderNodeOfItsUserFunction() throws IOException {
        assertThat(explain("alveo-u250", "0000:3b:00.1"))
                .contains("  afu        862c7020-a250-293e-3203-6f19956669e5\n")
                .endsWith("  device     /dev/dri/renderD128 (rw)\n");
        assertThat(explain("alveo-u250", "0000:3b:00.0")).endsWith("  device     /dev/xclmgmt15104 (rw)\n");
    }

    @Test
    void opaeRegionGetsTheNodeOfItsPort() throws IOException {
        assertThat(explain("opae-legacy", "0000:5e:00.0-intel-fpga-dev.0"))
                .contains("  compat     ce48969398f05f33946d560708be108a\n")
                .endsWith("  device     /dev/intel-fpga-port.0 (rw)\n");
    }

    private SimulatedNode unpack(String machine) throws IOException {
        return SimulatedNode.unpack(
                Files.readString(MACHINES.resolve(machine).resolve("tree")), Files.createTempDirectory(root, machine));
    }

    private String explain(String machine, String id) throws IOException {
        try (SimulatedNode node = unpack(machine)) {
            return explain(node, machine, id);
        }
    }

    static String explain(SimulatedNode node, String machine, String id) {
        StringWriter out = new StringWriter();
        int exit = Commands.commandLine()
                .setOut(new PrintWriter(out))
                .execute(
                        "explain",
                        id,
                        "--sysroot",
                        node.root().toString(),
                        "--config",
                        MACHINES.resolve(machine).resolve("class.toml").toString());
        assertThat(exit).isZero();
        return out.toString();
    }
}
