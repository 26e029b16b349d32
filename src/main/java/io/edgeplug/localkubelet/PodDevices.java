package io.edgeplug.localkubelet;

import io.edgeplug.device.ResourceName;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which container holds which devices, and what it got for them; follows pod_devices.go.
 *
 * <p>Guarded by the lock of the {@link Ledger} that has it.
 */
final class PodDevices {

    /** A container's devices of one resource, and the plugin's answer. */
    record Holding(SortedSet<String> ids, ContainerAllocation allocation) {
        Holding {
            ids = Collections.unmodifiableSortedSet(new TreeSet<>(ids));
        }
    }

    private final Map<String, Map<String, SortedMap<ResourceName, Holding>>> pods = new LinkedHashMap<>();

    void insert(String pod, String container, ResourceName resource, Holding holding) {
        pods.computeIfAbsent(pod, name -> new LinkedHashMap<>())
                .computeIfAbsent(container, name -> new TreeMap<>())
                .put(resource, holding);
    }

    Optional<Holding> holding(String pod, String container, ResourceName resource) {
        return Optional.ofNullable(pods.getOrDefault(pod, Map.of()).get(container))
                .map(resources -> resources.get(resource));
    }

    boolean remove(String pod) {
        return pods.remove(pod) != null;
    }

    /** All IDs of the resource that a container holds. */
    SortedSet<String> ids(ResourceName resource) {
        SortedSet<String> ids = new TreeSet<>();
        for (Map<String, SortedMap<ResourceName, Holding>> containers : pods.values()) {
            for (SortedMap<ResourceName, Holding> resources : containers.values()) {
                Optional.ofNullable(resources.get(resource)).ifPresent(holding -> ids.addAll(holding.ids()));
            }
        }
        return ids;
    }

    Optional<Pod> pod(String name) {
        return Optional.ofNullable(pods.get(name)).map(containers -> pod(name, containers));
    }

    List<Pod> all() {
        return pods.entrySet().stream()
                .map(entry -> pod(entry.getKey(), entry.getValue()))
                .toList();
    }

    private static Pod pod(String name, Map<String, SortedMap<ResourceName, Holding>> containers) {
        List<Pod.Container> holders = new ArrayList<>();
        containers.forEach((container, resources) -> {
            SortedMap<ResourceName, SortedSet<String>> ids = new TreeMap<>();
            resources.forEach((resource, holding) -> ids.put(resource, holding.ids()));
            ContainerAllocation allocation = resources.values().stream()
                    .map(Holding::allocation)
                    .reduce(ContainerAllocation.NOTHING, ContainerAllocation::and);
            holders.add(new Pod.Container(container, ids, allocation));
        });
        return new Pod(name, holders);
    }
}
