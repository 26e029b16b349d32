package io.edgeplug.vfs;

import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PhysicalFunction;
import io.edgeplug.device.PhysicalFunction.Vf;
import io.edgeplug.device.Vfio;
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

    /** A pod that was given devices has its directory long before that. */
    private static final Duration START_OF_A_POD = Duration.ofSeconds(30);

    private final Sysfs sysfs;
    private final Optional<Path> kubeletDir;

    /** Of a node whose kubelet has that directory for device plugins, if it has one. */
    VfHolders(Sysfs sysfs, Optional<Path> kubeletDir) {
        this.sysfs = sysfs;
        this.kubeletDir = kubeletDir;
    }

    /** Why some of a PF's VFs are not to be touched, by their addresses. */
    Map<PciAddress, String> of(PhysicalFunction pf, Set<PciAddress> wanted) {
        Map<PciAddress, String> holders = new HashMap<>();
        if (wanted.isEmpty()) {
            return holders;
        }
        Pods pods = pods();
        for (Vf vf : pf.vfs()) {
            if (wanted.contains(vf.address())) {
                pods.holder(vf.address())
                        .or(() -> vf.isInterfaceElsewhere()
                                ? Optional.of("its network interface is in another network namespace, as a pod's is")
                                : vfioUser(vf))
                        .ifPresent(holder -> holders.put(vf.address(), holder));
            }
        }
        return holders;
    }

    /** The kernel lets only one process open a group, and waits for it, maybe for ever, before it removes a VF. */
    private Optional<String> vfioUser(Vf vf) {
        if (vf.driver().filter(Vfio::isDriver).isEmpty() || vf.iommuGroup().isEmpty()) {
            return Optional.empty();
        }
        String node = "dev/vfio/" + vf.iommuGroup().orElseThrow();
        try {
            return sysfs.isBusy(node)
                    ? Optional.of("a process has it open through VFIO, as /" + node)
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.of("a process may have it open through VFIO: " + e.getMessage());
        }
    }

    private interface Pods {
        Optional<String> holder(PciAddress vf);
    }

    /** Where no kubelet has noted anything, no pod has a device; where its notes cannot be read, any may have. */
    private Pods pods() {
        if (kubeletDir.isEmpty() || Files.notExists(kubeletDir.orElseThrow().resolve(HeldDevices.FILE))) {
            return vf -> Optional.empty();
        }
        Path directory = kubeletDir.orElseThrow();
        try {
            EndedPods ended = endedPods(directory);
            HeldDevices held = HeldDevices.read(directory);
            return vf -> held.ofFunction(vf, holding -> !ended.hasEnded(holding.pod()))
                    .map(holding -> "container %s of pod %s has it, as %s of %s"
                            .formatted(holding.container(), holding.pod(), holding.id(), holding.resource()));
        } catch (IOException e) {
            return vf -> Optional.of("a pod may have it, for nothing tells: " + e.getMessage());
        }
    }

    /** The kubelet's notes name pods that have ended until it gives devices to another one. */
    private EndedPods endedPods(Path directory) throws IOException {
        Instant noted =
                Files.getLastModifiedTime(directory.resolve(HeldDevices.FILE)).toInstant();
        boolean isFresh = noted.plus(START_OF_A_POD).isAfter(Instant.now());
        return new EndedPods(
                directory.resolveSibling("pods"),
                sysfs.locate("sys/fs/cgroup"),
                isFresh ? Duration.ofDays(1) : Duration.ZERO);
    }
}
