package io.edgeplug.node.vfs;

import io.edgeplug.model.device.NodeUse;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.model.device.PhysicalFunction.Vf;
import io.edgeplug.model.device.Vfio;
import io.edgeplug.model.rules.KeptFunctions;
import io.edgeplug.node.pods.EndedPods;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.node.pods.Holdings;
import io.edgeplug.node.pods.PodCgroups;
import io.edgeplug.node.pods.PodNames;
import io.edgeplug.node.prepare.PciBinding;
import io.edgeplug.node.scan.DeviceScan;
import io.edgeplug.system.files.ForeignFile;
import io.edgeplug.system.files.Ownership;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.MemoryBudget;
import io.edgeplug.system.kernel.KernelCalls;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds users of VFs that will be changed: the node itself, a pod, another network namespace, or a process with VFIO. A
 * PF without VFs may be a pod's too.
 */
final class VfHolders {

    /** A pod that was given devices does not start, and has no directory, until the node's network is ready. */
    private static final Duration START_OF_A_POD = Duration.ofMinutes(10);

    /** The checkpoint and the notes of claims may have as much as the budget has. */
    private static final int ALL_OF_IT = Integer.MAX_VALUE;

    /** All PFs are looked at together, and their notes are read one after the other. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** One answer of the kubelet is for all PFs that are looked at together, also that it does not answer. */
    private static final Duration SAME_NAMES = Duration.ofSeconds(30);

    private static final String CGROUPS = "sys/fs/cgroup";

    private final Sysfs sysfs;
    private final NodeVfs.@Nullable Kubelet kubelet;
    private final boolean isThisNode;

    // Guarded by this.
    private Deadline namesUntil = Deadline.in(Duration.ZERO);
    private @Nullable PodNames names;

    /**
     * The holders on a node, which may have a kubelet.
     *
     * @param isThisNode whether its kubelet can be asked for the names of pods, and its kernel for the time of the boot
     */
    VfHolders(Sysfs sysfs, NodeVfs.@Nullable Kubelet kubelet, boolean isThisNode) {
        this.sysfs = sysfs;
        this.kubelet = kubelet;
        this.isThisNode = isThisNode;
    }

    /**
     * Why functions must not be touched.
     *
     * @param byFunction by their addresses
     * @param note what could not be seen without root
     */
    record Found(Map<PciAddress, String> byFunction, Optional<String> note) {}

    /**
     * The users of a PF itself or of its VFs, as far as they are wanted.
     *
     * @param kept what the administrator says of the node's own use
     */
    Found of(PhysicalFunction pf, Set<PciAddress> wanted, KeptFunctions kept) {
        Map<PciAddress, String> holders = new HashMap<>();
        Optional<String> note = Optional.empty();
        if (wanted.isEmpty()) {
            return new Found(holders, note);
        }
        Pods pods = pods(wanted);
        DeviceScan devices = new DeviceScan(sysfs);
        for (PciAddress function : wanted) {
            try {
                NodeUse own = kept.use(devices.function(function));
                holder(pf, function, own, pods).ifPresent(holder -> holders.put(function, holder));
            } catch (IOException e) {
                if (Ownership.isRoot()) {
                    holders.put(function, "it is not known whether it is used: " + e.getMessage());
                } else {
                    note = Optional.of("only root can see who uses its VFs: " + e.getMessage());
                }
            }
        }
        return new Found(holders, note);
    }

    private Optional<String> holder(PhysicalFunction pf, PciAddress function, NodeUse own, Pods pods)
            throws IOException {
        Optional<Vf> found =
                pf.vfs().stream().filter(vf -> vf.address().equals(function)).findFirst();
        if (found.isPresent() && own.objection().isPresent()) {
            return own.objection();
        }
        Optional<String> holder = pods.holder(function);
        if (holder.isPresent() || found.isEmpty()) {
            return holder;
        }
        Vf vf = found.orElseThrow();
        return vf.isInterfaceElsewhere()
                ? Optional.of("its network interface is in another network namespace, as a pod's is")
                : vfioUser(vf);
    }

    /**
     * The kernel lets only one process open a group. Before it removes a VF, it waits for that process, perhaps for
     * ever.
     */
    private Optional<String> vfioUser(Vf vf) throws IOException {
        // A captured node has no /dev, and nothing is changed there.
        if (vf.driver().filter(Vfio::isDriver).isEmpty() || !sysfs.exists("dev")) {
            return Optional.empty();
        }
        Optional<String> node = groupNode(vf);
        if (node.isEmpty() || !sysfs.exists(node.orElseThrow())) {
            // Its node goes with the driver, which the daemon may have taken from it since the plan was read.
            if (!new PciBinding(sysfs, vf.address()).driver().equals(vf.driver())) {
                return Optional.empty();
            }
            throw new IOException("it is not known whether it is open: "
                    + vf.driver().orElseThrow() + " has it, and there is no node of its IOMMU group in /dev/vfio");
        }
        return sysfs.isBusy(node.orElseThrow())
                ? Optional.of("a process has it open through VFIO, as /" + node.orElseThrow())
                : Optional.empty();
    }

    /** On a node without an IOMMU, the kernel makes up a group, and its node has another name. */
    private Optional<String> groupNode(Vf vf) throws IOException {
        if (vf.iommuGroup().isEmpty()) {
            return Optional.empty();
        }
        int group = vf.iommuGroup().getAsInt();
        boolean isWithoutIommu =
                sysfs.read("sys/kernel/iommu_groups/" + group + "/name").equals(Optional.of("vfio-noiommu"));
        return new Vfio(OptionalInt.of(group), isWithoutIommu, Optional.empty())
                .groupNode()
                .map(path -> path.substring(1));
    }

    private interface Pods {
        Optional<String> holder(PciAddress function) throws IOException;
    }

    /** The pods and claims of all these functions. */
    private Pods pods(Set<PciAddress> wanted) {
        try {
            Path notes = kubelet == null
                    ? null
                    : ForeignFile.near(kubelet.pluginDir().resolve(HeldDevices.FILE));
            try {
                return pods(wanted, notes == null || !areOfThisBoot(notes) ? null : notes);
            } catch (IOException e) {
                if (notes == null || !Files.notExists(notes)) {
                    throw e;
                }
                // They were there, and somebody has deleted them meanwhile.
                return pods(wanted, null);
            }
        } catch (IOException e) {
            return function -> {
                throw e;
            };
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return function -> {
                throw new IOException("edgeplug is stopping");
            };
        }
    }

    /** The same by these notes of the kubelet; null if it has none that count. */
    private Pods pods(Set<PciAddress> wanted, @Nullable Path notes) throws IOException, InterruptedException {
        Predicate<Holding> runs = notes == null ? any -> true : running(notes);
        Map<PciAddress, Pods> found = new HashMap<>();
        try (MemoryBudget.Share ignored = MemoryBudget.OF_PROCESS.take(ALL_OF_IT, PATIENCE)) {
            Path kubeletDir =
                    notes == null ? null : Objects.requireNonNull(kubelet).pluginDir();
            Holdings holdings = Holdings.read(sysfs.locate(""), kubeletDir);
            wanted.forEach(function -> found.put(function, holder(holdings, function, runs)));
        }
        return function -> Objects.requireNonNull(found.get(function)).holder(function);
    }

    /** Who has one function, or why that is not known. It keeps nothing else of the notes. */
    private Pods holder(Holdings holdings, PciAddress function, Predicate<Holding> runs) {
        try {
            Optional<Holding> held =
                    holdings.ofFunction(function, holding -> holding.claim().isPresent() || runs.test(holding));
            Optional<String> claim = held.flatMap(holdings::claim).map(name -> name + " has it");
            return any -> claim.or(() -> held.map(holding -> "container %s of pod %s has it, as %s of %s"
                    .formatted(holding.container(), name(holding), holding.id(), holding.resource())));
        } catch (IOException e) {
            return any -> {
                throw e;
            };
        }
    }

    /** Whether a kubelet has written notes since the boot; if none has, no pod has a device. */
    private boolean areOfThisBoot(Path notes) throws IOException {
        return !Files.notExists(notes) && !isOfBootBefore(notes);
    }

    /** The pod, as {@code namespace/name}, or by its UID if the kubelet does not run or does not answer. */
    private synchronized String name(Holding holding) {
        if (isThisNode && namesUntil.isOver()) {
            names = ask();
            namesUntil = Deadline.in(SAME_NAMES);
        }
        return Optional.ofNullable(names)
                .flatMap(all -> all.of(holding))
                .map(holder -> holder.namespace() + "/" + holder.pod())
                .orElse(holding.pod());
    }

    private @Nullable PodNames ask() {
        try (UnixRpc rpc = UnixRpc.open()) {
            return PodNames.read(rpc, Objects.requireNonNull(kubelet).root(), resource -> true);
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Whether the notes are older than this boot and the kubelet has started no pod since. It first makes the cgroup
     * above those of all pods, which decides if the clock was wrong.
     */
    private boolean isOfBootBefore(Path notes) throws IOException {
        Optional<Instant> boot = boot();
        return boot.isPresent()
                && Files.getLastModifiedTime(notes).toInstant().isBefore(boot.orElseThrow())
                && !mayHaveCgroupOfPods();
    }

    /** The first number of {@code /proc/uptime} is in seconds. The units do not see that file (ProcSubset=pid). */
    private Optional<Instant> boot() throws IOException {
        Optional<String> uptime = sysfs.read("proc/uptime");
        if (uptime.isEmpty() && isThisNode) {
            return Optional.of(Instant.now().minus(KernelCalls.sinceBoot()));
        }
        try {
            return uptime.map(text ->
                    Instant.now().minusMillis(Math.round(1000 * Double.parseDouble(text.split(" ", 2)[0]))));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Without a look at cgroups it is not certain that there is none. */
    private boolean mayHaveCgroupOfPods() {
        Path cgroups = sysfs.locate(CGROUPS);
        return !Files.isReadable(cgroups) || new PodCgroups(cgroups).exist();
    }

    /** The kubelet's notes name ended pods until it gives devices to another one. */
    private Predicate<Holding> running(Path notes) throws IOException {
        Instant noted = Files.getLastModifiedTime(notes).toInstant();
        boolean isFresh = noted.plus(START_OF_A_POD).isAfter(Instant.now());
        EndedPods ended = new EndedPods(
                Objects.requireNonNull(kubelet).root().resolve("pods"),
                sysfs.locate(CGROUPS),
                isFresh ? Duration.ofDays(1) : Duration.ZERO);
        return holding -> !ended.hasEnded(holding.pod());
    }
}
