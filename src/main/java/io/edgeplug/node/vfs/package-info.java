/**
 * The VFs of this node's PFs, and how they become what the administrator wants.
 *
 * <p>The entry type is {@link io.edgeplug.node.vfs.NodeVfs}, which reads the node and plans. A
 * {@link io.edgeplug.node.vfs.PfPlan} is a value that follows from the entry, one reading of the PF and the holders of its
 * VFs ({@link io.edgeplug.node.vfs.VfsPlanner}). The commands {@code plan}, {@code apply} and {@code check} and the daemon
 * all use it. {@link io.edgeplug.node.vfs.VfsApply} runs the steps. Calls that may hang in the kernel run on threads that
 * may be lost.
 */
package io.edgeplug.node.vfs;
