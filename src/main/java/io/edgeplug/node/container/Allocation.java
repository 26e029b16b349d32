package io.edgeplug.node.container;

import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.HandOver;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Everything that a container gets with the devices of one resource.
 *
 * <p>Keys contain the name of the resource: if two resources gave one container the same key, the kubelet would keep
 * one at random. Only nodes that are the same everywhere, such as {@code /dev/vfio/vfio}, may come from several
 * resources.
 *
 * @param cdiDevices qualified names by which the container runtime finds the nodes and mounts that are not here
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
     * @param permissions of the device cgroup, some of {@code rwm}
     */
    public record Node(String hostPath, String containerPath, String permissions) {

        private Node and(Node other) {
            String both = Stream.of("r", "w", "m")
                    .filter(one -> permissions.contains(one) || other.permissions.contains(one))
                    .collect(Collectors.joining());
            return permissions.equals(other.permissions) ? this : new Node(hostPath, containerPath, both);
        }
    }

    /** A file or directory. */
    public record Mount(String hostPath, String containerPath, boolean readOnly) {}

    /** The allocation of devices of that class with this equipment. */
    public static Allocation of(DeviceClass deviceClass, Collection<Equipment> devices) {
        return of(deviceClass, devices, deviceClass.container().handOver());
    }

    /**
     * The allocation with nodes and mounts handed over in that way.
     *
     * @throws IllegalArgumentException if two devices have different files for one path; the message says which
     */
    public static Allocation of(DeviceClass deviceClass, Collection<Equipment> devices, HandOver way) {
        SortedMap<String, String> env = Environment.of(deviceClass, devices);
        SortedMap<String, String> annotations =
                Environment.filled(deviceClass.container().annotations(), devices);
        if (way == HandOver.DEVICE_NODES) {
            return new Allocation(
                    env,
                    nodes(devices.stream().flatMap(device -> device.nodes().stream())),
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

    /** The same with one more file. */
    public Allocation with(Mount mount) {
        return new Allocation(
                env, nodes, Stream.concat(mounts.stream(), Stream.of(mount)).toList(), annotations, cdiDevices);
    }

    /** Each node once. A node that one device may read and another may write can be used in both ways. */
    static List<Node> nodes(Stream<Node> nodes) {
        TreeMap<String, Node> all = new TreeMap<>();
        nodes.forEach(node -> all.merge(node.hostPath() + " " + node.containerPath(), node, Node::and));
        return places(all.values().stream(), Node::containerPath);
    }

    /** Each entry once, by its path in the container. */
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
