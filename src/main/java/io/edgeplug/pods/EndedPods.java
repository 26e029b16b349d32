package io.edgeplug.pods;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Which pods have ended, by what is left of them on the node: the kubelet takes a pod from its notes only when it gives
 * devices to another one, which it never does while these devices are unhealthy for that pod's sake.
 *
 * <p>The kubelet makes a pod's cgroup and then its directory once it starts the pod, some time after it has given it
 * devices; it removes the cgroup when the pod has ended, and the directory when it is deleted (syncPod,
 * syncTerminatedPod and HandlePodCleanups in pkg/kubelet/kubelet.go). So what never was there tells nothing for a while,
 * and after a reboot of the node the directory is there long before the cgroup.
 */
public final class EndedPods {

    private static final List<String> QUALITIES = List.of("", "besteffort", "burstable");

    private final Path pods;
    private final List<Path> hierarchies;

    private final Duration patience;

    /** Since when the directory of a pod is missing, by {@link System#nanoTime}; it was there if that is long ago. */
    private final Map<String, Long> directories = new ConcurrentHashMap<>();

    /** The same of its cgroup. */
    private final Map<String, Long> cgroups = new ConcurrentHashMap<>();

    /**
     * Those of a kubelet.
     *
     * @param pods in which it has a directory for each pod
     * @param cgroups where cgroups are, in version 1 those of a controller
     * @param patience after which a pod whose directory or cgroup never was there has come and gone unseen
     */
    public EndedPods(Path pods, Path cgroups, Duration patience) {
        this.patience = patience;
        this.pods = pods;
        this.hierarchies = List.of(cgroups, cgroups.resolve("memory"));
    }

    /** Whether it is certain that nothing of a pod runs any more. */
    public boolean hasEnded(String uid) {
        if (!isName(uid) || !Files.isDirectory(pods)) {
            return false;
        }
        if (isGone(directories, uid, Files.isDirectory(pods.resolve(uid)))) {
            return true;
        }
        return hierarchies.stream().anyMatch(EndedPods::isKubelets) && isGone(cgroups, uid, hasCgroup(uid));
    }

    /**
     * Whether a kubelet names a pod or a container so, and its directory. Others than the kubelet can write to where it notes
     * them, and no name from there leads elsewhere.
     */
    public static boolean isName(String name) {
        return name.matches("[A-Za-z0-9][-A-Za-z0-9_.]*");
    }

    private boolean isGone(Map<String, Long> missing, String uid, boolean isThere) {
        long now = System.nanoTime();
        if (isThere) {
            // once it was there, it is not waited for again
            missing.put(uid, now - patience.toNanos());
            return false;
        }
        return now - missing.computeIfAbsent(uid, first -> now) >= patience.toNanos();
    }

    /** Whether processes of a pod may still run: the kubelet removes its cgroup after the last of them. */
    boolean hasCgroup(String uid) {
        return isName(uid)
                && hierarchies.stream().anyMatch(hierarchy -> isKubelets(hierarchy) && hasCgroup(hierarchy, uid));
    }

    /** Forgets all other pods. */
    public void keep(Set<String> uids) {
        directories.keySet().retainAll(uids);
        cgroups.keySet().retainAll(uids);
    }

    private static boolean isKubelets(Path hierarchy) {
        return Files.isDirectory(hierarchy.resolve("kubepods.slice"))
                || Files.isDirectory(hierarchy.resolve("kubepods"));
    }

    /** By the names of both of the kubelet's cgroup drivers; see pkg/kubelet/cm/cgroup_manager_linux.go. */
    private static boolean hasCgroup(Path hierarchy, String uid) {
        return QUALITIES.stream()
                .flatMap(quality -> {
                    String slice = quality.isEmpty() ? "kubepods" : "kubepods-" + quality;
                    Path ofSystemd = hierarchy.resolve("kubepods.slice");
                    Path parent = quality.isEmpty() ? ofSystemd : ofSystemd.resolve(slice + ".slice");
                    return Stream.of(
                            parent.resolve(slice + "-pod" + uid.replace('-', '_') + ".slice"),
                            hierarchy.resolve("kubepods").resolve(quality).resolve("pod" + uid));
                })
                .anyMatch(Files::isDirectory);
    }
}
