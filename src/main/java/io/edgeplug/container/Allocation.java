package io.edgeplug.container;

import io.edgeplug.rules.DeviceClass;
import io.edgeplug.rules.HandOver;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Everything a container gets with the devices of one resource.
 *
 * <p>Keys are qualified by the resource: of two resources that gave one container the same key, the kubelet would keep
 * one at random. Only nodes that are the same for all, as {@code /dev/vfio/vfio}, are given by several.
 *
 * @param cdiDevices qualified names, under which the container runtime finds the nodes and mounts that are not here
 */
public record Allocation(
        SortedMap<String, String> env,
        List<Node> nodes,
        List<Mount> mounts,
        SortedMap<String, String> annotations,
        List<String> cdiDevices) {

    public Allocation {
        env = Collections.unmodifiableSortedMap(new TreeMap<>(env));
        nodes = List.copyOf(nodes);
        mounts = List.copyOf(mounts);
        annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
        cdiDevices = List.copyOf(cdiDevices);
    }

    /**
     * A device node.
     *
     * @param permissions of the device cgroup, of {@code rwm}
     */
    public record Node(String hostPath, String containerPath, String permissions) {}

    /** A file or directory. */
    public record Mount(String hostPath, String containerPath, boolean readOnly) {}

    /** What a container gets with devices of that class that are equipped so. */
    public static Allocation of(DeviceClass deviceClass, Collection<Equipment> devices) {
        return of(deviceClass, devices, deviceClass.container().handOver());
    }

    /**
     * What a container gets if nodes and mounts are handed over in that way.
     *
     * @throws IllegalArgumentException if two of the devices would have different things in one place, which the
     *     message tells
     */
    public static Allocation of(DeviceClass deviceClass, Collection<Equipment> devices, HandOver way) {
        SortedMap<String, String> env = Environment.of(deviceClass, devices);
        SortedMap<String, String> annotations =
                Environment.filled(deviceClass.container().annotations(), devices);
        if (way == HandOver.DEVICE_NODES) {
            return new Allocation(
                    env,
                    places(devices.stream().flatMap(device -> device.nodes().stream()), Node::containerPath),
                    places(devices.stream().flatMap(device -> device.mounts().stream()), Mount::containerPath),
                    annotations,
                    List.of());
        }
        List<String> names = devices.stream()
                .filter(Equipment::hasEdits)
                .map(device -> CdiNames.qualified(deviceClass.resource(), device.id()))
                .toList();
        if (deviceClass.container().cdiAnnotations() && !names.isEmpty()) {
            annotations.put(CdiNames.annotation(deviceClass.resource()), String.join(",", names));
        }
        return new Allocation(env, List.of(), List.of(), annotations, names);
    }

    /** Each thing once, by the place that it has in the container. */
    static <T> List<T> places(Stream<T> things, Function<T, String> place) {
        TreeMap<String, T> taken = new TreeMap<>();
        things.forEach(thing -> {
            T before = taken.putIfAbsent(place.apply(thing), thing);
            if (before != null && !before.equals(thing)) {
                throw new IllegalArgumentException("two different files would be " + place.apply(thing));
            }
        });
        return List.copyOf(taken.values());
    }
}
