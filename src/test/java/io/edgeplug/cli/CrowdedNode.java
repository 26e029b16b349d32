package io.edgeplug.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A node with four adapters that have so many VFs in all, of which every fifth is held and every seventh has lost its driver,
 * and two files with names that are hard to draw.
 */
final class CrowdedNode {

    private static final int ADAPTERS = 4;
    private static final int VFS_OF_A_BUS = 248;

    private final int vfs;

    CrowdedNode(int vfs) {
        this.vfs = vfs;
    }

    /** The node, with the kubelet's notes of who holds which device. */
    String tree() {
        StringBuilder tree = new StringBuilder();
        tree.append("[sys/devices/system/node]\nonline = 0-1\n");
        tree.append("node0/cpulist = 0-15,32-47\nnode1/cpulist = 16-31,48-63\n");
        for (int adapter = 0; adapter < ADAPTERS; adapter++) {
            adapter(tree, adapter);
        }
        tree.append("[srv/odd]\n<b>&amp;\"' = x\n%s = x\n".formatted("名前-".repeat(20)));
        tree.append("[var/lib/kubelet/device-plugins]\nkubelet_internal_checkpoint = ")
                .append(checkpoint());
        return tree.append('\n').toString();
    }

    String classes() {
        StringBuilder classes = new StringBuilder();
        for (int adapter = 0; adapter < ADAPTERS; adapter++) {
            classes.append("[[class]]\nresource = \"%s\"\nkind = \"vf\"\nmatch = { pf_names = [\"%s\"] }\n"
                    .formatted(resource(adapter), net(adapter)));
            classes.append("health = { driver = \"bound\" }\n");
        }
        return classes
                + "[[class]]\nresource = \"example.com/odd\"\nkind = \"path\"\nmatch = { paths = [\"/srv/odd/*\"] }\n";
    }

    private void adapter(StringBuilder tree, int adapter) {
        String root = "pci0000:%02x".formatted(bus(adapter) - 1);
        String port = "0000:%02x:00.0".formatted(bus(adapter) - 1);
        String pf = "0000:%02x:00.0".formatted(bus(adapter));
        int count = count(adapter);
        section(tree, root + "/" + port, adapter, "0x060400", "pcieport");
        section(tree, root + "/" + port + "/" + pf, adapter, "0x020000", "ice");
        tree.append("sriov_totalvfs = 248\nsriov_numvfs = %d\nnet/%s/type = 1\n".formatted(count, net(adapter)));
        for (int vf = 0; vf < count; vf++) {
            tree.append("virtfn%d -> ../%s\n".formatted(vf, address(adapter, vf)));
        }
        List<String> functions = new ArrayList<>(List.of(port + " -> ../../../devices/" + root + "/" + port));
        functions.add(pf + " -> ../../../devices/" + root + "/" + port + "/" + pf);
        for (int vf = 0; vf < count; vf++) {
            String path = root + "/" + port + "/" + address(adapter, vf);
            section(tree, path, adapter, "0x020000", vf % 7 == 6 ? "" : "iavf");
            tree.append("physfn -> ../%s\nnet/%sv%d/type = 1\n".formatted(pf, net(adapter), vf));
            functions.add(address(adapter, vf) + " -> ../../../devices/" + path);
        }
        tree.append("[sys/bus/pci/devices]\n");
        functions.forEach(function -> tree.append(function).append('\n'));
    }

    private static void section(StringBuilder tree, String path, int adapter, String pciClass, String driver) {
        String up = "../".repeat(path.split("/", -1).length + 1);
        tree.append("[sys/devices/").append(path).append("]\nvendor = 0x8086\ndevice = 0x1889\n");
        tree.append("subsystem_vendor = 0x8086\nsubsystem_device = 0x0000\nnuma_node = %d\nclass = %s\n"
                .formatted(adapter / 2, pciClass));
        if (!driver.isEmpty()) {
            tree.append("driver -> %sbus/pci/drivers/%s\n".formatted(up, driver));
        }
    }

    private String checkpoint() {
        List<String> entries = new ArrayList<>();
        for (int adapter = 0; adapter < ADAPTERS; adapter++) {
            for (int vf = 0; vf < count(adapter); vf += 5) {
                entries.add(
                        "{\"PodUID\":\"0b5f6a1e-1c52-4e0b-9d3a-%012d\",\"ContainerName\":\"main\",\"ResourceName\":\"%s\",\"DeviceIDs\":{\"%d\":[\"%s\"]}}"
                                .formatted(vf, resource(adapter), adapter / 2, address(adapter, vf)));
            }
        }
        return entries.stream()
                .collect(Collectors.joining(",", "{\"Data\":{\"PodDeviceEntries\":[", "]},\"Checksum\":1}"));
    }

    private int count(int adapter) {
        return Math.min(VFS_OF_A_BUS, vfs / ADAPTERS + (adapter < vfs % ADAPTERS ? 1 : 0));
    }

    private static int bus(int adapter) {
        return 0x3b + 0x20 * adapter;
    }

    private static String address(int adapter, int vf) {
        return "0000:%02x:%02x.%d".formatted(bus(adapter), 1 + vf / 8, vf % 8);
    }

    private static String net(int adapter) {
        return "ens%df0".formatted(adapter + 1);
    }

    private static String resource(int adapter) {
        return "example.com/vf_of_" + net(adapter);
    }
}
