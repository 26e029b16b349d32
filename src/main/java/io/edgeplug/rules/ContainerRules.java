package io.edgeplug.rules;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a class says of its containers, beyond what its devices bring by themselves.
 *
 * @param handOver by which way nodes and mounts get there
 * @param cdiAnnotations whether a CDI name is also an annotation, for kubelets that do not pass on names
 * @param permissions of nodes, of {@code rwm}; empty for {@code rw}
 * @param containerDir the directory in which the container has a device's own nodes and files; empty for where the node
 *     has them
 * @param managementEngine whether it gets the node of the engine that manages an FPGA region, besides those of its ports
 * @param mounts files and directories more
 * @param env variables by name; what several devices of a container have is joined by commas
 * @param annotations of the container, likewise
 * @param additionalInfo by device ID or {@code *}, which comes first, what is told in {@code extra} of the variable
 *     that ends in {@code _INFO}
 */
public record ContainerRules(
        HandOver handOver,
        boolean cdiAnnotations,
        Optional<String> permissions,
        Optional<Template> containerDir,
        boolean managementEngine,
        List<MountRule> mounts,
        SortedMap<String, Template> env,
        SortedMap<String, Template> annotations,
        SortedMap<String, Map<String, String>> additionalInfo) {

    /** Where nothing is said. */
    public static final ContainerRules NONE = new ContainerRules(
            HandOver.DEVICE_NODES,
            false,
            Optional.empty(),
            Optional.empty(),
            false,
            List.of(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>());

    public ContainerRules {
        mounts = List.copyOf(mounts);
        env = Collections.unmodifiableSortedMap(new TreeMap<>(env));
        annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
        additionalInfo = Collections.unmodifiableSortedMap(new TreeMap<>(additionalInfo));
    }

    /** A file or directory of the node, and where it is in the container. */
    public record MountRule(Template hostPath, Template containerPath, boolean readOnly) {}
}
