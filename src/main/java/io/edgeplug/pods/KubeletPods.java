package io.edgeplug.pods;

import io.edgeplug.linux.UnixRpc;
import io.edgeplug.pods.HeldDevices.Holding;
import io.edgeplug.pods.PodNames.Holder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/**
 * Which pods of a kubelet hold devices now, and by which names: what its checkpoint notes, less the pods that have ended.
 *
 * <p>The checkpoint is earliest and is always there. A pod that it notes has ended if nothing of it is left on the node
 * ({@link EndedPods}), if the Pods API says that it is gone or tells all pods and not this one, or if the kubelet has listed
 * its devices in pod-resources and lists none of them any more: what only an init container has is never listed. Up to Kubernetes 1.33 ended pods are listed too, but what they held is not: the
 * kubelet frees it before it answers. Whichever of these says so, a pod whose cgroup is there has not ended, and nor has one
 * with a device that the kubelet lists. Each source but the checkpoint may be missing.
 *
 * <p>The kubelet is asked by threads of this class, so no caller waits for it. Thread-safe.
 */
public final class KubeletPods implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(KubeletPods.class.getName());

    /** A pod that was given devices waits with its start until the node's network is ready. */
    private static final Duration POD_STARTED_WITHIN = Duration.ofMinutes(10);

    private static final Path CGROUPS = Path.of("/sys/fs/cgroup");

    /** A node has 110 pods as it comes. */
    private static final int MAX_GONE = 4096;

    /**
     * What the kubelet answered last.
     *
     * @param number of the request
     * @param kubelet which kubelet has answered; empty if another one came meanwhile
     */
    private record Answer(long number, Optional<PodNames> names, Optional<KubeletSocket> kubelet) {}

    /** What had been asked for when a pod was seen first: only later answers must name the pod. */
    private record FirstSeen(long request, long sync) {}

    private final Path kubeletDir;
    private final Path root;
    private final Runnable changed;
    private final EndedPods left;
    private final Predicate<String> resources;
    private final PodResourcesClient client;
    private final PodEvents events;
    private final Semaphore requests = new Semaphore(0);
    private final Thread asking;

    /** By UID, the pods that the Pods API said are gone, the oldest first; guarded by itself. */
    private final Set<String> gone = new LinkedHashSet<>();

    private volatile long request;
    private volatile Answer answer = new Answer(0, Optional.empty(), Optional.empty());

    /** By UID, the pods with devices of these resources that the checkpoint noted last, and those of them that the last answer should list and does not. */
    private volatile Map<String, FirstSeen> noted = Map.of();

    private volatile Set<String> unlisted = Set.of();

    /** By UID, those with a device in the last answer of {@link #kubelet}. */
    private volatile Set<String> listed = Set.of();

    /** By UID, the pods of which {@link #kubelet} has ever listed a device. */
    private final Set<String> known = new HashSet<>();

    private Optional<KubeletSocket> kubelet = Optional.empty();

    KubeletPods(UnixRpc rpc, Path root, Path kubeletDir, Path cgroups, Predicate<String> resources, Runnable changed) {
        this.root = root;
        this.kubeletDir = kubeletDir;
        this.changed = changed;
        this.left = new EndedPods(root.resolve("pods"), cgroups, POD_STARTED_WITHIN);
        this.resources = resources;
        this.client = new PodResourcesClient(rpc, root, resources);
        this.events = PodEvents.follow(rpc, root, this::heard, changed);
        this.asking = Thread.ofVirtual().name("pod resources").start(this::answerRequests);
    }

    /**
     * Follows the pods of a kubelet, which may come later.
     *
     * @param root its root directory
     * @param kubeletDir its directory for device plugins, in which it notes who holds what
     * @param resources the resources whose holders are followed
     * @param changed called when it is time to look again; it must return at once
     */
    public static KubeletPods follow(
            UnixRpc rpc, Path root, Path kubeletDir, Predicate<String> resources, Runnable changed) {
        return new KubeletPods(rpc, root, kubeletDir, CGROUPS, resources, changed);
    }

    /** The kubelet's directory for device plugins, in which it notes who holds what. */
    public Path kubeletDir() {
        return kubeletDir;
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
        HeldDevices all = HeldDevices.read(kubeletDir);
        if (!before.equals(kubelet)) {
            // one that has just started does not list the pods that it was not given yet
            known.clear();
            kubelet = before;
        }
        Map<String, FirstSeen> seen = new HashMap<>();
        // read after the checkpoint, whose pods the kubelet had before it wrote them
        FirstSeen now = new FirstSeen(request, events.begun());
        for (String uid : pods(all)) {
            seen.put(uid, noted.getOrDefault(uid, now));
        }
        noted = Map.copyOf(seen);
        left.keep(noted.keySet());
        known.retainAll(noted.keySet());
        learn(all);
        return withoutEnded(all);
    }

    /** The same, as far as it is known without a new answer of the kubelet's. */
    public HeldDevices held() throws IOException {
        return withoutEnded(HeldDevices.read(kubeletDir));
    }

    private HeldDevices withoutEnded(HeldDevices all) {
        Set<String> ended = pods(all);
        ended.removeIf(uid -> !hasEnded(uid));
        all.forget(ended);
        return all;
    }

    private Set<String> pods(HeldDevices all) {
        return all.all(resources).map(Holding::pod).collect(Collectors.toCollection(HashSet::new));
    }

    private boolean hasEnded(String uid) {
        return left.hasEnded(uid) ? !listed.contains(uid) : isSaidToBeGone(uid) && !left.hasCgroup(uid);
    }

    /** Whether nothing is left of a pod that the kubelet has listed, so that it pays to ask again. */
    public boolean areDoubtful() {
        return listed.stream().anyMatch(left::hasEnded);
    }

    private boolean isSaidToBeGone(String uid) {
        return unlisted.contains(uid) || isGoneByEvents(uid);
    }

    /** While nobody tells of its pods, a static one may come again, with the UID that it had. */
    private boolean isGoneByEvents(String uid) {
        if (!events.areLive()) {
            return false;
        }
        FirstSeen first = noted.get(uid);
        boolean isMissed = first != null
                && events.complete() > first.sync()
                && events.pod(uid).isEmpty();
        synchronized (gone) {
            return isMissed || gone.contains(uid);
        }
    }

    /** Whether the kubelet says that a pod is gone of which processes run still, so that it pays to look again soon. */
    public boolean areEnding() {
        return noted.keySet().stream().anyMatch(uid -> isSaidToBeGone(uid) && !hasEnded(uid));
    }

    /** Whether the end of a pod is told at once, so that nobody needs to ask. */
    public boolean areTold() {
        return events.areLive();
    }

    /** Asks the kubelet for its list, soon and no more than once a second; {@code changed} is called once it has answered. */
    public void ask() {
        requests.release();
    }

    /** How often the kubelet has answered, or failed to. */
    public long answers() {
        return answer.number();
    }

    /** Who that is by name; empty if the kubelet has not told. */
    public Optional<Holder> name(Holding holding) {
        return events.pod(holding.pod())
                .map(pod -> new Holder(pod.namespace(), pod.pod(), holding.container()))
                .or(() -> answerAbout(holding).flatMap(Answer::names).flatMap(names -> names.of(holding)));
    }

    /** Whether the kubelet was asked since this was noted first, and has answered or failed to. */
    public boolean wasAskedAbout(Holding holding) {
        return answerAbout(holding).isPresent();
    }

    /** An older answer names the pod that held the device before. */
    private Optional<Answer> answerAbout(Holding holding) {
        Answer last = answer;
        return Optional.ofNullable(noted.get(holding.pod()))
                .filter(first -> last.number() > first.request())
                .map(first -> last);
    }

    private void heard(PodEvents.Event event) {
        synchronized (gone) {
            // a static pod that comes again has the UID that it had
            gone.remove(event.uid());
            if (event.gone()) {
                gone.add(event.uid());
            }
            if (gone.size() > MAX_GONE) {
                gone.remove(gone.iterator().next());
            }
        }
        if (noted.containsKey(event.uid())) {
            // its containers may have ended, which no event says
            ask();
            changed.run();
        }
    }

    /** What the last answer says about pods that the checkpoint notes. */
    private void learn(HeldDevices all) {
        Answer last = answer;
        if (last.names().isEmpty()
                || last.kubelet().isEmpty()
                || !last.kubelet().equals(kubelet)) {
            listed = Set.of();
            unlisted = Set.of();
            return;
        }
        PodNames names = last.names().orElseThrow();
        Set<String> there = all.all(resources)
                .filter(holding -> names.of(holding).isPresent())
                .map(Holding::pod)
                .collect(Collectors.toSet());
        Set<String> missing = new HashSet<>(known);
        missing.removeAll(there);
        missing.removeIf(uid -> {
            FirstSeen first = noted.get(uid);
            return first == null || last.number() <= first.request();
        });
        listed = there;
        unlisted = Set.copyOf(missing);
        known.addAll(there);
    }

    private void answerRequests() {
        try {
            while (true) {
                requests.acquire();
                int ignored = requests.drainPermits();
                long number = request + 1;
                request = number;
                Optional<KubeletSocket> before = KubeletSocket.find(root);
                Optional<PodNames> names = client.ask();
                Optional<KubeletSocket> after = KubeletSocket.find(root);
                answer = new Answer(number, names, before.filter(same -> after.equals(before)));
                changed.run();
            }
        } catch (InterruptedException e) {
            LOG.fine("the kubelet is no longer asked for its pods");
        }
    }

    @Override
    public void close() {
        events.close();
        asking.interrupt();
        try {
            boolean ignored = asking.join(Duration.ofSeconds(2));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
