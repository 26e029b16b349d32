package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

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
            TreeMap<ResourceName, SortedSet<String>> copy = new TreeMap<>();
            devices.forEach(
                    (resource, ids) -> copy.put(resource, Collections.unmodifiableSortedSet(new TreeSet<>(ids))));
            devices = Collections.unmodifiableSortedMap(copy);
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
