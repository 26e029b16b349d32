package io.edgeplug.vfs;

import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PhysicalFunction;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.rules.WantedVfs;
import io.edgeplug.rules.WantedVfs.RdmaNetns;
import io.edgeplug.scan.PhysicalFunctionScan;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Plans the VFs of a node: reads its PFs, and plans each with the entry that takes it.
 *
 * <p>It changes nothing and needs no root. Without root, it cannot see whether VFs are open through VFIO.
 */
public final class NodeVfs {

    private static final String NETNS_MODE = "sys/module/ib_core/parameters/netns_mode";

    /**
     * The kernel answers in milliseconds, but ip may wait for another change of an interface, and a kubelet that is
     * asked for the names of pods may hang.
     */
    private static final Duration READ = NodeTools.PATIENCE.plusSeconds(20);

    private final Sysfs sysfs;
    private final NodeTools tools;
    private final VfHolders holders;
    private final Duration read;
    private final PfLooks looks = new PfLooks();

    /**
     * The directories of the node's kubelet.
     *
     * @param pluginDir in which it notes which pod has which device
     * @param root in which it has a directory for each pod; device plugins may register elsewhere
     */
    public record Kubelet(Path pluginDir, Path root) {}

    /**
     * The VFs of a node.
     *
     * @param programs the root directory of {@code ip} and {@code devlink} for this node's kernel; empty if there are
     *     none, as for a captured node
     * @param kubelet empty if the node has none
     */
    public NodeVfs(Sysfs sysfs, Optional<Path> programs, Optional<Kubelet> kubelet) {
        this(sysfs, programs, kubelet, READ);
    }

    /** The same with another deadline for reading a PF. */
    NodeVfs(Sysfs sysfs, Optional<Path> programs, Optional<Kubelet> kubelet, Duration read) {
        this.sysfs = sysfs;
        this.tools = new NodeTools(programs);
        this.holders = new VfHolders(sysfs, kubelet, programs.isPresent());
        this.read = read;
    }

    NodeTools tools() {
        return tools;
    }

    Sysfs sysfs() {
        return sysfs;
    }

    VfHolders holders() {
        return holders;
    }

    PfLooks looks() {
        return looks;
    }

    /**
     * Plans all PFs of the node, also those that no entry takes. If a PF cannot be read in time, its plan says so.
     *
     * @throws IOException if the node does not list its PFs
     */
    public List<PfPlan> plan(List<WantedVfs> entries) throws IOException, InterruptedException {
        List<PciAddress> pfs = new PhysicalFunctionScan(sysfs).addresses();
        List<PfPlan> plans = new ArrayList<>();
        for (PfLooks.Outcome<Optional<PfPlan>> look : looks.each(pfs, pf -> plan(pf, entries), read)) {
            look.seen()
                    .ifPresentOrElse(
                            plan -> plan.ifPresent(plans::add),
                            () -> plans.add(
                                    PfPlan.unread(look.pf(), look.problem().orElseThrow())));
        }
        Map<WantedVfs, PciAddress> first = new HashMap<>();
        plans.replaceAll(plan -> plan.wanted()
                .flatMap(wanted -> dispute(plan.pf(), takers(plan.pf(), entries), first)
                        .map(problem -> refused(plan.pf(), wanted, problem)))
                .orElse(plan));
        return plans;
    }

    /** Empty if it has just gone. */
    private Optional<PfPlan> plan(PciAddress address, List<WantedVfs> entries) throws IOException {
        return new PhysicalFunctionScan(sysfs)
                .of(address)
                .map(pf -> takers(pf, entries).stream()
                        .findFirst()
                        .map(taker -> plan(pf, taker))
                        .orElseGet(() -> unwanted(pf)));
    }

    private static List<WantedVfs> takers(PhysicalFunction pf, List<WantedVfs> entries) {
        return entries.stream().filter(one -> one.takes(pf.device())).toList();
    }

    /** A line for each PF that several entries take, which is a mistake. */
    public static List<String> disputes(List<WantedVfs> entries, List<PfPlan> plans) {
        return plans.stream()
                .map(PfPlan::pf)
                .flatMap(pf -> twice(takers(pf, entries)).map(problem -> pf.name() + ": " + problem).stream())
                .toList();
    }

    private static Optional<String> dispute(
            PhysicalFunction pf, List<WantedVfs> takers, Map<WantedVfs, PciAddress> first) {
        Optional<String> twice = twice(takers);
        if (twice.isPresent() || takers.isEmpty()) {
            return twice;
        }
        WantedVfs taker = takers.getFirst();
        PciAddress other = first.computeIfAbsent(taker, none -> pf.address());
        boolean isNamed = taker.mac().isForOnePf() || taker.guid().isForOnePf();
        return isNamed && !other.equals(pf.address())
                ? Optional.of("its entry names addresses, which the VFs of " + other + " get too: " + taker.place())
                : Optional.empty();
    }

    private static Optional<String> twice(List<WantedVfs> takers) {
        return takers.size() < 2
                ? Optional.empty()
                : Optional.of("is taken by two [[vfs]] entries: "
                        + takers.get(0).place() + ", and " + takers.get(1).place());
    }

    private PfPlan plan(PhysicalFunction pf, WantedVfs wanted) {
        PfReading reading = read(pf);
        PfPlan free = VfsPlanner.plan(wanted, reading, Map.of());
        VfHolders.Found found = holders.of(pf, VfsPlanner.touched(free));
        PfPlan plan = VfsPlanner.plan(wanted, reading, found.byVf());
        List<String> notes = new ArrayList<>(plan.notes());
        found.note().ifPresent(notes::add);
        rdmaNote(wanted).ifPresent(notes::add);
        return new PfPlan(plan.pf(), plan.wanted(), plan.steps(), plan.lost(), plan.held(), plan.problems(), notes);
    }

    private PfReading read(PhysicalFunction pf) {
        NodeTools.Link link =
                pf.port().map(PhysicalFunction.Port::name).map(tools::link).orElse(NodeTools.Link.UNKNOWN);
        return new PfReading(
                pf,
                link.settings(),
                link.permanentAddress(),
                AutoprobeNote.of(sysfs, pf.address()).isThere(),
                drivers());
    }

    private Set<String> drivers() {
        try {
            return new HashSet<>(sysfs.names("sys/bus/pci/drivers"));
        } catch (IOException e) {
            return Set.of();
        }
    }

    /** The mode belongs to the whole node, and can only be changed before there is a second network namespace. */
    private Optional<String> rdmaNote(WantedVfs wanted) {
        try {
            Optional<RdmaNetns> mode = sysfs.read(NETNS_MODE)
                    .map(text -> text.equals("N") || text.equals("0") ? RdmaNetns.EXCLUSIVE : RdmaNetns.SHARED);
            return wanted.rdmaNetns()
                    .filter(asked -> mode.isPresent() && !mode.equals(Optional.of(asked)))
                    .map(asked -> "network namespaces share RDMA devices as "
                            + mode.orElseThrow().word() + " and not "
                            + asked.word() + ": put \"options ib_core netns_mode="
                            + (asked == RdmaNetns.SHARED ? 1 : 0) + "\" into /etc/modprobe.d and boot");
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static PfPlan unwanted(PhysicalFunction pf) {
        return new PfPlan(pf, Optional.empty(), List.of(), List.of(), List.of(), List.of(), List.of());
    }

    private static PfPlan refused(PhysicalFunction pf, WantedVfs wanted, String problem) {
        return new PfPlan(pf, Optional.of(wanted), List.of(), List.of(), List.of(), List.of(problem), List.of());
    }
}
