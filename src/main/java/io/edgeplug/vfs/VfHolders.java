package io.edgeplug.vfs;

import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PhysicalFunction;
import io.edgeplug.device.PhysicalFunction.Vf;
import io.edgeplug.device.Vfio;
import io.edgeplug.linux.Ownership;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.pods.EndedPods;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.pods.PodNames;
import io.edgeplug.pods.PreparedClaim;
import io.edgeplug.pods.PreparedClaims;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/** Finds users of VFs that will be changed: a pod, another network namespace, or a process with VFIO. */
final class VfHolders {

    /** A pod that was given devices does not start, and has no directory, until the node's network is ready. */
    private static final Duration START_OF_A_POD = Duration.ofMinutes(10);

    /** In version 1 there is one more level, for the controllers. */
    private static final int CGROUP_DEPTH = 4;

    private final Sysfs sysfs;
    private final Optional<NodeVfs.Kubelet> kubelet;
    private final boolean isThisNode;

    /**
     * The holders on a node, which may have a kubelet.
     *
     * @param isThisNode whether its kubelet can be asked for the names of pods
     */
    VfHolders(Sysfs sysfs, Optional<NodeVfs.Kubelet> kubelet, boolean isThisNode) {
        this.sysfs = sysfs;
        this.kubelet = kubelet;
        this.isThisNode = isThisNode;
    }

    /**
     * Why VFs must not be touched.
     *
     * @param byVf by their addresses
     * @param note what could not be seen without root
     */
    record Found(Map<PciAddress, String> byVf, Optional<String> note) {}

    /** The users of some of a PF's VFs. */
    Found of(PhysicalFunction pf, Set<PciAddress> wanted) {
        Map<PciAddress, String> holders = new HashMap<>();
        Optional<String> note = Optional.empty();
        if (wanted.isEmpty()) {
            return new Found(holders, note);
        }
        Pods pods = pods();
        for (Vf vf : pf.vfs()) {
            if (wanted.contains(vf.address())) {
                try {
                    holder(vf, pods).ifPresent(holder -> holders.put(vf.address(), holder));
                } catch (IOException e) {
                    if (isRoot()) {
                        holders.put(vf.address(), "it is not known whether it is used: " + e.getMessage());
                    } else {
                        note = Optional.of("only root can see who uses its VFs: " + e.getMessage());
                    }
                }
            }
        }
        return new Found(holders, note);
    }

    private Optional<String> holder(Vf vf, Pods pods) throws IOException {
        if (vf.isInterfaceElsewhere()) {
            return pods.holder(vf.address())
                    .or(() -> Optional.of("its network interface is in another network namespace, as a pod's is"));
        }
        String address = vf.address().toString();
        Optional<PreparedClaim> claim =
                PreparedClaims.having(sysfs.locate(""), id -> id.equals(address) || id.startsWith(address + "-"));
        if (claim.isPresent()) {
            return Optional.of(claim.orElseThrow() + " has it");
        }
        Optional<String> pod = pods.holder(vf.address());
        return pod.isPresent() ? pod : vfioUser(vf);
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
        Optional<String> holder(PciAddress vf) throws IOException;
    }

    /** If no kubelet has written notes, no pod has a device. */
    private Pods pods() {
        Optional<Path> notes = kubelet.map(one -> one.pluginDir().resolve(HeldDevices.FILE));
        if (notes.isEmpty() || Files.notExists(notes.orElseThrow())) {
            return vf -> Optional.empty();
        }
        try {
            if (isOfBootBefore(notes.orElseThrow())) {
                return vf -> Optional.empty();
            }
            EndedPods ended =
                    endedPods(notes.orElseThrow(), kubelet.orElseThrow().root());
            HeldDevices held = HeldDevices.read(kubelet.orElseThrow().pluginDir());
            Names names = new Names();
            return vf -> held.ofFunction(vf, holding -> !ended.hasEnded(holding.pod()))
                    .map(holding -> "container %s of pod %s has it, as %s of %s"
                            .formatted(holding.container(), names.of(holding), holding.id(), holding.resource()));
        } catch (IOException e) {
            return vf -> {
                throw e;
            };
        }
    }

    /** The names of pods, as {@code namespace/name}. The kubelet is asked once, and only if somebody holds a VF. */
    private final class Names {

        private Optional<PodNames> known = Optional.empty();
        private boolean isAsked;

        /** The pod's UID if the kubelet does not run or does not answer. */
        String of(HeldDevices.Holding holding) {
            if (isThisNode && !isAsked) {
                isAsked = true;
                known = ask();
            }
            return known.flatMap(names -> names.of(holding))
                    .map(holder -> holder.namespace() + "/" + holder.pod())
                    .orElse(holding.pod());
        }

        private Optional<PodNames> ask() {
            try (UnixRpc rpc = UnixRpc.open()) {
                return Optional.of(PodNames.read(rpc, kubelet.orElseThrow().root(), resource -> true));
            } catch (IOException e) {
                return Optional.empty();
            }
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
                && !hasCgroupOfPods();
    }

    /** The first number of {@code /proc/uptime} is in seconds. */
    private Optional<Instant> boot() throws IOException {
        Optional<String> uptime = sysfs.read("proc/uptime");
        try {
            return uptime.map(text ->
                    Instant.now().minusMillis(Math.round(1000 * Double.parseDouble(text.split(" ", 2)[0]))));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** The kubelet's cgroup may be below others, such as {@code kubelet.slice/kubelet-kubepods.slice}. */
    private boolean hasCgroupOfPods() {
        Path cgroups = sysfs.locate("sys/fs/cgroup");
        try (Stream<Path> pods = Files.find(
                cgroups,
                CGROUP_DEPTH,
                (path, file) ->
                        file.isDirectory() && path.getFileName().toString().contains("kubepods"))) {
            return pods.findAny().isPresent();
        } catch (IOException | UncheckedIOException e) {
            // It is not certain that there is none.
            return true;
        }
    }

    private static boolean isRoot() {
        try {
            return Ownership.isRoot();
        } catch (IOException e) {
            return true;
        }
    }

    /** The kubelet's notes name ended pods until it gives devices to another one. */
    private EndedPods endedPods(Path notes, Path root) throws IOException {
        Instant noted = Files.getLastModifiedTime(notes).toInstant();
        boolean isFresh = noted.plus(START_OF_A_POD).isAfter(Instant.now());
        return new EndedPods(
                root.resolve("pods"), sysfs.locate("sys/fs/cgroup"), isFresh ? Duration.ofDays(1) : Duration.ZERO);
    }
}
