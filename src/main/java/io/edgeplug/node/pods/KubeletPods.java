package io.edgeplug.node.pods;

import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.node.pods.PodNames.Holder;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The pods of a kubelet that hold devices now, and their names. They are the pods of the kubelet's checkpoint that have
 * not ended. A pod in the checkpoint has ended in one of these cases:
 * <ul>
 * <li>Nothing of it is left on the node ({@link EndedPods}).
 * <li>The Pods API reports that it is gone, or lists all pods and not this one.
 * <li>pod-resources lists none of its devices, although it did so before or the Pods API reports that its containers
 *     have ended.
 * </ul>
 *
 * <p>One of the two conditions for pod-resources is needed, because the kubelet never lists what only an init container
 * has. Up to Kubernetes 1.33 it also lists ended pods, but without their devices, because it frees these first.
 *
 * <p>A pod has not ended while its cgroup exists. That nothing is left of it counts only if the kubelet's last list has
 * none of its devices either. A static pod comes back with its old UID. So an answer from before a device was given to a
 * container says nothing about its holders.
 *
 * <p>Each source except the checkpoint may be missing. Threads of this class ask the kubelet, so no caller waits for
 * it. Times are {@link System#nanoTime}. Thread-safe.
 */
public final class KubeletPods implements AutoCloseable {

    /** Where cgroups are mounted on a node. */
    public static final Path CGROUPS = Path.of("/sys/fs/cgroup");

    /** After a pod was given devices, its start waits until the node's network is ready. */
    private static final Duration POD_STARTED_WITHIN = Duration.ofMinutes(10);

    /** The pods with a device in an answer of {@link #kubelet}, by UID. */
    private record Listed(long asked, Set<String> pods) {}

    private final PreparedClaims claims;
    private final Path kubeletDir;
    private final Path root;
    private final Runnable changed;
    private final EndedPods left;
    private final Predicate<String> resources;
    private final NotedPods noted;
    private final PodListing listing;
    private final PodEvents events;

    /** Null if the last answer was of no use. */
    private volatile @Nullable Listed listed;

    /** By UID, the pods of which {@link #kubelet} has ever listed a device. */
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    private @Nullable KubeletSocket kubelet;

    /** When an answer was last wanted for a new pod. */
    private long wanted = System.nanoTime();

    /**
     * Follows the pods of a kubelet, which may come later.
     *
     * @param root its root directory
     * @param kubeletDir its directory for device plugins, in which it notes the holders of devices
     * @param claims the prepared claims, whose devices are held until they are released
     * @param cgroups where cgroups are mounted
     * @param resources the resources whose holders are followed
     * @param changed called when it is time to look again; it must return at once
     */
    public KubeletPods(
            UnixRpc rpc,
            Path root,
            Path kubeletDir,
            PreparedClaims claims,
            Path cgroups,
            Predicate<String> resources,
            Runnable changed) {
        this.claims = claims;
        this.root = root;
        this.kubeletDir = kubeletDir;
        this.changed = changed;
        this.left = new EndedPods(root.resolve("pods"), cgroups, POD_STARTED_WITHIN);
        this.resources = resources;
        // This comes before the first question to the kubelet. A pod that is noted now and not listed then is gone.
        this.noted = NotedPods.read(kubeletDir, root, resources);
        this.listing = new PodListing(rpc, root, resources, PodNames.PATIENCE, changed);
        this.events = new PodEvents(rpc, root, this::heard, changed);
    }

    /** The kubelet's directory for device plugins, in which it notes the holders of devices. */
    public Path kubeletDir() {
        return kubeletDir;
    }

    public Path directories() {
        return root.resolve("pods");
    }

    /**
     * The devices that are held now, with the newest answers of the kubelet.
     *
     * @throws IOException if the checkpoint cannot be read; the message says why
     */
    public synchronized HeldDevices look() throws IOException {
        @Nullable
        KubeletSocket before = KubeletSocket.find(root.resolve(PodNames.SOCKET)).orElse(null);
        HeldDevices all = HeldDevices.read(kubeletDir, root);
        if (!Objects.equals(before, kubelet)) {
            // A kubelet that has just started does not yet list pods from before.
            known.clear();
            kubelet = before;
        }
        // This is read after the checkpoint, because the kubelet had its pods before it wrote them.
        noted.see(all.all(resources));
        left.keep(noted.uids());
        known.retainAll(noted.uids());
        learn(all);
        if (!noted.uids().stream().allMatch(uid -> noted.isAbout(uid, wanted))) {
            // The answer is wanted for the pod's name, and so that its absence from later answers shows its end.
            wanted = System.nanoTime();
            ask();
        }
        all.forget(all.all(resources).map(Holding::pod).filter(this::hasEnded).collect(Collectors.toSet()));
        return all.with(claims.holdings());
    }

    /** The prepared claims, which are known also while the checkpoint cannot be read. */
    public PreparedClaims claims() {
        return claims;
    }

    /** Reports that the kubelet has just given devices out or had them prepared, by its IDs. Returns at once. */
    public void give(Collection<String> ids) {
        noted.give(ids);
    }

    /** Whether processes of a pod may still run. A released claim has none. */
    public boolean mayRun(String uid) {
        return left.cgroups.has(uid);
    }

    /** The cgroups of a pod's containers now, one of which is its sandbox's. Others come with a new sandbox. */
    public Set<String> containers(String uid) {
        return left.cgroups.containers(uid);
    }

    private boolean hasEnded(String uid) {
        Listed list = listed;
        boolean isUnlistedWithoutTraces =
                left.hasEnded(uid) && (list == null || !list.pods().contains(uid));
        return isUnlistedWithoutTraces || (isSaidToBeGone(uid) && !left.cgroups.has(uid));
    }

    /** Whether a pod with devices shows signs of its end, so that it is worth looking again soon. */
    public boolean areEnding() {
        return noted.uids().stream().anyMatch(this::isEnding);
    }

    /** Whether the kubelet's list must confirm the end of such a pod, so that it is worth asking again. */
    public boolean areDoubtful() {
        return noted.uids().stream().anyMatch(uid -> isEnding(uid) && !isSaidToBeGone(uid));
    }

    private boolean isEnding(String uid) {
        boolean hasSigns = isSaidToBeGone(uid) || left.hasEnded(uid) || hasEndedBefore(uid, System.nanoTime());
        return hasSigns && !hasEnded(uid);
    }

    private boolean isSaidToBeGone(String uid) {
        return isUnlisted(uid) || isGoneByEvents(uid);
    }

    private boolean isUnlisted(String uid) {
        Listed list = listed;
        return list != null
                && !list.pods().contains(uid)
                && noted.isAbout(uid, list.asked())
                && (known.contains(uid) || hasEndedBefore(uid, list.asked()));
    }

    /** While the Pods API is silent, a static pod may come back with its old UID. */
    private boolean isGoneByEvents(String uid) {
        if (!events.areLive()) {
            return false;
        }
        boolean isMissed = events.pod(uid).isEmpty()
                && events.complete().filter(asked -> noted.isAbout(uid, asked)).isPresent();
        return isMissed || over(uid).filter(PodEvents.Over::isGone).isPresent();
    }

    /** Whether the kubelet reported before that moment that the containers of a pod have ended for good. */
    private boolean hasEndedBefore(String uid, long moment) {
        return events.areLive()
                && over(uid).filter(pod -> moment - pod.since() > 0).isPresent();
    }

    private Optional<PodEvents.Over> over(String uid) {
        return events.over(uid).filter(pod -> !noted.isGivenSince(uid, pod.since()));
    }

    /** Whether the end of a pod is reported at once, so that nobody needs to ask. */
    public boolean areTold() {
        return events.areLive();
    }

    /** Asks the kubelet for its list, soon and at most once a second. {@code changed} runs after the answer. */
    public void ask() {
        listing.ask();
    }

    /** How often the kubelet has answered or failed to. */
    public long answers() {
        return listing.answers();
    }

    /** The holder's name; empty if the kubelet has not reported it. */
    public Optional<Holder> name(Holding holding) {
        return events.pod(holding.pod())
                .map(pod -> new Holder(pod.namespace(), pod.pod(), holding.container()))
                .or(() -> answerAbout(holding.pod())
                        .flatMap(PodListing.Answer::names)
                        .flatMap(names -> names.of(holding)))
                .or(() -> claims.name(holding));
    }

    /** Whether the kubelet has answered, or failed to, since that pod was first noted. */
    public boolean wasAskedAbout(String uid) {
        return answerAbout(uid).isPresent();
    }

    /** An older answer would name the previous pod of the device. */
    private Optional<PodListing.Answer> answerAbout(String uid) {
        return listing.last().filter(answer -> noted.isAbout(uid, answer.asked()));
    }

    private void heard(PodEvents.Event event) {
        if (noted.uids().contains(event.uid())) {
            if (event.what() == PodEvents.What.ENDED) {
                ask();
            }
            changed.run();
        }
    }

    /** Reads the last answer for pods in the checkpoint. */
    private void learn(HeldDevices all) {
        PodListing.Answer last = listing.last().orElse(null);
        @Nullable Listed newest = null;
        if (last != null
                && last.names().isPresent()
                && last.kubelet().isPresent()
                && last.kubelet().orElseThrow().equals(kubelet)) {
            PodNames names = last.names().orElseThrow();
            Set<String> pods = all.all(resources)
                    .filter(holding -> names.of(holding).isPresent())
                    .map(Holding::pod)
                    .collect(Collectors.toSet());
            newest = new Listed(last.asked(), pods);
            known.addAll(pods);
        }
        listed = newest;
    }

    @Override
    public void close() {
        events.close();
        listing.close();
    }
}
