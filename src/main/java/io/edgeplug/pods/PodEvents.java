package io.edgeplug.pods;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.edgeplug.linux.RpcStream;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.proto.pods.EventType;
import io.edgeplug.proto.pods.ObjectMeta;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Follows the kubelet's Pods API, from Kubernetes 1.37 on, which tells when a pod is gone. After each interruption the
 * kubelet tells all pods again, so that those that went meanwhile are found; what a slow reader misses is not told.
 */
public final class PodEvents implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(PodEvents.class.getName());

    /** The first is what the kubelet's code says, the second what its documents say. */
    private static final List<String> SOCKETS = List.of("pods-api/pods-api.sock", "pods/kubelet.sock");

    private static final int MAX_EVENT_BYTES = 4 << 20;
    private static final int MAX_METADATA_BYTES = 1 << 20;
    private static final int MAX_PODS = 4096;

    /** A namespace and a name have at most 63 and 253 characters, a UID 36. */
    private static final int MAX_NAME = 253;

    private static final Duration FOREVER = Duration.ofDays(365);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private static final int TYPE = 1 << 3;
    private static final int POD = (2 << 3) | 2;
    private static final int METADATA = (1 << 3) | 2;

    /** What happened to a pod: it came or changed, or it is gone. */
    public record Event(boolean gone, String uid, String namespace, String pod) {}

    private final UnixRpc rpc;
    private final Path root;
    private final Consumer<Event> listener;
    private final Runnable changed;
    private final Duration patience;
    private final Outage outage = new Outage(LOG);
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;

    /** By UID, those that are not gone. */
    private final Map<String, Event> known = new ConcurrentHashMap<>();

    private final AtomicLong begun = new AtomicLong();
    private volatile long complete;
    private volatile boolean live;

    private Duration pause = FIRST_PAUSE;

    PodEvents(UnixRpc rpc, Path root, Consumer<Event> listener, Runnable changed, Duration patience) {
        this.rpc = rpc;
        this.root = root;
        this.listener = listener;
        this.changed = changed;
        this.patience = patience;
        this.thread = Thread.ofVirtual().name("pod events").start(this::follow);
    }

    /**
     * Follows the pods of a kubelet whose root directory this is, also of one that comes later.
     *
     * @param listener called in order, on a thread that reads no further meanwhile
     * @param changed called on that thread when the kubelet has told all the pods that it has, and when it tells no more
     */
    public static PodEvents follow(UnixRpc rpc, Path root, Consumer<Event> listener, Runnable changed) {
        return new PodEvents(rpc, root, listener, changed, Duration.ofSeconds(10));
    }

    /** Whether the kubelet tells of its pods just now, so that the end of one is told at once. */
    public boolean areLive() {
        return live;
    }

    /** How often the kubelet was asked to tell all its pods; each time it tells those that it has at that moment or later. */
    public long begun() {
        return begun.get();
    }

    /** Which of these it did last: a pod that it had before that, and that {@link #pod} does not know, is gone. */
    public long complete() {
        return complete;
    }

    /** The last event of a pod that is not gone. */
    public Optional<Event> pod(String uid) {
        return Optional.ofNullable(known.get(uid));
    }

    private void follow() {
        try {
            while (closing.getCount() > 0 && !Thread.currentThread().isInterrupted()) {
                watch();
                boolean ignored = closing.await(pause.toNanos(), TimeUnit.NANOSECONDS);
                pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
            }
        } catch (InterruptedException e) {
            LOG.fine("pods are no longer followed");
        }
    }

    /** Ends when neither socket is served any more. */
    private void watch() {
        StringBuilder reasons = new StringBuilder();
        for (String socket : SOCKETS) {
            try {
                watch(root.resolve(socket));
            } catch (InvalidProtocolBufferException e) {
                reasons.append(root.resolve(socket)).append(": does not answer as a kubelet does; ");
            } catch (IOException e) {
                reasons.append(root.resolve(socket))
                        .append(": ")
                        .append(e.getMessage())
                        .append("; ");
            }
        }
        if (closing.getCount() > 0) {
            // before 1.37 there is none, and none before the kubelet starts: neither is worth a line
            boolean isThere = SOCKETS.stream().anyMatch(socket -> Files.exists(root.resolve(socket)));
            outage.failed(
                    isThere ? Level.INFO : Level.FINE,
                    reasons + "the end of a pod is noticed without the kubelet's Pods API");
        }
    }

    private void watch(Path socket) throws IOException {
        long number = begun.incrementAndGet();
        try (RpcStream call = rpc.stream(socket, "v1alpha1.Pods/WatchPods", MAX_EVENT_BYTES, patience)) {
            Set<String> told = new HashSet<>();
            boolean isTellingAll = true;
            while (true) {
                InputStream message = call.next().orElseThrow(() -> new IOException("hung up"));
                EventType type = read(CodedInputStream.newInstance(message), told, isTellingAll);
                if (isTellingAll && type == EventType.INITIAL_SYNC_COMPLETE) {
                    isTellingAll = false;
                    forgetAllBut(told);
                    outage.works();
                    pause = FIRST_PAUSE;
                    complete = number;
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

    private EventType read(CodedInputStream event, Set<String> told, boolean isTellingAll) throws IOException {
        EventType type = EventType.UNSPECIFIED;
        ObjectMeta pod = ObjectMeta.getDefaultInstance();
        int tag = event.readTag();
        while (tag != 0) {
            switch (tag) {
                case TYPE -> type = type(event.readEnum());
                case POD -> {
                    int outer = event.pushLimit(event.readRawVarint32());
                    pod = metadata(event);
                    event.popLimit(outer);
                }
                default -> event.skipField(tag);
            }
            tag = event.readTag();
        }
        if (type == EventType.ADDED || type == EventType.MODIFIED || type == EventType.DELETED) {
            if (isTellingAll) {
                told.add(pod.getUid());
            }
            tell(new Event(type == EventType.DELETED, pod.getUid(), pod.getNamespace(), pod.getName()));
        }
        return type;
    }

    private static EventType type(int number) {
        EventType type = EventType.forNumber(number);
        return type == null ? EventType.UNSPECIFIED : type;
    }

    /** Reads no other part of a pod, and keeps none. */
    private static ObjectMeta metadata(CodedInputStream pod) throws IOException {
        ObjectMeta metadata = ObjectMeta.getDefaultInstance();
        int tag = pod.readTag();
        while (tag != 0) {
            if (tag == METADATA) {
                int length = pod.readRawVarint32();
                if (length < 0 || length > MAX_METADATA_BYTES) {
                    throw new IOException("tells of a pod with metadata of " + length + " bytes");
                }
                int outer = pod.pushLimit(length);
                metadata = ObjectMeta.parseFrom(pod);
                pod.popLimit(outer);
            } else {
                pod.skipField(tag);
            }
            tag = pod.readTag();
        }
        return metadata;
    }

    private void tell(Event event) throws IOException {
        if (event.uid().length() > MAX_NAME
                || event.namespace().length() > MAX_NAME
                || event.pod().length() > MAX_NAME) {
            throw new IOException("tells of a pod whose name is too long");
        }
        if (event.gone()) {
            known.remove(event.uid());
        } else {
            known.put(event.uid(), event);
            if (known.size() > MAX_PODS) {
                complete = 0;
                known.clear();
                throw new IOException("tells of more than " + MAX_PODS + " pods");
            }
        }
        listener.accept(event);
    }

    /** Those that went while nobody listened. */
    private void forgetAllBut(Set<String> present) throws IOException {
        for (Event pod : List.copyOf(known.values())) {
            if (!present.contains(pod.uid())) {
                tell(new Event(true, pod.uid(), pod.namespace(), pod.pod()));
            }
        }
    }

    @Override
    public void close() {
        closing.countDown();
        thread.interrupt();
        try {
            boolean ignored = thread.join(Duration.ofSeconds(2));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
