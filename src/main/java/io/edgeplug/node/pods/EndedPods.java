package io.edgeplug.node.pods;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

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

    private final Path pods;

    /** Those of pods whose processes may still run. The kubelet removes a cgroup after the last of them. */
    final PodCgroups cgroups;

    private final Duration patience;

    /**
     * Since when the directory of a pod is missing, by {@link System#nanoTime}. A very old time means that it has
     * existed.
     */
    private final Map<String, Long> directories = new ConcurrentHashMap<>();

    /** The same for its cgroup. */
    private final Map<String, Long> withoutCgroup = new ConcurrentHashMap<>();

    /**
     * The pods of a kubelet.
     *
     * @param pods in which it has a directory for each pod
     * @param cgroups where cgroups are mounted
     * @param patience how long to wait for a directory or cgroup; a pod without one has then come and gone unseen
     */
    public EndedPods(Path pods, Path cgroups, Duration patience) {
        this.patience = patience;
        this.pods = pods;
        this.cgroups = new PodCgroups(cgroups);
    }

    /** The pods of which nothing is left, for looks without a past. A pod that was admitted just now has nothing yet. */
    public static EndedPods withoutPast(Path pods) {
        return new EndedPods(pods, Path.of("/sys/fs/cgroup"), Duration.ZERO);
    }

    /** Whether it is certain that no process of a pod runs any more. */
    public boolean hasEnded(String uid) {
        if (!isName(uid) || !Files.isDirectory(pods)) {
            return false;
        }
        if (isGone(directories, uid, Files.isDirectory(pods.resolve(uid)))) {
            return !cgroups.has(uid);
        }
        return cgroups.exist() && isGone(withoutCgroup, uid, cgroups.has(uid));
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

    /** Forgets all other pods. */
    public void keep(Set<String> uids) {
        directories.keySet().retainAll(uids);
        withoutCgroup.keySet().retainAll(uids);
    }
}
