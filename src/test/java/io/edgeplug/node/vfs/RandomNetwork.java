package io.edgeplug.node.vfs;

import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * A node whose interfaces are stacked at random: PFs, VFs, and above them VLANs, macvlans, bonds, teams, bridges, veth
 * pairs and Open vSwitch, as the kernel shows them. It knows by its own bookkeeping which functions its default route
 * needs.
 */
final class RandomNetwork {

    private static final int PFS = 3;
    private static final int LAYERS = 8;

    private final Random random;
    private final Map<String, List<String>> lines = new HashMap<>();

    /** The functions below each interface. */
    private final Map<String, Set<String>> below = new HashMap<>();

    /** The interfaces that may get another one above them. */
    private final List<String> tops = new ArrayList<>();

    private final Map<String, String> interfaceOf = new HashMap<>();
    private boolean hasSwitch;
    private int index;
    private String routed = "";

    RandomNetwork(long seed) {
        random = new Random(seed);
        for (int pf = 0; pf < PFS; pf++) {
            String address = "0000:1" + pf + ":00.0";
            function(address, "ens" + pf);
            int vfs = random.nextInt(4);
            for (int vf = 0; vf < vfs; vf++) {
                function("0000:1" + pf + ":10." + vf, "ens" + pf + "v" + vf);
            }
        }
        for (int layer = 0; layer < LAYERS; layer++) {
            stack();
        }
        routed = one();
    }

    /** The functions without which the default route is lost. */
    Set<String> carrying() {
        return below.getOrDefault(routed, Set.of());
    }

    /** The interface with the default route. */
    String routed() {
        return routed;
    }

    String interfaceOf(String function) {
        return interfaceOf.getOrDefault(function, "");
    }

    private void function(String address, String net) {
        interfaceOf.put(address, net);
        add(net, Set.of(address));
    }

    private void add(String net, Set<String> functions) {
        index++;
        lines.put(net, new ArrayList<>(List.of("type = 1", "flags = 0x1043", "ifindex = " + index)));
        below.put(net, functions);
        tops.add(net);
    }

    private String one() {
        return tops.get(random.nextInt(tops.size()));
    }

    private void stack() {
        String name = "up" + index;
        switch (random.nextInt(6)) {
            case 0, 1 -> {
                String under = one();
                add(name, below.getOrDefault(under, Set.of()));
                link(name, under);
            }
            case 2, 3 -> master(name, random.nextBoolean() ? "bonding/mode = active-backup 1" : "tx_queue_len = 1000");
            case 4 -> {
                String bridge = master(name, "bridge/stp_state = 0");
                String inside = "veth" + index;
                add(inside, below.getOrDefault(bridge, Set.of()));
                String outside = "veth" + index;
                add(outside, Set.of());
                tops.remove(outside);
                lines(inside).add("iflink = " + index);
                lines(outside).add("iflink = " + (index - 1));
                enslave(bridge, outside);
            }
            default -> {
                if (!hasSwitch) {
                    hasSwitch = true;
                    master("ovs-system", "tx_queue_len = 1000");
                    lines("ovs-system").remove("flags = 0x1043");
                    lines("ovs-system").add("flags = 0x1002");
                    tops.remove("ovs-system");
                    add("br-ex", below.getOrDefault("ovs-system", Set.of()));
                }
            }
        }
    }

    private String master(String name, String mark) {
        Set<String> functions = new TreeSet<>();
        List<String> ports = new ArrayList<>();
        int count = 1 + random.nextInt(2);
        while (ports.size() < count && tops.size() > 1) {
            String port = one();
            tops.remove(port);
            ports.add(port);
            functions.addAll(below.getOrDefault(port, Set.of()));
        }
        add(name, functions);
        lines(name).add(mark);
        ports.forEach(port -> enslave(name, port));
        return name;
    }

    private void enslave(String master, String port) {
        link(master, port);
        lines(port).add("master -> /sys/class/net/" + master);
    }

    private void link(String upper, String lower) {
        lines(upper).add("lower_" + lower + " -> /sys/class/net/" + lower);
        lines(lower).add("upper_" + upper + " -> /sys/class/net/" + upper);
    }

    private List<String> lines(String net) {
        return lines.computeIfAbsent(net, none -> new ArrayList<>());
    }

    SimulatedNode unpack(Path root) throws IOException {
        StringBuilder tree = new StringBuilder();
        interfaceOf.forEach((address, net) -> tree.append(text(address, net)));
        lines.forEach((net, attributes) -> {
            if (!interfaceOf.containsValue(net)) {
                attributes.forEach(line -> tree.append("sys/class/net/" + net + "/" + line + "\n"));
            }
        });
        tree.append(
                switch (random.nextInt(3)) {
                    case 0 ->
                        "proc/net/route = Iface\\n" + routed + " 00000000 0101A8C0 0003 0 0 100 00000000 0 0 0\\n\n";
                    case 1 ->
                        "proc/net/ipv6_route = %1$s 00 %1$s 00 fe80%2$s 400 3 0 3 %3$s\\n\n"
                                .formatted("0".repeat(32), "0".repeat(28), routed);
                    default ->
                        "proc/net/routes = ipv4 254 0 elsewhere\\nipv6 %d 0 %s\\n\n"
                                .formatted(random.nextInt(1, 255), routed);
                });
        return SimulatedNode.unpack(tree.toString(), root);
    }

    private String text(String address, String net) {
        String pf = address.substring(0, 8) + "00.0";
        boolean isPf = pf.equals(address);
        StringBuilder text = new StringBuilder("""
                [sys/bus/pci/devices/%s]
                vendor = 0x8086
                device = 0x159b
                class = 0x020000
                driver -> ../../../bus/pci/drivers/ice
                """.formatted(address));
        if (isPf) {
            long vfs = interfaceOf.keySet().stream()
                    .filter(one -> one.startsWith(pf.substring(0, 8) + "10."))
                    .peek(vf -> text.append("virtfn" + vf.charAt(11) + " -> ../" + vf + "\n"))
                    .count();
            text.append("sriov_totalvfs = 8\nsriov_drivers_autoprobe = 1\nsriov_numvfs = " + vfs + "\n");
        } else {
            text.append("physfn -> ../" + pf + "\n");
        }
        lines(net).forEach(line -> text.append("net/" + net + "/" + line + "\n"));
        return text + "[sys/class/net]\n" + net + " -> ../../bus/pci/devices/" + address + "/net/" + net + "\n[]\n";
    }
}
