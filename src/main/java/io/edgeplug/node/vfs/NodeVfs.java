package io.edgeplug.node.vfs;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.model.rules.VfGroups;
import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.model.rules.WantedVfs.EswitchMode;
import io.edgeplug.model.rules.WantedVfs.RdmaNetns;
import io.edgeplug.node.scan.PhysicalFunctionScan;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.LosableThreads;
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
import org.jspecify.annotations.Nullable;

/**
 * Plans the VFs of a node: reads its PFs, and plans each with the entry that takes it.
 *
 * <p>It changes nothing and needs no root. Without root, it cannot see whether VFs are open through VFIO, nor the mode of an
 * eswitch without VFs.
 *
 * @param read the deadline for reading all PFs
 * @param looks at PFs: one that hangs in the kernel delays no other
 * @param steps on PFs
 */
public record NodeVfs(
        Sysfs sysfs, NodeTools tools, VfHolders holders, Duration read, LosableThreads looks, LosableThreads steps) {

    private static final String HANGS = "cannot be read: a look at it hangs in the kernel, whose log may say why";
    private static final String VFIO = "sys/module/vfio";
    private static final String NETNS_MODE = "sys/module/ib_core/parameters/netns_mode";

    /**
     * The kernel answers in milliseconds, but devlink and ip may wait for another change of a PF, and a kubelet that is
     * asked for the names of pods may hang.
     */
    private static final Duration READ = NodeTools.PATIENCE.multipliedBy(2).plusSeconds(20);

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
     * @param programs the root directory of {@code ip} and {@code devlink} for this node's kernel; null if there are
     *     none, as for a captured node
     * @param kubelet null if the node has none
     */
    public NodeVfs(Sysfs sysfs, @Nullable Path programs, @Nullable Kubelet kubelet) {
        this(sysfs, programs, kubelet, READ);
    }

    /** The same with another deadline for reading a PF. */
    NodeVfs(Sysfs sysfs, @Nullable Path programs, @Nullable Kubelet kubelet, Duration read) {
        this(
                sysfs,
                new NodeTools(Optional.ofNullable(programs)),
                new VfHolders(sysfs, kubelet, programs != null),
                read,
                new LosableThreads(),
                new LosableThreads());
    }

    /** The same node, whose kubelet has these directories. What hangs in the kernel is still known. */
    NodeVfs with(@Nullable Kubelet kubelet) {
        VfHolders others = new VfHolders(sysfs, kubelet, tools.root().isPresent());
        return new NodeVfs(sysfs, tools, others, read, looks, steps);
    }

    /** Begins to look at a PF, unless an earlier look at it hangs. */
    static <T> LosableThreads.Call<T> look(LosableThreads looks, PciAddress pf, LosableThreads.Work<T> look) {
        return looks.call(pf, "vfs look at " + pf, look);
    }

    /**
     * Plans all PFs of the node, also those that no entry takes. If a PF cannot be read in time, its plan says so.
     *
     * @throws IOException if the node does not list its PFs
     */
    public List<PfPlan> plan(List<WantedVfs> entries) throws IOException, InterruptedException {
        List<PciAddress> pfs = new PhysicalFunctionScan(sysfs).addresses();
        List<PfPlan> plans = new ArrayList<>();
        List<LosableThreads.Call<Optional<PfPlan>>> calls =
                pfs.stream().map(pf -> look(looks, pf, () -> plan(pf, entries))).toList();
        Deadline end = Deadline.in(read);
        for (int i = 0; i < pfs.size(); i++) {
            try {
                calls.get(i).await(end.left()).ifPresent(plans::add);
            } catch (LosableThreads.OverdueException e) {
                plans.add(PfPlan.unread(pfs.get(i), HANGS));
            } catch (IOException e) {
                plans.add(PfPlan.unread(pfs.get(i), "cannot be read: " + e.getMessage()));
            }
        }
        Map<WantedVfs, PciAddress> first = new HashMap<>();
        plans.replaceAll(plan -> plan.wanted()
                .flatMap(wanted -> dispute(plan.pf(), takers(plan.pf(), entries), first)
                        .map(problem -> PfPlan.without(plan.pf(), wanted, problem)))
                .orElse(plan));
        return plans;
    }

    /** Empty if it has just gone. */
    private Optional<PfPlan> plan(PciAddress address, List<WantedVfs> entries) throws IOException {
        return new PhysicalFunctionScan(sysfs).of(address).map(pf -> {
            List<WantedVfs> takers = takers(pf, entries);
            return takers.isEmpty() ? PfPlan.without(pf, null) : plan(pf, new VfGroups(takers));
        });
    }

    private static List<WantedVfs> takers(PhysicalFunction pf, List<WantedVfs> entries) {
        return entries.stream().filter(one -> one.takes(pf.device())).toList();
    }

    /** A line for each PF of which several entries want different things, which is a mistake. */
    public static List<String> disputes(List<WantedVfs> entries, List<PfPlan> plans) {
        return plans.stream()
                .map(PfPlan::pf)
                .flatMap(pf -> twice(takers(pf, entries)).map(problem -> pf.name() + ": " + problem).stream())
                .toList();
    }

    private static Optional<String> dispute(
            PhysicalFunction pf, List<WantedVfs> takers, Map<WantedVfs, PciAddress> first) {
        Optional<String> twice = twice(takers);
        if (twice.isPresent()) {
            return twice;
        }
        return takers.stream()
                .flatMap(taker -> otherPf(pf, taker, first).stream())
                .findFirst();
    }

    private static Optional<String> otherPf(PhysicalFunction pf, WantedVfs taker, Map<WantedVfs, PciAddress> first) {
        PciAddress other = first.computeIfAbsent(taker, none -> pf.address());
        boolean isNamed = taker.mac().isForOnePf() || taker.guid().isForOnePf();
        return isNamed && !other.equals(pf.address())
                ? Optional.of("its entry names addresses, which the VFs of " + other + " get too: " + taker.place())
                : Optional.empty();
    }

    private static Optional<String> twice(List<WantedVfs> takers) {
        return new VfGroups(takers).contradiction();
    }

    private PfPlan plan(PhysicalFunction pf, VfGroups wanted) {
        PfReading reading = read(pf, wanted);
        PfPlan free = VfsPlanner.plan(wanted, reading, Map.of());
        VfHolders.Found found = holders.of(pf, VfsPlanner.touched(free), wanted.kept());
        PfPlan plan = VfsPlanner.plan(wanted, reading, found.byFunction());
        List<String> notes = new ArrayList<>(plan.notes());
        found.note().ifPresent(notes::add);
        rdmaNote(wanted).ifPresent(notes::add);
        return new PfPlan(plan.pf(), plan.wanted(), plan.steps(), plan.lost(), plan.held(), plan.problems(), notes);
    }

    private PfReading read(PhysicalFunction pf, VfGroups wanted) {
        NodeTools.Link link = link(pf);
        return new PfReading(
                withEswitch(pf, wanted),
                link.settings(),
                link.permanentAddress(),
                PfSteps.autoprobeNotes(sysfs).exists(pf.address().toString()),
                isIommuOptional(),
                drivers());
    }

    /** Sysfs does not show the mode of an eswitch without VFs, so devlink is asked where an entry wants one. */
    private PhysicalFunction withEswitch(PhysicalFunction pf, VfGroups wanted) {
        return wanted.eswitch()
                .flatMap(any -> tools.eswitch(pf.address()))
                .map(mode -> pf.inSwitchdev(mode == EswitchMode.SWITCHDEV))
                .orElse(pf);
    }

    /** If udev has just changed the name of its interface, it is looked up once more. */
    private NodeTools.Link link(PhysicalFunction pf) {
        Optional<String> name = pf.port().map(PhysicalFunction.Port::name);
        NodeTools.Link link = name.map(tools::link).orElse(NodeTools.Link.UNKNOWN);
        if (name.isEmpty() || tools.root().isEmpty() || !link.equals(NodeTools.Link.UNKNOWN)) {
            return link;
        }
        try {
            Optional<String> now =
                    new PhysicalFunctionScan(sysfs).port(pf.address()).map(PhysicalFunction.Port::name);
            return now.equals(name) ? link : now.map(tools::link).orElse(link);
        } catch (IOException e) {
            return link;
        }
    }

    /** Also as long as VFIO is not loaded, since its options are not known before. */
    private boolean isIommuOptional() {
        try {
            return sysfs.names(VFIO).isEmpty()
                    || sysfs.read(VFIO + "/parameters/enable_unsafe_noiommu_mode")
                            .equals(Optional.of("Y"));
        } catch (IOException e) {
            return true;
        }
    }

    private Set<String> drivers() {
        try {
            return new HashSet<>(sysfs.names("sys/bus/pci/drivers"));
        } catch (IOException e) {
            return Set.of();
        }
    }

    /** The mode belongs to the whole node, and can only be changed before there is a second network namespace. */
    private Optional<String> rdmaNote(VfGroups wanted) {
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
}
