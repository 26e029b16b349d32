package io.edgeplug.api.status;

import io.edgeplug.api.status.NodeStatus.DeviceStatus;
import io.edgeplug.api.status.NodeStatus.ResourceStatus;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Fpga;
import io.edgeplug.model.device.PciDevice;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The node's labels, by which pods can choose it: how many devices it has of each resource, and how many of each
 * product, driver and FPGA image. Health is left out, because the kubelet reports it to the scheduler at once.
 */
public final class NodeLabels {

    /** The prefix of all labels. With it, node-feature-discovery does not add its own. */
    static final String PREFIX = "edgeplug.io/";

    /** Kubernetes' rules for the part of a label's name after the slash (IsQualifiedName). */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");

    /**
     * Labels do not describe a node with more. With this limit, the file stays below node-feature-discovery's 64 KiB.
     */
    private static final int MAX_LABELS = 500;

    private NodeLabels() {}

    /**
     * The labels of a node, by name, without names that Kubernetes would refuse, such as those of over 63 characters.
     */
    public static SortedMap<String, String> of(NodeStatus status) {
        SortedMap<String, String> labels = new TreeMap<>();
        for (ResourceStatus resource : status.resources()) {
            String name = resource.name().toString().replace('/', '_');
            List<Device> devices = resource.devices().stream()
                    .map(DeviceStatus::device)
                    .filter(device -> !device.health().isGone())
                    .toList();
            add(labels, name + ".count", devices.size());
            devices.stream()
                    .flatMap(NodeLabels::facts)
                    .collect(Collectors.groupingBy(fact -> fact, TreeMap::new, Collectors.counting()))
                    .forEach((fact, count) -> add(labels, name + "." + fact, count));
        }
        return labels;
    }

    private static void add(Map<String, String> labels, String name, long count) {
        if (NAME.matcher(name).matches() && labels.size() < MAX_LABELS) {
            labels.put(PREFIX + name, Long.toString(count));
        }
    }

    private static Stream<String> facts(Device device) {
        Stream<String> product = device instanceof PciDevice pci
                ? Stream.of("product-%04x-%04x"
                        .formatted(pci.function().vendor(), pci.function().device()))
                : Stream.of();
        Stream<String> images =
                device instanceof Fpga fpga ? fpga.afuIds().stream().distinct().map(id -> "image-" + id) : Stream.of();
        Stream<String> driver = device.driver().stream().map(name -> "driver-" + name);
        return Stream.of(product, driver, images).flatMap(one -> one);
    }
}
