package io.edgeplug.node.pods;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.edgeplug.proto.pods.EventType;
import io.edgeplug.system.flow.Threads;
import io.edgeplug.system.kernel.KernelReason;
import io.edgeplug.system.rpc.RpcStream;
import io.edgeplug.system.rpc.UnixRpc;
import io.edgeplug.system.systemd.Outage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Follows the Pods API of kubelets from Kubernetes 1.37 on, which reports when a pod is gone. After each interruption
 * the kubelet lists all pods again, so pods that went meanwhile are found. It does not repeat what a slow reader
 * misses.
 */
public final class PodEvents implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(PodEvents.class.getName());

    private static final int MAX_EVENT_BYTES = 4 << 20;
    private static final int MAX_PODS = 4096;

    /** Pods may come and go while the kubelet lists them. */
    private static final int MAX_LISTED = 4 * MAX_PODS;

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration FOREVER = Duration.ofDays(365);

    /** The state of a pod after an event. */
    public enum What {
        THERE,
        /** Its containers have ended or are about to, for good. The pod exists until it is deleted. */
        ENDED,
        GONE
    }

    /** An event of a pod: it came or changed, or it is gone. */
    public record Event(What what, String uid, String namespace, String pod) {}

    /** Since when a pod is gone or has ended, by {@link System#nanoTime}. */
    record Over(boolean isGone, long since) {}

    private final UnixRpc rpc;
    private final PodsSockets sockets;
    private final Consumer<Event> listener;
    private final Runnable changed;
    private final Outage outage = new Outage(LOG);
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;

    /** By UID, the last events of pods that are not gone. */
    private final Map<String, Event> known = new ConcurrentHashMap<>();

    /** By UID, the pods that are gone or have ended, the oldest first; guarded by itself. */
    private final Map<String, Over> over = new LinkedHashMap<>();

    /** When the kubelet was last asked to list all its pods and did so, by {@link System#nanoTime}. */
    private volatile @Nullable Long complete;

    private volatile boolean live;

    /** Whether the kubelet has listed its pods since the last attempt began; for the thread. */
    private boolean hasWorked;

    /**
     * Follows the pods of the kubelet with that root directory, even if it comes later.
     *
     * @param listener called in order, on a thread that reads no further meanwhile
     * @param changed called on that thread when the kubelet has listed all its pods, and when it stops reporting
     */
    public PodEvents(UnixRpc rpc, Path root, Consumer<Event> listener, Runnable changed) {
        this.rpc = rpc;
        this.sockets = new PodsSockets(root);
        this.listener = listener;
        this.changed = changed;
        // The thread is not virtual, because waiting for inotify would occupy one of the two carriers of all virtual
        // threads.
        this.thread = Thread.ofPlatform().name("pod events").daemon().start(this::follow);
    }

    /** Whether the kubelet reports its pods now, so that the end of one is reported at once. */
    public boolean areLive() {
        return live;
    }

    /**
     * When the kubelet was asked to list all its pods, by {@link System#nanoTime}, if it then did. An older pod that
     * {@link #pod} does not know is gone.
     */
    Optional<Long> complete() {
        return Optional.ofNullable(complete);
    }

    /** The last event of a pod that is not gone. */
    public Optional<Event> pod(String uid) {
        return Optional.ofNullable(known.get(uid));
    }

    /** Since when a pod is gone or has ended; empty for a pod that exists or is not known. */
    Optional<Over> over(String uid) {
        synchronized (over) {
            return Optional.ofNullable(over.get(uid));
        }
    }

    private void follow() {
        try {
            while (closing.getCount() > 0 && !Thread.currentThread().isInterrupted()) {
                boolean areThere = sockets.areThere();
                if (areThere) {
                    listen();
                }
                sockets.awaitNext(areThere);
            }
        } catch (InterruptedException e) {
            LOG.fine("pods are no longer followed");
        }
    }

    /** Returns when neither socket is served any more. */
    private void listen() {
        StringBuilder reasons = new StringBuilder();
        hasWorked = false;
        boolean isRestart = true;
        for (Path socket : sockets.paths()) {
            try {
                listen(socket);
            } catch (InvalidProtocolBufferException e) {
                isRestart = false;
                reasons.append(socket).append(": does not answer as a kubelet does; ");
            } catch (IOException e) {
                isRestart &= hasWorked || KernelReason.isNobodyThere(e);
                reasons.append(socket).append(": ").append(e.getMessage()).append("; ");
            }
        }
        if (closing.getCount() > 0) {
            // There is no socket before 1.37, and none before the kubelet starts. One that stops reports its pods again
            // once it
            // is back. None of these is worth a log line.
            outage.failed(
                    sockets.areThere() && !isRestart ? Level.INFO : Level.FINE,
                    reasons + "the end of a pod is noticed without the kubelet's Pods API");
        }
    }

    private void listen(Path socket) throws IOException {
        long began = System.nanoTime();
        try (RpcStream call = rpc.stream(socket, "v1alpha1.Pods/WatchPods", MAX_EVENT_BYTES, PATIENCE)) {
            // Of pods that are there, so it is no larger than the known ones.
            Set<String> told = new HashSet<>();
            boolean isTellingAll = true;
            for (int events = 0; true; events++) {
                if (isTellingAll && events > MAX_LISTED) {
                    throw new IOException("does not come to the end of its list of pods");
                }
                InputStream message = call.next().orElseThrow(() -> new IOException("hung up"));
                EventType type = read(message, told, isTellingAll);
                if (isTellingAll && type == EventType.INITIAL_SYNC_COMPLETE) {
                    isTellingAll = false;
                    forgetAllBut(told);
                    hasWorked = true;
                    outage.works();
                    complete = began;
                    live = true;
                    changed.run();
                    call.expectWithin(FOREVER);
                }
            }
        } finally {
            if (live) {
                live = false;
                changed.run();
            }
        }
    }

    private EventType read(InputStream message, Set<String> told, boolean isTellingAll) throws IOException {
        WatchedPod event = WatchedPod.read(CodedInputStream.newInstance(message));
        EventType type = event.type();
        if (type == EventType.ADDED || type == EventType.MODIFIED || type == EventType.DELETED) {
            if (isTellingAll && type != EventType.DELETED) {
                told.add(event.uid());
            } else {
                told.remove(event.uid());
            }
            tell(new Event(what(event), event.uid(), event.namespace(), event.name()));
        }
        return type;
    }

    private static What what(WatchedPod event) {
        if (event.type() == EventType.DELETED) {
            return What.GONE;
        }
        return event.hasEnded() ? What.ENDED : What.THERE;
    }

    private void tell(Event event) throws IOException {
        if (event.what() == What.GONE) {
            known.remove(event.uid());
        } else {
            known.put(event.uid(), event);
            if (known.size() > MAX_PODS) {
                complete = null;
                known.clear();
                throw new IOException("lists more than " + MAX_PODS + " pods");
            }
        }
        note(event);
        listener.accept(event);
    }

    private void note(Event event) {
        synchronized (over) {
            // A static pod comes back with its old UID.
            Optional<Over> before = Optional.ofNullable(over.remove(event.uid()));
            if (event.what() != What.THERE) {
                boolean isGone = event.what() == What.GONE;
                over.put(
                        event.uid(),
                        before.filter(same -> same.isGone() == isGone)
                                .orElseGet(() -> new Over(isGone, System.nanoTime())));
            }
            if (over.size() > MAX_PODS) {
                over.remove(over.keySet().iterator().next());
            }
        }
    }

    /** Forgets pods that went while nobody listened. */
    private void forgetAllBut(Set<String> present) throws IOException {
        for (Event pod : List.copyOf(known.values())) {
            if (!present.contains(pod.uid())) {
                tell(new Event(What.GONE, pod.uid(), pod.namespace(), pod.pod()));
            }
        }
    }

    @Override
    public void close() {
        closing.countDown();
        sockets.close();
        Threads.end(thread);
    }
}
