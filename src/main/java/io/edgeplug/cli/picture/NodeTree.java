package io.edgeplug.cli.picture;

import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.List;

/**
 * A node as a tree: NUMA nodes, the PCI Express roots at each, and below these bridges, functions and their parts.
 * Devices that are not on PCI stand beside the NUMA nodes.
 */
public final class NodeTree {

    private final List<Branch> branches;
    private final int hidden;

    NodeTree(List<Branch> branches, int hidden) {
        this.branches = List.copyOf(branches);
        this.hidden = hidden;
    }

    /**
     * Reads how these devices are connected.
     *
     * @param everything whether to show PCI functions that back no resource, lead to no device and are of no kind that
     *     edgeplug treats specially
     * @throws IOException if that cannot be read
     */
    public static NodeTree read(Sysfs sysfs, List<ShownDevice> devices, boolean everything) throws IOException {
        return new TreeBuilder(sysfs, devices).build(everything);
    }

    List<Branch> branches() {
        return branches;
    }

    /** How many PCI functions are not shown. */
    int hidden() {
        return hidden;
    }
}
