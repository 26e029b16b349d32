package io.edgeplug.box;

import java.util.List;

/** A kind of node: its processor, and what QEMU and the kernel must know about it. */
enum Machine {

    /** Its processors have no AVX, like those of many edge nodes. */
    AMD64(
            "amd64",
            "qemu-system-x86_64",
            "-M q35,hpet=off,vmport=off,smbus=off,sata=off -cpu Nehalem -device intel-iommu,intremap=on "
                    + Adapters.ON_TWO_NUMA_NODES,
            // a clock that a busy host does not disturb
            "console=ttyS0 tsc=reliable no_timer_check clocksource=tsc intel_iommu=on"),

    /**
     * It starts from UEFI, whose ACPI tables tell the kernel which adapter is near which NUMA node. QEMU's device tree
     * does not say so.
     */
    ARM64(
            "arm64",
            "qemu-system-aarch64",
            "-M virt,gic-version=3,its=on,iommu=smmuv3 -cpu neoverse-n1 -bios /usr/share/qemu-efi-aarch64/QEMU_EFI.fd "
                    + Adapters.ON_TWO_NUMA_NODES,
            "console=ttyAMA0"),

    /** A board with an FPGA and without adapters. Its kernel knows it by a device tree, see fpga/board.dts. */
    ARM64_BOARD(
            "arm64",
            "qemu-system-aarch64",
            "-M virt,gic-version=3 -cpu neoverse-n1 -dtb /box/board.dtb",
            "console=ttyAMA0");

    /** SR-IOV adapters, slots for more cards, and USB. */
    private static final class Adapters {
        private static final String ON_TWO_NUMA_NODES = """
                -object memory-backend-ram,id=m0,size=1G -object memory-backend-ram,id=m1,size=1G
                -numa node,nodeid=0,cpus=0,memdev=m0 -numa node,nodeid=1,cpus=1,memdev=m1
                -device pxb-pcie,id=numa0,bus=pcie.0,bus_nr=0x20,numa_node=0,addr=0x7
                -device pxb-pcie,id=numa1,bus=pcie.0,bus_nr=0x40,numa_node=1,addr=0x8
                -device pcie-root-port,id=port0,bus=numa0,chassis=1,slot=1,addr=0x0
                -device igb,id=igb0,bus=port0,mac=52:54:00:00:01:00,romfile=
                -device pcie-root-port,id=port1,bus=numa1,chassis=2,slot=2,addr=0x0
                -device igb,id=igb1,bus=port1,mac=52:54:00:00:02:00,romfile=
                -device qemu-xhci,id=usb,bus=pcie.0,addr=0x6
                -device pcie-root-port,id=hp0,bus=pcie.0,chassis=10,slot=10,addr=0xa
                -device pcie-root-port,id=hp1,bus=numa1,chassis=11,slot=11,addr=0x1
                """;
    }

    private final String architecture;
    private final String emulator;
    private final String arguments;
    private final String kernel;

    Machine(String architecture, String emulator, String arguments, String kernel) {
        this.architecture = architecture;
        this.emulator = emulator;
        this.arguments = arguments;
        this.kernel = kernel;
    }

    /** The one of the architecture that {@code -Dnode.architecture} names, which is otherwise amd64. */
    static Machine wanted() {
        String architecture = System.getProperty("node.architecture", AMD64.architecture);
        return List.of(AMD64, ARM64).stream()
                .filter(machine -> machine.architecture.equals(architecture))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("node.architecture: " + architecture));
    }

    /** The architecture, as Debian names it. */
    String architecture() {
        return architecture;
    }

    /** The program that emulates it. */
    String emulator() {
        return emulator;
    }

    /** The arguments of QEMU that are not the same for all machines. */
    List<String> arguments() {
        return List.of(arguments.strip().split("\\s+"));
    }

    /** The parameters of the kernel that are not the same for all machines. */
    String kernel() {
        return kernel;
    }
}
