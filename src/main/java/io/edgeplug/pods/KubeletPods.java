package io.edgeplug.pods;

import io.edgeplug.linux.UnixRpc;
import io.edgeplug.pods.HeldDevices.Holding;
import io.edgeplug.pods.PodNames.Holder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Which pods of a kubelet hold devices now, and by which names: what its checkpoint notes, less the pods that have ended.
 *
 * <p>The checkpoint is earliest and is always there. A pod that it notes has ended if nothing of it is left on the node
 * ({@link EndedPods}), if the Pods API says that it is gone or tells all pods and not this one, or if pod-resources lists none
 * of its devices although it did before or the Pods API says that its containers have ended. One of these is needed, because
 * the kubelet never lists what only an init container has. Up to Kubernetes 1.33 it lists ended pods too, but not what they
 * held: it frees that before it answers. Whichever of these says so, a pod whose cgroup is there has not ended, and nor has one
 * with a device that the kubelet lists. A static pod comes again with the UID that it had, so what was said before a device
 * was given to a container says nothing about the pods that hold this device. Each source but the checkpoint may be missing.
 *
 * <p>The kubelet is asked by threads of this class, so no caller waits for it. Times are {@link System#nanoTime}. Thread-safe.
 */
public final class KubeletPods implements AutoCloseable {

    /** A pod that was given devices waits with its start until the node's network is ready. */
    private static final Duration POD_STARTED_WITHIN = Duration.ofMinutes(10);

    private static final Path CGROUPS = Path.of("/sys/fs/cgroup");

    /** The pods with a device in an answer of {@link #kubelet}, by UID. */
    private record Listed(long asked, Set<String> pods) {}

    private final KubeletNotes notes;
    private final PreparedClaims claims;
    private final Path root;
    private final Runnable changed;
    private final EndedPods left;
    private final Predicate<String> resources;
    private final NotedPods noted = new NotedPods();
    private final PodListing listing;
    private final PodEvents events;

    /** Empty if the last answer was of no use. */
    private volatile Optional<Listed> listed = Optional.empty();

    /** By UID, the pods of which {@link #kubelet} has ever listed a device. */
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    private Optional<KubeletSocket> kubelet = Optional.empty();

    /** When an answer was last wanted for a pod that came. */
    private long wanted = System.nanoTime();

    KubeletPods(
            UnixRpc rpc,
            Path root,
            Path kubeletDir,
            PreparedClaims claims,
            Path cgroups,
            Predicate<String> resources,
            Runnable changed) {
        this.claims = claims;
        this.root = root;
        this.notes = new KubeletNotes(kubeletDir, root);
        this.changed = changed;
        this.left = new EndedPods(root.resolve("pods"), cgroups, POD_STARTED_WITHIN);
        this.resources = resources;
        this.listing = new PodListing(rpc, root, resources, changed);
        this.events = PodEvents.follow(rpc, root, this::heard, changed);
    }

    /**
     * Follows the pods of a kubelet, which may come later.
     *
     * @param root its root directory
     * @param kubeletDir its directory for device plugins, in which it notes who holds what
     * @param claims those that are prepared, whose devices are held until they are released
     * @param resources the resources whose holders are followed
     * @param changed called when it is time to look again; it must return at once
     */
    public static KubeletPods follow(
            UnixRpc rpc,
            Path root,
            Path kubeletDir,
            PreparedClaims claims,
            Predicate<String> resources,
            Runnable changed) {
        return new KubeletPods(rpc, root, kubeletDir, claims, CGROUPS, resources, changed);
    }

    /** The kubelet's directory for device plugins, in which it notes who holds what. */
    public Path kubeletDir() {
        return notes.kubeletDir();
    }

    /** In which the kubelet has a directory for each pod. */
    public Path directories() {
        return root.resolve("pods");
    }

    /**
     * What is held now, once what the kubelet has answered meanwhile is taken into account.
     *
     * @throws IOException if the checkpoint does not tell; the message says why
     */
    public synchronized HeldDevices look() throws IOException {
        Optional<KubeletSocket> before = KubeletSocket.find(root);
        HeldDevices all = notes.read();
        if (!before.equals(kubelet)) {
            // one that has just started does not list the pods that it was not given yet
            known.clear();
            kubelet = before;
        }
        // read after the checkpoint, whose pods the kubelet had before it wrote them
        noted.see(all.all(resources));
        left.keep(noted.uids());
        known.retainAll(noted.uids());
        learn(all);
        if (!noted.uids().stream().allMatch(uid -> noted.isAbout(uid, wanted))) {
            // for its name, and so that its absence from later answers tells its end
            wanted = System.nanoTime();
            ask();
        }
        return withoutEnded(all).with(claims.holdings());
    }

    /** The same, as far as it is known without a new answer of the kubelet's. */
    public HeldDevices held() throws IOException {
        return heldByPlugin().with(claims.holdings());
    }

    /** The same without what claims have. */
    public HeldDevices heldByPlugin() throws IOException {
        return withoutEnded(notes.read());
    }

    private HeldDevices withoutEnded(HeldDevices all) {
        all.forget(all.all(resources)
                .map(Holding::pod)
                .distinct()
                .filter(this::hasEnded)
                .collect(Collectors.toSet()));
        return all;
    }

    /**
     * Says that the kubelet has these devices given to a container or made ready for one just now, by the IDs that it knows.
     * Returns at once.
     */
    public void give(Collection<String> ids) {
        noted.give(ids);
    }

    /** Whether there are claims that are prepared and not released. */
    public boolean haveClaims() {
        return !claims.holdings().isEmpty();
    }

    /** Whether containers may have used what a claim holds: it was prepared to the end once. */
    public boolean wasPrepared(String claim) {
        return claims.of(claim).flatMap(PreparedClaim::boot).isPresent();
    }

    /** Whether processes of a pod may still run. A claim has none when it is released. */
    public boolean mayRun(String uid) {
        return left.hasCgroup(uid);
    }

    private boolean hasEnded(String uid) {
        return left.hasEnded(uid) ? !isListed(uid) : isSaidToBeGone(uid) && !left.hasCgroup(uid);
    }

    private boolean isListed(String uid) {
        return listed.filter(list -> list.pods().contains(uid)).isPresent();
    }

    /** Whether there are signs that a pod has ended which holds devices still, so that it pays to look again soon. */
    public boolean areEnding() {
        return noted.uids().stream().anyMatch(this::isEnding);
    }

    /** Whether the kubelet's list must confirm for one of these that it has ended, so that it pays to ask again. */
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
        return listed.filter(list -> !list.pods().contains(uid)
                        && noted.isAbout(uid, list.asked())
                        && (known.contains(uid) || hasEndedBefore(uid, list.asked())))
                .isPresent();
    }

    /** While nobody tells of its pods, a static one may come again, with the UID that it had. */
    private boolean isGoneByEvents(String uid) {
        if (!events.areLive()) {
            return false;
        }
        boolean isMissed = events.pod(uid).isEmpty()
                && events.complete().filter(asked -> noted.isAbout(uid, asked)).isPresent();
        return isMissed || over(uid).filter(PodEvents.Over::isGone).isPresent();
    }

    /** Whether the kubelet has said before that moment that the containers of a pod have ended for good. */
    private boolean hasEndedBefore(String uid, long moment) {
        return events.areLive()
                && over(uid).filter(pod -> moment - pod.since() > 0).isPresent();
    }

    private Optional<PodEvents.Over> over(String uid) {
        return events.over(uid).filter(pod -> !noted.isGivenSince(uid, pod.since()));
    }

    /** Whether the end of a pod is told at once, so that nobody needs to ask. */
    public boolean areTold() {
        return events.areLive();
    }

    /** Asks the kubelet for its list, soon and no more than once a second; {@code changed} is called once it has answered. */
    public void ask() {
        listing.ask();
    }

    /** How often the kubelet has answered, or failed to. */
    public long answers() {
        return listing.answers();
    }

    /** Who that is by name; empty if the kubelet has not told. */
    public Optional<Holder> name(Holding holding) {
        return events.pod(holding.pod())
                .map(pod -> new Holder(pod.namespace(), pod.pod(), holding.container()))
                .or(() -> answerAbout(holding).flatMap(PodListing.Answer::names).flatMap(names -> names.of(holding)));
    }

    /** Whether the kubelet was asked since this was noted first, and has answered or failed to. */
    public boolean wasAskedAbout(Holding holding) {
        return answerAbout(holding).isPresent();
    }

    /** An older answer names the pod that held the device before. */
    private Optional<PodListing.Answer> answerAbout(Holding holding) {
        return listing.last().filter(answer -> noted.isAbout(holding.pod(), answer.asked()));
    }

    private void heard(PodEvents.Event event) {
        if (noted.uids().contains(event.uid())) {
            if (event.what() == PodEvents.What.ENDED) {
                ask();
            }
            changed.run();
        }
    }

    /** What the last answer says about pods that the checkpoint notes. */
    private void learn(HeldDevices all) {
        Optional<PodListing.Answer> last = listing.last()
                .filter(answer ->
                        answer.kubelet().isPresent() && answer.kubelet().equals(kubelet));
        listed = last.flatMap(answer -> answer.names()
                .map(names -> new Listed(
                        answer.asked(),
                        all.all(resources)
                                .filter(holding -> names.of(holding).isPresent())
                                .map(Holding::pod)
                                .collect(Collectors.toSet()))));
        listed.ifPresent(list -> known.addAll(list.pods()));
    }

    @Override
    public void close() {
        events.close();
        listing.close();
    }
}
