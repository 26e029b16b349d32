package io.edgeplug.pods;

import io.edgeplug.pods.HeldDevices.Holding;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The pods with devices that the checkpoint noted last: since when, and when their devices were last given to a container. So
 * that what a source says of a pod can be told from what it said of the pod before. Thread-safe; one thread sees.
 */
final class NotedPods {

    /**
     * A pod in the checkpoint.
     *
     * @param since when it was seen there first: only what the kubelet is asked later must name the pod
     * @param devices of the resources that are followed, by ID
     */
    private record Noted(long since, Set<String> devices) {}

    /** By UID. */
    private volatile Map<String, Noted> noted = Map.of();

    /** When each device was last given to a container, or was to be made ready for one, by ID. */
    private final Map<String, Long> given = new ConcurrentHashMap<>();

    /** Takes all that the checkpoint notes of the resources that are followed. */
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
        // a pod that is not noted is seen anew when it is
        given.keySet().retainAll(devices.values().stream().flatMap(Set::stream).collect(Collectors.toSet()));
    }

    Set<String> uids() {
        return noted.keySet();
    }

    /** Says that the kubelet has these devices given to a container or made ready for one just now. */
    void give(Collection<String> ids) {
        Long now = System.nanoTime();
        ids.forEach(id -> given.put(id, now));
    }

    /** Whether what the kubelet was asked then must tell of a pod as it is now. */
    boolean isAbout(String uid, long asked) {
        return Optional.ofNullable(noted.get(uid))
                        .filter(pod -> asked - pod.since() > 0)
                        .isPresent()
                && !isGivenSince(uid, asked);
    }

    /** Whether a device of a pod was given to a container at that moment or later. */
    boolean isGivenSince(String uid, long moment) {
        return Optional.ofNullable(noted.get(uid)).stream()
                .flatMap(pod -> pod.devices().stream())
                .flatMap(id -> Optional.ofNullable(given.get(id)).stream())
                .anyMatch(time -> time - moment >= 0);
    }
}
