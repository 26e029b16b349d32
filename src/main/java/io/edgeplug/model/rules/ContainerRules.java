package io.edgeplug.model.rules;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The rules of a class for its containers, beyond what the devices bring by themselves.
 *
 * @param handOver the way in which nodes and mounts get there
 * @param cdiAnnotations whether a CDI name is also an annotation, for kubelets that do not pass on names
 * @param permissions of nodes, some of {@code rwm}; empty for {@code rw}
 * @param containerDir the directory in which the container has the device's own nodes and files; empty for the node's
 *     paths
 * @param containerPaths the paths of each file in the container, for kind path; empty for one path as of the node
 * @param usbNodes the sorts of device nodes of a USB device; empty for all but disks
 * @param managementEngine whether it gets the node of the engine that manages an FPGA region, besides those of its
 *     ports
 * @param mounts more files and directories
 * @param env variables by name; the values of several devices are joined by commas
 * @param annotations of the container, joined in the same way
 * @param additionalInfo by device ID, or by {@code *}, which comes first: the content of {@code extra} in the variable
 *     that ends in {@code _INFO}
 */
public record ContainerRules(
        HandOver handOver,
        boolean cdiAnnotations,
        Optional<String> permissions,
        Optional<Template> containerDir,
        List<Template> containerPaths,
        List<String> usbNodes,
        boolean managementEngine,
        List<MountRule> mounts,
        SortedMap<String, Template> env,
        SortedMap<String, Template> annotations,
        SortedMap<String, Map<String, String>> additionalInfo) {

    public static final ContainerRules NONE = new ContainerRules(
            HandOver.DEVICE_NODES,
            false,
            Optional.empty(),
            Optional.empty(),
            List.of(),
            List.of(),
            false,
            List.of(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>());

    public ContainerRules {
        containerPaths = List.copyOf(containerPaths);
        usbNodes = List.copyOf(usbNodes);
        mounts = List.copyOf(mounts);
        env = Collections.unmodifiableSortedMap(new TreeMap<>(env));
        annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
        additionalInfo = Collections.unmodifiableSortedMap(new TreeMap<>(additionalInfo));
    }

    /** A file or directory of the node, and its path in the container. */
    public record MountRule(Template hostPath, Template containerPath, boolean readOnly) {}
}
