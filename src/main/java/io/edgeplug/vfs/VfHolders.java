package io.edgeplug.vfs;

import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PhysicalFunction;
import io.edgeplug.device.PhysicalFunction.Vf;
import io.edgeplug.device.Vfio;
import io.edgeplug.linux.Ownership;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.pods.EndedPods;
import io.edgeplug.pods.HeldDevices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Who uses VFs that somebody wants to change: a pod, another network namespace, or a process with VFIO. */
final class VfHolders {

    /** A pod that was given devices waits with its start, and has no directory, until the node's network is ready. */
    private static final Duration START_OF_A_POD = Duration.ofMinutes(10);

    private final Sysfs sysfs;
    private final Optional<NodeVfs.Kubelet> kubelet;

    /** Of a node, which may have a kubelet. */
    VfHolders(Sysfs sysfs, Optional<NodeVfs.Kubelet> kubelet) {
        this.sysfs = sysfs;
        this.kubelet = kubelet;
    }

    /**
     * Why VFs are not to be touched.
     *
     * @param byVf by their addresses
     * @param note what was not seen, since this process is not root's
     */
    record Found(Map<PciAddress, String> byVf, Optional<String> note) {}

    /** Who uses some of a PF's VFs. */
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
                        holders.put(vf.address(), "nothing tells whether it is used: " + e.getMessage());
                    } else {
                        note = Optional.of("only root is told who uses its VFs: " + e.getMessage());
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
        Optional<String> pod = pods.holder(vf.address());
        return pod.isPresent() ? pod : vfioUser(vf);
    }

    /** The kernel lets only one process open a group, and waits for it, maybe for ever, before it removes a VF. */
    private Optional<String> vfioUser(Vf vf) throws IOException {
        if (vf.driver().filter(Vfio::isDriver).isEmpty() || vf.iommuGroup().isEmpty()) {
            return Optional.empty();
        }
        String node = "dev/vfio/" + vf.iommuGroup().orElseThrow();
        return sysfs.isBusy(node) ? Optional.of("a process has it open through VFIO, as /" + node) : Optional.empty();
    }

    private interface Pods {
        Optional<String> holder(PciAddress vf) throws IOException;
    }

    /** Where no kubelet has noted anything, no pod has a device. */
    private Pods pods() {
        Optional<Path> notes = kubelet.map(one -> one.pluginDir().resolve(HeldDevices.FILE));
        if (notes.isEmpty() || Files.notExists(notes.orElseThrow())) {
            return vf -> Optional.empty();
        }
        try {
            EndedPods ended = endedPods(notes.orElseThrow(), kubelet.orElseThrow().root());
            HeldDevices held = HeldDevices.read(kubelet.orElseThrow().pluginDir());
            return vf -> held.ofFunction(vf, holding -> !ended.hasEnded(holding.pod()))
                    .map(holding -> "container %s of pod %s has it, as %s of %s"
                            .formatted(holding.container(), holding.pod(), holding.id(), holding.resource()));
        } catch (IOException e) {
            return vf -> {
                throw e;
            };
        }
    }

    private static boolean isRoot() {
        try {
            return Ownership.isRoot();
        } catch (IOException e) {
            return true;
        }
    }

    /** The kubelet's notes name pods that have ended until it gives devices to another one. */
    private EndedPods endedPods(Path notes, Path root) throws IOException {
        Instant noted = Files.getLastModifiedTime(notes).toInstant();
        boolean isFresh = noted.plus(START_OF_A_POD).isAfter(Instant.now());
        return new EndedPods(
                root.resolve("pods"),
                sysfs.locate("sys/fs/cgroup"),
                isFresh ? Duration.ofDays(1) : Duration.ZERO);
    }
}
