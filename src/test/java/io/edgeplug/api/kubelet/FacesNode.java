package io.edgeplug.api.kubelet;

import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.ResourceName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** A node with accelerators, each of which three classes offer: to be bound to two drivers of others, or as it is. */
final class FacesNode {

    static final ResourceName VFIO = ResourceName.parse("example.com/acc-vfio");
    static final ResourceName UIO = ResourceName.parse("example.com/acc-uio");
    static final ResourceName HOST = ResourceName.parse("example.com/acc-host");
    static final List<ResourceName> FACES = List.of(VFIO, UIO, HOST);

    static final String RESET = " reset by flr";

    private FacesNode() {}

    /** Makes the node below a directory, where {@link TestDaemon} finds it. */
    static void make(Path directory, int devices) throws IOException {
        SimulatedNode.unpack(tree(devices), directory.resolve("node")).close();
    }

    static String id(int device) {
        return "0000:%02x:00.0".formatted(0x10 + device);
    }

    /** The classes, each of which does so to a device that is released. */
    static String classes(String release) {
        StringBuilder text = new StringBuilder();
        for (ResourceName face : FACES) {
            text.append("""
                    [[class]]
                    resource = "%s"
                    kind = "pci"
                    faces = "exclusive"
                    match = { vendors = ["10ee"] }
                    """.formatted(face));
            if (face.equals(VFIO)) {
                text.append("prepare = { driver = \"vfio-pci\" }\n");
            } else if (face.equals(UIO)) {
                text.append("prepare = { driver = \"uio_pci_generic\" }\n");
            }
            text.append("[class.release]\n").append(release).append('\n');
        }
        return text.toString();
    }

    /** What its kernel has done to devices, without how it was told to. */
    static List<String> acts(TestDaemon daemon) {
        return daemon.node.acts().stream()
                .filter(act -> !act.contains("driver_override") && !act.contains("reset_method"))
                .toList();
    }

    /** Why the first device is not offered as one of its faces; empty if it is. */
    static String reason(TestDaemon daemon, ResourceName face) {
        return daemon.monitor
                .current()
                .device(face, id(0))
                .orElseThrow()
                .health()
                .problem()
                .orElse("");
    }

    private static String tree(int devices) {
        StringBuilder text = new StringBuilder();
        text.append("[sys/bus/pci]\ndrivers_probe =\n");
        text.append("[sys/devices/system/node]\nonline = 0\npossible = 0\nnode0/cpulist = 0-3\n");
        for (String driver : List.of("acc", "vfio-pci", "uio_pci_generic")) {
            text.append("[sys/bus/pci/drivers/").append(driver).append("]\nbind =\nunbind =\n");
        }
        IntStream.range(0, devices)
                .mapToObj(FacesNode::id)
                .forEach(id ->
                        text.append("""
                [sys/devices/pci0000:%2$s/%1$s]
                vendor = 0x10ee
                device = 0x5000
                subsystem_vendor = 0x10ee
                subsystem_device = 0x0000
                class = 0x120000
                revision = 0x00
                numa_node = 0
                irq = 0
                enable = 1
                power_state = D0
                subsystem -> ../../../bus/pci
                driver -> ../../../bus/pci/drivers/acc
                iommu_group -> ../../../kernel/iommu_groups/%3$d
                reset =
                reset_method = flr
                driver_override = (null)
                uevent =
                config = \\xee\\x10\\x00\\x50\\x06\\x04\\x10\\x00\\x00\\x00\\x00\\x12\\x00\\x00\\x00\\x00
                [sys/bus/pci/devices]
                %1$s -> ../../../devices/pci0000:%2$s/%1$s
                [sys/bus/pci/drivers]
                acc/%1$s -> ../../../../devices/pci0000:%2$s/%1$s
                [sys/kernel/iommu_groups]
                %3$d/devices/%1$s -> ../../../../devices/pci0000:%2$s/%1$s
                """.formatted(id, id.substring(5, 7), Integer.parseInt(id.substring(5, 7), 16))));
        return text.toString();
    }
}
