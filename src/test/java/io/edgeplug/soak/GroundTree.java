package io.edgeplug.soak;

/** The node of an attacked daemon as text. */
final class GroundTree {

    private static final String SOUND_CONFIG = "\\x86\\x80" + "\\x00".repeat(62);

    private GroundTree() {}

    /** All of it, as it is before an attack. */
    static String all() {
        StringBuilder tree = new StringBuilder("""
                [etc/probe]
                p0 =
                p1 =
                p2 =
                [proc/net]
                route = Iface\\neth0\t00000000\t0\t3\t0\t0\t0\t00000000
                [dev/vfio]
                vfio =
                [sys/bus/pci/drivers]
                iavf/bind =
                iavf/unbind =
                vfio-pci/bind =
                vfio-pci/unbind =
                """);
        tree.append(function(
                "0000:3b:00.0", "", "ice", 1, "ens1f0", "sriov_numvfs = 8\nsriov_offset = 8\nsriov_stride = 1"));
        tree.append(function(
                "0000:3c:00.0", "", "ice", 2, "ens2f0", "sriov_numvfs = 248\nsriov_offset = 8\nsriov_stride = 1"));
        tree.append(function(
                "0000:3e:00.0", "", "ice", 3, "ens3f0", "sriov_numvfs = 4\nsriov_offset = 8\nsriov_stride = 1"));
        for (int i = 0; i < 8; i++) {
            tree.append(first(i));
        }
        for (String address : Ground.CLAIMED_VFS) {
            tree.append(function(address, "0000:3e:00.0", "iavf", 500 + Ground.CLAIMED_VFS.indexOf(address), "", ""));
        }
        for (String address : Ground.MANY_VFS) {
            tree.append(function(address, "0000:3c:00.0", "iavf", 100 + Ground.MANY_VFS.indexOf(address), "", ""));
        }
        Ground.CARDS.forEach(address ->
                tree.append(function(address, "", "xclmgmt", 400 + Ground.CARDS.indexOf(address), "", "")
                        .replace("class = 0x020000", "class = 0x120000")));
        return tree.toString();
    }

    /** A VF of the first PF. */
    static String first(int number) {
        boolean isInGroup = number < Ground.GROUP_VFS.size();
        return function(
                "0000:3b:01." + number,
                "0000:3b:00.0",
                isInGroup ? "vfio-pci" : "iavf",
                isInGroup ? 17 : 20 + number,
                isInGroup ? "" : "ens1f0v" + number,
                "");
    }

    private static String function(String address, String pf, String driver, int group, String netName, String more) {
        String text = """
                [sys/devices/pci0000:00/%1$s]
                vendor = 0x8086
                device = 0x1889
                class = 0x020000
                numa_node = 0
                power_state = D0
                reset =
                reset_method = flr
                driver_override = (null)
                config = %2$s
                subsystem -> ../../../bus/pci
                driver -> ../../../bus/pci/drivers/%3$s
                iommu_group -> ../../../kernel/iommu_groups/%4$d
                """.formatted(address, SOUND_CONFIG, driver, group);
        if (!pf.isEmpty()) {
            text += "physfn -> ../" + pf + "\n";
        } else {
            text += more + "\n";
        }
        if (!netName.isEmpty()) {
            text += """
                    net/%1$s/type = 1
                    net/%1$s/carrier = 1
                    [sys/class/net]
                    %1$s -> ../../devices/pci0000:00/%2$s/net/%1$s
                    """.formatted(netName, address);
        }
        return text + """
                [sys/bus/pci/devices]
                %1$s -> ../../../devices/pci0000:00/%1$s
                [sys/kernel/iommu_groups/%2$d/devices]
                %1$s -> ../../../../devices/pci0000:00/%1$s
                """.formatted(address, group);
    }
}
