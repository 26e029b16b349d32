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
 * Finds pods that have ended by what is left of them on the node. The kubelet removes a pod from its notes only when it
 * gives devices to another pod. It never does that while these devices are unhealthy because of the old pod.
 *
 * <p>The kubelet makes a pod's cgroup and then its directory when it starts the pod, some time after it has given
 * devices to it. It removes the cgroup when the pod has ended, and the directory when the pod is deleted (syncPod,
 * syncTerminatedPod and HandlePodCleanups in pkg/kubelet/kubelet.go). So a pod that has a cgroup may run, also without
 * a directory. A cgroup or directory that never existed proves nothing for a while. After a reboot of the node, the
 * directory exists long before the cgroup.
 */
public final class EndedPods {

    private static final List<String> QUALITIES = List.of("", "besteffort", "burstable");

    private final Path pods;
    private final List<Path> hierarchies;

    private final Duration patience;

    /**
     * Since when the directory of a pod is missing, by {@link System#nanoTime}. A very old time means that it has
     * existed.
     */
    private final Map<String, Long> directories = new ConcurrentHashMap<>();

    /** The same for its cgroup. */
    private final Map<String, Long> cgroups = new ConcurrentHashMap<>();

    /**
     * The pods of a kubelet.
     *
     * @param pods in which it has a directory for each pod
     * @param cgroups the directory of cgroups, in version 1 that of a controller
     * @param patience how long to wait for a directory or cgroup; a pod without one has then come and gone unseen
     */
    public EndedPods(Path pods, Path cgroups, Duration patience) {
        this.patience = patience;
        this.pods = pods;
        this.hierarchies = List.of(cgroups, cgroups.resolve("memory"));
    }

    /** Whether nothing is left of a pod, for a look without a past. A pod that was admitted just now has nothing yet. */
    public static boolean isNothingLeft(Path pods, String uid) {
        return new EndedPods(pods, Path.of("/sys/fs/cgroup"), Duration.ZERO).hasEnded(uid);
    }

    /** Whether it is certain that no process of a pod runs any more. */
    public boolean hasEnded(String uid) {
        if (!isName(uid) || !Files.isDirectory(pods)) {
            return false;
        }
        if (isGone(directories, uid, Files.isDirectory(pods.resolve(uid)))) {
            return !hasCgroup(uid);
        }
        return hierarchies.stream().anyMatch(EndedPods::isKubelets) && isGone(cgroups, uid, hasCgroup(uid));
    }

    /**
     * Whether a kubelet names a pod or a container so, and its directory. Others than the kubelet can write to where it
     * notes them, and no name from there leads elsewhere.
     */
    public static boolean isName(String name) {
        return name.matches("[A-Za-z0-9][-A-Za-z0-9_.]*");
    }

    private boolean isGone(Map<String, Long> missing, String uid, boolean isThere) {
        long now = System.nanoTime();
        if (isThere) {
            // It has existed, so from now on its absence counts at once.
            missing.put(uid, now - patience.toNanos());
            return false;
        }
        return now - missing.computeIfAbsent(uid, first -> now) >= patience.toNanos();
    }

    /** Whether processes of a pod may still run. The kubelet removes the cgroup after the last of them. */
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

    /** Looks for the names of both of the kubelet's cgroup drivers; see pkg/kubelet/cm/cgroup_manager_linux.go. */
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
