package io.edgeplug.node.pods;

import io.edgeplug.node.pods.HeldDevices.Holding;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The pods with devices in the last checkpoint: since when, and when their devices were last given to a container. This
 * shows whether an answer is about such a pod or about an earlier one. Thread-safe; one thread calls {@link #see}.
 */
final class NotedPods {

    private static final Logger LOG = Logger.getLogger(NotedPods.class.getName());

    /**
     * A pod in the checkpoint.
     *
     * @param since when it was first seen there; only later questions to the kubelet must name the pod
     * @param devices of the followed resources, by ID
     */
    private record Noted(long since, Set<String> devices) {}

    /** By UID. */
    private volatile Map<String, Noted> noted = Map.of();

    /** When each device was last given to a container or was to be prepared for one, by ID. */
    private final Map<String, Long> given = new ConcurrentHashMap<>();

    /** The pods with devices of these resources at present; none if the checkpoint cannot be read. */
    static NotedPods read(Path kubeletDir, Path root, Predicate<String> resources) {
        NotedPods pods = new NotedPods();
        try {
            pods.see(HeldDevices.read(kubeletDir, root).all(resources));
        } catch (IOException e) {
            LOG.fine(() -> "no pods noted yet: " + e.getMessage());
        }
        return pods;
    }

    /** Takes all holdings of the followed resources in the checkpoint. */
    void see(Stream<Holding> holdings) {
        long now = System.nanoTime();
        Map<String, Set<String>> devices = holdings.collect(
                Collectors.groupingBy(Holding::pod, Collectors.mapping(Holding::id, Collectors.toSet())));
        Map<String, Noted> seen = new HashMap<>();
        devices.forEach((uid, ids) -> {
            long since = Optional.ofNullable(noted.get(uid)).map(Noted::since).orElse(now);
            seen.put(uid, new Noted(since, ids));
        });
        noted = Map.copyOf(seen);
        // A pod that is not noted counts as new when it is noted again.
        given.keySet().retainAll(devices.values().stream().flatMap(Set::stream).collect(Collectors.toSet()));
    }

    Set<String> uids() {
        return noted.keySet();
    }

    /** Reports that the kubelet has just given these devices to a container or had them prepared for one. */
    void give(Collection<String> ids) {
        Long now = System.nanoTime();
        ids.forEach(id -> given.put(id, now));
    }

    /** Whether a question of that time is late enough to be about the pod as it is now. */
    boolean isAbout(String uid, long asked) {
        return Optional.ofNullable(noted.get(uid))
                        .filter(pod -> asked - pod.since() > 0)
                        .isPresent()
                && !isGivenSince(uid, asked);
    }

    /** Whether a device of a pod was given to a container at that moment or later. */
    boolean isGivenSince(String uid, long moment) {
        // This is asked for each of its devices. Few were given since then, and it may have thousands of shares.
        Set<String> devices =
                Optional.ofNullable(noted.get(uid)).map(Noted::devices).orElse(Set.of());
        return given.entrySet().stream()
                .anyMatch(one -> one.getValue() - moment >= 0 && devices.contains(one.getKey()));
    }
}
