package io.edgeplug.cli.picture;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A node as a tree: NUMA nodes, the PCI Express roots at each, and below these bridges, functions and their parts.
 * Devices that are not on PCI stand beside the NUMA nodes.
 */
public final class NodeTree {

    private static final String NUMA_NODES = "sys/devices/system/node";
    private static final Pattern NUMA_NODE = Pattern.compile("node(\\d{1,4})");
    private static final Pattern PCI_ROOT = Pattern.compile("pci[0-9a-f]{4,8}:[0-9a-f]{2}");

    /** The place of functions whose NUMA node is not known: after all others. */
    private static final int NOWHERE = Integer.MAX_VALUE;

    private final Sysfs sysfs;
    private final List<ShownDevice> devices;
    private final Map<PciAddress, ShownDevice> byAddress = new HashMap<>();
    private final SortedMap<Integer, Twig> numaNodes = new TreeMap<>();
    private final List<Branch> branches = new ArrayList<>();
    private final List<PciAddress> hidden = new ArrayList<>();

    private NodeTree(Sysfs sysfs, List<ShownDevice> devices) {
        this.sysfs = sysfs;
        this.devices = devices;
    }

    /**
     * Reads how these devices are connected.
     *
     * @param everything whether to show PCI functions that back no resource, lead to no device and are of no kind that
     *     edgeplug treats specially
     * @throws IOException if that cannot be read
     */
    public static NodeTree read(Sysfs sysfs, List<ShownDevice> devices, boolean everything) throws IOException {
        NodeTree tree = new NodeTree(sysfs, devices);
        tree.build(everything);
        return tree;
    }

    List<Branch> branches() {
        return branches;
    }

    /** How many PCI functions are not shown. */
    int hidden() {
        return hidden.size();
    }

    /** A branch that still grows. */
    private static final class Twig {

        private final Branch own;
        private final SortedMap<PartKey, Twig> children = new TreeMap<>();

        Twig(Branch own) {
            this.own = own;
        }

        Twig below(PartKey key, Supplier<Branch> branch) {
            return children.computeIfAbsent(key, any -> new Twig(branch.get()));
        }

        Branch branch() {
            List<Branch> all = new ArrayList<>(own.children());
            children.values().forEach(child -> all.add(child.branch()));
            return new Branch(own.label(), own.facts(), own.device(), all);
        }
    }

    /** The order of parts: functions by address, then parts of functions by name. */
    private record PartKey(Optional<PciAddress> address, String name) implements Comparable<PartKey> {

        private static final Comparator<PartKey> ORDER = Comparator.<PartKey, Boolean>comparing(
                        key -> key.address().isEmpty())
                .thenComparing(key -> key.address().map(PciAddress::toString).orElse(""))
                .thenComparingInt(key -> key.name().length())
                .thenComparing(PartKey::name);

        @Override
        public int compareTo(PartKey other) {
            return ORDER.compare(this, other);
        }
    }

    private void build(boolean everything) throws IOException {
        for (ShownDevice one : devices) {
            if (one.device() instanceof PciDevice pci && one.device().kind() != Kind.SF) {
                byAddress.putIfAbsent(pci.function().address(), one);
            }
        }
        addNumaNodes();
        List<Branch> beside = new ArrayList<>();
        Set<PciAddress> drawn = new HashSet<>();
        for (ShownDevice one : devices) {
            if (!(one.device() instanceof PciDevice pci)) {
                beside.add(Labels.of(one));
            } else if (everything
                    || one.device().kind() != Kind.PCI
                    || one.resource().isPresent()) {
                drawn.addAll(add(one, pci));
            } else {
                hidden.add(pci.function().address());
            }
        }
        hidden.removeAll(drawn);
        numaNodes.values().forEach(node -> branches.add(node.branch()));
        if (!beside.isEmpty()) {
            branches.add(new Branch("not on PCI", List.of(), Optional.empty(), beside));
        }
    }

    /** NUMA nodes without a device are shown too, because it is useful to see that they have none. */
    private void addNumaNodes() throws IOException {
        for (String name : sysfs.names(NUMA_NODES)) {
            Matcher number = NUMA_NODE.matcher(name);
            if (number.matches()) {
                String cpus = sysfs.read(NUMA_NODES + "/" + name + "/cpulist").orElse("");
                Branch branch = Branch.of("NUMA node " + number.group(1), cpus.isEmpty() ? "no CPUs" : "CPUs " + cpus);
                numaNodes.put(Integer.parseInt(number.group(1)), new Twig(branch));
            }
        }
    }

    /**
     * Adds a device below its function, a VF below its PF, and these below all bridges on the way. Returns the bridges.
     */
    private Set<PciAddress> add(ShownDevice one, PciDevice pci) throws IOException {
        PciAddress address = pci.function().address();
        PciAddress top = pci.function().physicalFunction().orElse(address);
        String path = sysfs.linkTarget("sys/bus/pci/devices/" + top).orElse("");
        Set<PciAddress> way = new LinkedHashSet<>(PciAddress.allIn(path).toList());
        way.add(top);
        way.add(address);
        Twig twig = root(pci, path);
        int depth = 0;
        for (PciAddress step : way) {
            ShownDevice there = byAddress.get(step);
            String port = depth == 0 ? "root port" : "switch port";
            twig = twig.below(new PartKey(Optional.of(step), ""), () -> Labels.ofFunction(step, there, port));
            depth++;
        }
        if (!Labels.isWholeFunction(one.device())) {
            twig = twig.below(new PartKey(Optional.empty(), one.device().id()), () -> Labels.of(one));
        }
        return way;
    }

    private Twig root(PciDevice pci, String path) {
        Matcher root = PCI_ROOT.matcher(path);
        String name = root.find() ? root.group() : "pci";
        Twig node = numaNodes.computeIfAbsent(
                pci.numaNode().orElse(NOWHERE),
                number -> new Twig(
                        number == NOWHERE ? Branch.of("PCI", "NUMA node unknown") : Branch.of("NUMA node " + number)));
        return node.below(new PartKey(Optional.empty(), name), () -> Branch.of(name, "PCIe root"));
    }
}
