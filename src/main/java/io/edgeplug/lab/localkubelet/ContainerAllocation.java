package io.edgeplug.lab.localkubelet;

import io.edgeplug.proto.v1beta1.CDIDevice;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The settings with which a container is started, from its plugins' answers to Allocate.
 *
 * @param cdiDevices qualified names, {@code vendor/class=name}
 */
public record ContainerAllocation(
        SortedMap<String, String> envs,
        List<Mount> mounts,
        List<DeviceNode> devices,
        SortedMap<String, String> annotations,
        List<String> cdiDevices) {

    /** The allocation of a container without devices. */
    public static final ContainerAllocation NOTHING =
            new ContainerAllocation(new TreeMap<>(), List.of(), List.of(), new TreeMap<>(), List.of());

    public ContainerAllocation {
        envs = Collections.unmodifiableSortedMap(new TreeMap<>(envs));
        mounts = List.copyOf(mounts);
        devices = List.copyOf(devices);
        annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
        cdiDevices = List.copyOf(cdiDevices);
    }

    /** A directory or file of the node, inside the container. */
    public record Mount(String containerPath, String hostPath, boolean readOnly) {}

    /**
     * A device node of the node, inside the container.
     *
     * @param permissions of the cgroup, some of {@code rwm}
     */
    public record DeviceNode(String containerPath, String hostPath, String permissions) {}

    static ContainerAllocation of(ContainerAllocateResponse answer) {
        return new ContainerAllocation(
                new TreeMap<>(answer.getEnvsMap()),
                answer.getMountsList().stream()
                        .map(mount -> new Mount(mount.getContainerPath(), mount.getHostPath(), mount.getReadOnly()))
                        .toList(),
                answer.getDevicesList().stream()
                        .map(node -> new DeviceNode(node.getContainerPath(), node.getHostPath(), node.getPermissions()))
                        .toList(),
                new TreeMap<>(answer.getAnnotationsMap()),
                answer.getCdiDevicesList().stream().map(CDIDevice::getName).toList());
    }

    /**
     * Both allocations for one container. If both have the same key or path, that of this one counts
     * (deviceRunContainerOptions in pod_devices.go, where the order of resources is random).
     */
    ContainerAllocation and(ContainerAllocation other) {
        TreeMap<String, String> bothEnvs = new TreeMap<>(other.envs);
        bothEnvs.putAll(envs);
        TreeMap<String, String> bothAnnotations = new TreeMap<>(other.annotations);
        bothAnnotations.putAll(annotations);
        return new ContainerAllocation(
                bothEnvs,
                firstOfEach(mounts, other.mounts, Mount::containerPath),
                firstOfEach(devices, other.devices, DeviceNode::containerPath),
                bothAnnotations,
                firstOfEach(cdiDevices, other.cdiDevices, name -> name));
    }

    private static <T> List<T> firstOfEach(List<T> first, List<T> second, Function<T, String> key) {
        Set<String> seen = new HashSet<>();
        List<T> kept = new ArrayList<>();
        Stream.concat(first.stream(), second.stream())
                .filter(value -> seen.add(key.apply(value)))
                .forEach(kept::add);
        return kept;
    }
}
