package io.edgeplug.picture;

import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.util.List;

/**
 * A node as a tree: NUMA nodes, the roots of PCI Express at each, and below these bridges, functions and their parts. What
 * is not on PCI stands beside the NUMA nodes.
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
     * @param everything whether PCI functions are shown that back no resource, lead to no device and are of no kind that
     *     edgeplug knows more about
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
