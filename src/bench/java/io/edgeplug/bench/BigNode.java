package io.edgeplug.bench;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The tree of a node with PFs of up to 255 VFs each, all bound to their network driver. */
final class BigNode {

    private static final int FUNCTIONS_OF_A_BUS = 256;

    private static final String ROUTES = "[proc/net]\nroute = Iface\\neth0\t00000000\t0\t3\t0\t0\t0\t00000000\n";

    private BigNode() {}

    /** All of it, with that many functions. */
    static String tree(int functions) {
        StringBuilder tree = new StringBuilder(ROUTES);
        for (int i = 0; i < functions; i++) {
            tree.append(function(i));
        }
        return tree.toString();
    }

    /** A class that takes every VF. */
    static DeviceClass allVfs() {
        return vfs("vf", "");
    }

    /** A class for each PF of a node with that many functions, which takes its VFs. */
    static List<DeviceClass> byPf(int functions) {
        return IntStream.range(0, (functions + FUNCTIONS_OF_A_BUS - 1) / FUNCTIONS_OF_A_BUS)
                .mapToObj(pf -> DeviceClass.of(
                        ResourceName.parse("example.com/vf" + pf),
                        Kind.VF,
                        new Selector(Map.of(SelectorWord.PF_NAMES, List.of("eth" + pf * FUNCTIONS_OF_A_BUS)))))
                .toList();
    }

    /** A class that takes those VFs of the first PF whose number is in the range, such as {@code 0-15}. */
    static DeviceClass vfs(String name, String range) {
        Map<SelectorWord, List<String>> words = range.isEmpty()
                ? Map.of(SelectorWord.VENDORS, List.of("8086"))
                : Map.of(SelectorWord.PF_NAMES, List.of("eth0#" + range));
        return DeviceClass.of(ResourceName.parse("example.com/" + name), Kind.VF, new Selector(words));
    }

    /** Of the function of that number; the first of each bus is a PF. */
    static PciAddress address(int number) {
        int inBus = number % FUNCTIONS_OF_A_BUS;
        return new PciAddress(0, 1 + number / FUNCTIONS_OF_A_BUS, inBus / 8, inBus % 8);
    }

    /** One function, as it is plugged. */
    static String function(int number) {
        PciAddress pf = address(number / FUNCTIONS_OF_A_BUS * FUNCTIONS_OF_A_BUS);
        int index = number % FUNCTIONS_OF_A_BUS - 1;
        String config = "\\x86\\x80" + "\\x00".repeat(62);
        String common = """
                [sys/devices/pci0000:00/%1$s]
                vendor = 0x8086
                device = 0x1889
                subsystem_vendor = 0x8086
                subsystem_device = 0x0000
                class = 0x020000
                numa_node = 0
                power_state = D0
                config = %2$s
                driver -> ../../../bus/pci/drivers/iavf
                iommu_group -> ../../../kernel/iommu_groups/%3$d
                net/eth%3$d/type = 1
                """.formatted(address(number), config, number);
        String own =
                index < 0 ? "sriov_numvfs = 255\nsriov_offset = 1\nsriov_stride = 1\n" : "physfn -> ../" + pf + "\n";
        return common
                + own
                + "[sys/class/net]\neth%1$d -> ../../devices/pci0000:00/%2$s/net/eth%1$d\n"
                        .formatted(number, address(number))
                + "[sys/bus/pci/devices]\n%1$s -> ../../../devices/pci0000:00/%1$s\n".formatted(address(number));
    }
}
