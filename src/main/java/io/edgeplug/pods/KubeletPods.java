package io.edgeplug.pods;

import io.edgeplug.linux.UnixRpc;
import io.edgeplug.pods.HeldDevices.Holding;
import io.edgeplug.pods.PodNames.Holder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import java.util.logging.Logger;

/**
 * Which pods of a kubelet hold devices now, and by which names: what its checkpoint notes, less the pods that have ended.
 *
 * <p>The checkpoint is earliest and is always there. A pod that it notes has ended if the Pods API says that it is gone, if
 * nothing of it is left on the node ({@link EndedPods}), or if pod-resources listed it since the kubelet started and lists
 * it no more. Whichever of these says so, a pod whose cgroup is there has not ended. That a device is listed proves nothing:
 * up to Kubernetes 1.33 ended pods are listed too. Each source but the checkpoint may be missing.
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
     * @param number how many answers there were, failures included
     * @param kubelet tells one kubelet's socket from the next one's; empty if it was another after the answer
     */
    private record Answer(long number, Optional<PodNames> names, Optional<List<Object>> kubelet) {}

    private final Path kubeletDir;
    private final Path root;
    private final Runnable changed;
    private final EndedPods left;
    private final PodResourcesClient resources;
    private final PodEvents events;
    private final Semaphore requests = new Semaphore(0);
    private final Thread asking;

    /** By UID, the pods that the Pods API said are gone, the oldest first; guarded by itself. */
    private final Set<String> gone = new LinkedHashSet<>();

    private volatile Answer answer = new Answer(0, Optional.empty(), Optional.empty());

    /** By UID, those that were listed by this kubelet; and of these the ones that the last answer does not list. */
    private final Set<String> listed = new HashSet<>();

    private volatile Set<String> unlisted = Set.of();
    private volatile Set<String> noted = Set.of();
    private Optional<List<Object>> kubelet = Optional.empty();
    private long learned;

    private KubeletPods(
            UnixRpc rpc, Path root, Path kubeletDir, Path cgroups, Predicate<String> resources, Runnable changed) {
        this.root = root;
        this.kubeletDir = kubeletDir;
        this.changed = changed;
        this.left = new EndedPods(root.resolve("pods"), cgroups, POD_STARTED_WITHIN);
        this.resources = new PodResourcesClient(rpc, root, resources);
        this.events = PodEvents.follow(rpc, root, this::heard);
        this.asking = Thread.ofVirtual().name("pod resources").start(this::answerRequests);
    }

    /**
     * Follows the pods of a kubelet, which may come later.
     *
     * @param root its root directory
     * @param kubeletDir its directory for device plugins, in which it notes who holds what
     * @param resources the resources of whose devices pod-resources is asked
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
        HeldDevices all = HeldDevices.read(kubeletDir);
        Map<String, List<Holding>> byPod = all.byPod();
        noted = Set.copyOf(byPod.keySet());
        left.keep(noted);
        learn(byPod);
        return withoutEnded(all);
    }

    /**
     * What is held now, as far as that is known without a new answer of the kubelet's.
     *
     * @throws IOException if the checkpoint does not tell; the message says why
     */
    public HeldDevices held() throws IOException {
        return withoutEnded(HeldDevices.read(kubeletDir));
    }

    private HeldDevices withoutEnded(HeldDevices all) {
        Set<String> ended = new HashSet<>(all.byPod().keySet());
        ended.removeIf(uid -> !hasEnded(uid));
        return ended.isEmpty() ? all : all.without(ended);
    }

    private boolean hasEnded(String uid) {
        return left.hasEnded(uid) || (isSaidToBeGone(uid) && !left.hasCgroup(uid));
    }

    private boolean isSaidToBeGone(String uid) {
        synchronized (gone) {
            return gone.contains(uid) || unlisted.contains(uid);
        }
    }

    /** Whether the kubelet says that a pod is gone of which processes run still, so that it pays to look again soon. */
    public boolean areEnding() {
        return noted.stream().anyMatch(uid -> isSaidToBeGone(uid) && !hasEnded(uid));
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
                .or(() -> answer.names().flatMap(names -> names.of(holding)));
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
        if (noted.contains(event.uid())) {
            changed.run();
        }
    }

    /** What the last answer says about pods that the checkpoint notes. */
    private void learn(Map<String, List<Holding>> byPod) {
        Answer last = answer;
        listed.retainAll(byPod.keySet());
        if (last.number() == learned || last.names().isEmpty() || last.kubelet().isEmpty()) {
            return;
        }
        learned = last.number();
        if (!last.kubelet().equals(kubelet)) {
            // one that has just started does not list the pods that it was not given yet
            listed.clear();
            kubelet = last.kubelet();
        }
        PodNames names = last.names().orElseThrow();
        Set<String> missing = new HashSet<>();
        byPod.forEach((uid, holdings) -> {
            if (holdings.stream().anyMatch(holding -> names.of(holding).isPresent())) {
                listed.add(uid);
            } else if (listed.contains(uid)) {
                missing.add(uid);
            }
        });
        unlisted = Set.copyOf(missing);
    }

    private void answerRequests() {
        try {
            while (true) {
                requests.acquire();
                int ignored = requests.drainPermits();
                Optional<List<Object>> before = identify();
                Optional<PodNames> names = resources.ask();
                Optional<List<Object>> after = identify();
                answer = new Answer(answer.number() + 1, names, before.filter(same -> after.equals(before)));
                changed.run();
            }
        } catch (InterruptedException e) {
            LOG.fine("the kubelet is no longer asked for its pods");
        }
    }

    /** Inode and time of its making: an inode's number alone is soon used again. */
    private Optional<List<Object>> identify() {
        try {
            BasicFileAttributes socket = Files.readAttributes(
                    root.resolve(PodNames.SOCKET), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return Optional.of(List.of(String.valueOf(socket.fileKey()), socket.lastModifiedTime()));
        } catch (IOException e) {
            return Optional.empty();
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
