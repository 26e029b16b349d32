package io.edgeplug.lab.localkubelet;

import io.edgeplug.proto.pods.EventType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The pods that the kubelet was given, with or without devices, until they are removed; thread-safe.
 *
 * <p>It outlives a restart, after which the API server gives a kubelet its pods again.
 */
final class PodTable {

    /** Gets each change, in order; it must return at once. */
    interface Watcher {
        void changed(EventType change, Entry pod);
    }

    /** A pod, and whether all of its containers have run to their end. */
    record Entry(PodSpec spec, boolean ended) {}

    private final Map<String, Entry> entries = new LinkedHashMap<>();
    /** The names of removed pods, which the ledger may still know. */
    private final Set<String> removed = new LinkedHashSet<>();

    private final List<Watcher> watchers = new CopyOnWriteArrayList<>();

    synchronized void add(PodSpec spec) {
        Entry entry = new Entry(spec, false);
        boolean isNew = entries.put(spec.name(), entry) == null;
        tell(isNew ? EventType.ADDED : EventType.MODIFIED, entry);
    }

    /** Returns whether there was such a pod. */
    synchronized boolean remove(String pod) {
        Entry gone = entries.remove(pod);
        if (gone != null) {
            removed.add(pod);
            tell(EventType.DELETED, gone);
        }
        return gone != null;
    }

    /** All containers of the pod have run to their end. */
    synchronized void end(String pod) {
        Entry entry = entry(pod).orElseThrow(() -> new IllegalArgumentException(pod + ": is no pod of this kubelet"));
        Entry ended = new Entry(entry.spec(), true);
        entries.put(pod, ended);
        tell(EventType.MODIFIED, ended);
    }

    synchronized void started(String pod) {
        entry(pod).ifPresent(entry -> tell(EventType.MODIFIED, entry));
    }

    synchronized Optional<Entry> entry(String pod) {
        return Optional.ofNullable(entries.get(pod));
    }

    synchronized List<Entry> all() {
        return new ArrayList<>(entries.values());
    }

    /** The pods that hold nothing any more: their containers have run to their end, or they were removed. */
    synchronized Collection<String> ended() {
        Stream<String> ended = entries.values().stream()
                .filter(Entry::ended)
                .map(entry -> entry.spec().name());
        return Stream.concat(ended, removed.stream()).toList();
    }

    /** The same, before a pod comes that may have the name of one of them. */
    synchronized Collection<String> endedBefore(String next) {
        Collection<String> ended = ended();
        removed.remove(next);
        return ended;
    }

    /** Passes all present pods to {@code first}, and every later change to the watcher. */
    synchronized void watch(Consumer<List<Entry>> first, Watcher watcher) {
        first.accept(all());
        watchers.add(watcher);
    }

    void unwatch(Watcher watcher) {
        watchers.remove(watcher);
    }

    private void tell(EventType change, Entry pod) {
        watchers.forEach(watcher -> watcher.changed(change, pod));
    }
}
