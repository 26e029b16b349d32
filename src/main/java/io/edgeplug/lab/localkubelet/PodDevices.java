package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The devices that containers hold, and what they got for them. It follows pod_devices.go.
 *
 * <p>Guarded by the lock of its {@link Ledger}.
 */
final class PodDevices {

    /** The place of a device without a NUMA node; nodeWithoutTopology in manager.go. */
    private static final long NO_NODE = -1;

    /** A container's devices of one resource by their NUMA nodes, perhaps on several each, and the plugin's answer. */
    record Holding(SortedMap<Long, List<String>> byNode, ContainerAllocateResponse answer) {

        Holding {
            TreeMap<Long, List<String>> copy = new TreeMap<>();
            byNode.forEach((node, ids) -> copy.put(node, List.copyOf(ids)));
            byNode = Collections.unmodifiableSortedMap(copy);
        }

        static Holding of(List<String> ids, Map<String, ListedDevice> devices, ContainerAllocateResponse answer) {
            SortedMap<Long, List<String>> byNode = new TreeMap<>();
            for (String id : ids) {
                List<Long> nodes = Optional.ofNullable(devices.get(id))
                        .map(ListedDevice::numaNodes)
                        .filter(listed -> !listed.isEmpty())
                        .orElse(List.of(NO_NODE));
                nodes.forEach(node ->
                        byNode.computeIfAbsent(node, key -> new ArrayList<>()).add(id));
            }
            return new Holding(byNode, answer);
        }

        SortedSet<String> ids() {
            return byNode.values().stream().flatMap(List::stream).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private final Map<String, Map<String, SortedMap<ResourceName, Holding>>> pods = new LinkedHashMap<>();

    void insert(String pod, String container, ResourceName resource, Holding holding) {
        pods.computeIfAbsent(pod, name -> new LinkedHashMap<>())
                .computeIfAbsent(container, name -> new TreeMap<>())
                .put(resource, holding);
    }

    SortedSet<String> ids(String pod, String container, ResourceName resource) {
        return Optional.ofNullable(pods.getOrDefault(pod, Map.of()).get(container))
                .map(resources -> resources.get(resource))
                .map(Holding::ids)
                .orElseGet(Collections::emptySortedSet);
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

    /**
     * The pods that hold devices, by the devices' IDs. If several hold one, any of them, as the kubelet takes the first
     * of its map.
     *
     * @param of the resources to look in
     */
    Map<String, String> holders(Predicate<ResourceName> of) {
        Map<String, String> holders = new HashMap<>();
        for (String pod : Admission.shuffled(pods.keySet())) {
            pods.getOrDefault(pod, Map.of())
                    .values()
                    .forEach(resources -> resources.forEach((resource, holding) -> {
                        if (of.test(resource)) {
                            holding.ids().forEach(id -> holders.putIfAbsent(id, pod));
                        }
                    }));
        }
        return holders;
    }

    List<Checkpoint.Entry> entries() {
        List<Checkpoint.Entry> entries = new ArrayList<>();
        pods.forEach((pod, containers) -> containers.forEach((container, resources) -> resources.forEach(
                (resource, holding) -> entries.add(Checkpoint.Entry.of(pod, container, resource, holding)))));
        return entries;
    }

    void restore(List<Checkpoint.Entry> entries) {
        pods.clear();
        entries.forEach(
                entry -> insert(entry.pod(), entry.container(), ResourceName.parse(entry.resource()), entry.holding()));
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
                    .map(holding -> ContainerAllocation.of(holding.answer()))
                    .reduce(ContainerAllocation.NOTHING, ContainerAllocation::and);
            holders.add(new Pod.Container(container, ids, allocation));
        });
        return new Pod(name, holders);
    }
}
