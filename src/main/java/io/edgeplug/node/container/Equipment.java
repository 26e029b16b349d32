package io.edgeplug.node.container;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.Allocation.Mount;
import io.edgeplug.node.container.Allocation.Node;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one device brings into its container. It is worked out when the device changes, and not when a container asks.
 *
 * @param madeLater paths of nodes and mounts on the node that exist only after the preparation
 * @param directories of the node whose device nodes it brings, so that it brings others once these change
 * @param info the device's part of the variable that ends in {@code _INFO}, in JSON
 * @param isVfio whether it is bound to a VFIO driver when the container starts
 * @param interfaceName the first name for its network interface in the pod; empty if that stays on the node
 * @param problem why it cannot be handed over, for a person, without the device's name
 */
public record Equipment(
        Device device,
        List<Node> nodes,
        Set<String> madeLater,
        List<Mount> mounts,
        Set<String> directories,
        String info,
        boolean isVfio,
        Optional<String> interfaceName,
        Optional<String> problem) {

    public Equipment {
        nodes = List.copyOf(nodes);
        madeLater = Set.copyOf(madeLater);
        mounts = List.copyOf(mounts);
        directories = Set.copyOf(directories);
    }

    /** What that device of that class brings, on a node with these IOMMU groups. */
    public static Equipment of(DeviceClass deviceClass, Device device, IommuGroups groups) {
        return new EquipmentBuilder(deviceClass, device).build(groups);
    }

    /** The same with the nodes of these directories, in place of mounts that would bring them. */
    public Equipment opened(
            List<Node> newNodes, List<Mount> newMounts, Set<String> newDirectories, @Nullable String newProblem) {
        return new Equipment(
                device,
                newNodes,
                madeLater,
                newMounts,
                newDirectories,
                info,
                isVfio,
                interfaceName,
                Optional.ofNullable(newProblem));
    }

    /** The device's ID. */
    public String id() {
        return device.id();
    }

    /** The nodes that must exist before the device is prepared. */
    public List<Node> nodesBeforehand() {
        return nodes.stream()
                .filter(node -> !madeLater.contains(node.hostPath()))
                .toList();
    }

    /** The mounts whose paths must exist before the device is prepared. */
    public List<Mount> mountsBeforehand() {
        return mounts.stream()
                .filter(mount -> !madeLater.contains(mount.hostPath()))
                .toList();
    }

    /** The mounts whose paths the preparation may make. */
    public List<Mount> mountsAfterwards() {
        return mounts.stream()
                .filter(mount -> madeLater.contains(mount.hostPath()))
                .toList();
    }

    /** Whether a container gets the same with both. */
    public boolean isLike(Equipment other) {
        return nodes.equals(other.nodes)
                && mounts.equals(other.mounts)
                && info.equals(other.info)
                && isVfio == other.isVfio
                && interfaceName.equals(other.interfaceName)
                && problem.equals(other.problem);
    }

    /** Whether a container runtime has anything to do for it. */
    boolean hasEdits() {
        return !nodes.isEmpty() || !mounts.isEmpty() || interfaceName.isPresent();
    }
}
