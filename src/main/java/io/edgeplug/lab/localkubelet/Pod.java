package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A pod that holds devices. */
public record Pod(String name, List<Container> containers) {

    public Pod {
        containers = List.copyOf(containers);
    }

    /**
     * One of its containers.
     *
     * @param devices the IDs that it holds of each resource
     * @param allocation what all their plugins together gave it
     */
    public record Container(
            String name, SortedMap<ResourceName, SortedSet<String>> devices, ContainerAllocation allocation) {

        public Container {
            devices = devices.entrySet().stream()
                    .collect(Collectors.collectingAndThen(
                            Collectors.toMap(
                                    Map.Entry::getKey,
                                    entry -> Collections.unmodifiableSortedSet(new TreeSet<>(entry.getValue())),
                                    (one, other) -> one,
                                    TreeMap::new),
                            Collections::unmodifiableSortedMap));
        }

        static Container empty(String name) {
            return new Container(name, new TreeMap<>(), ContainerAllocation.NOTHING);
        }

        /** The IDs that it holds of that resource; none if it asked for none. */
        public SortedSet<String> devices(ResourceName resource) {
            return devices.getOrDefault(resource, Collections.emptySortedSet());
        }
    }

    /**
     * The container with that name.
     *
     * @throws IllegalArgumentException if the pod has none
     */
    public Container container(String container) {
        return holder(container)
                .orElseThrow(() -> new IllegalArgumentException(name + ": has no container " + container));
    }

    Optional<Container> holder(String container) {
        return containers.stream().filter(each -> each.name().equals(container)).findFirst();
    }
}
