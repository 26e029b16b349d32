package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The part of a pod that concerns devices.
 *
 * @param name stands for its UID: the same name is the same pod, whatever its namespace
 * @param initContainers in the order in which they run, each to its end; later containers reuse their devices
 * @param containers in the order in which they are allocated
 */
public record PodSpec(String namespace, String name, List<Container> initContainers, List<Container> containers) {

    public static final String DEFAULT_NAMESPACE = "default";

    public PodSpec {
        initContainers = List.copyOf(initContainers);
        containers = List.copyOf(containers);
        Set<String> names = new HashSet<>();
        for (Container container : inOrder(initContainers, containers)) {
            if (!names.add(container.name())) {
                throw new IllegalArgumentException(name + ": two containers are called " + container.name());
            }
        }
    }

    /** A pod in the default namespace. */
    public PodSpec(String name, List<Container> initContainers, List<Container> containers) {
        this(DEFAULT_NAMESPACE, name, initContainers, containers);
    }

    /** A pod in the default namespace, without init containers. */
    public PodSpec(String name, List<Container> containers) {
        this(name, List.of(), containers);
    }

    public PodSpec in(String other) {
        return new PodSpec(other, name, initContainers, containers);
    }

    /** All containers, the init containers first. */
    List<Container> inOrder() {
        return inOrder(initContainers, containers);
    }

    /**
     * The container with that name.
     *
     * @throws IllegalArgumentException if the pod has none
     */
    Container container(String container) {
        return inOrder().stream()
                .filter(each -> each.name().equals(container))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(name + ": has no container " + container));
    }

    private static List<Container> inOrder(List<Container> first, List<Container> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    /**
     * A container, with the number of devices of each resource in its limits.
     *
     * @param chosen the devices of a resource that it gets in place of the kubelet's choice; a pod cannot ask for them
     */
    public record Container(
            String name, SortedMap<ResourceName, Integer> limits, SortedMap<ResourceName, SortedSet<String>> chosen) {

        public Container(String name, Map<ResourceName, Integer> limits) {
            this(name, new TreeMap<>(limits), new TreeMap<>());
        }

        public Container {
            limits = Collections.unmodifiableSortedMap(new TreeMap<>(limits));
            chosen = Collections.unmodifiableSortedMap(new TreeMap<>(chosen));
            limits.forEach((resource, count) -> {
                if (count < 1) {
                    throw new IllegalArgumentException(name + ": asks for " + count + " of " + resource);
                }
            });
        }
    }

    /** A pod whose only container, {@code main}, asks for that many devices of one resource. */
    public static PodSpec of(String name, ResourceName resource, int count) {
        return new PodSpec(name, List.of(new Container("main", Map.of(resource, count))));
    }
}
