/**
 * Which VFs the PFs of this node have, and how they come to have those that the administrator wants.
 *
 * <p>Entry type: {@link io.edgeplug.vfs.NodeVfs}, which reads the node and plans. A {@link io.edgeplug.vfs.PfPlan} is a
 * value that follows from the entry, one reading of the PF and who holds its VFs ({@link io.edgeplug.vfs.VfsPlanner}); the
 * commands {@code plan}, {@code apply} and {@code check} and the daemon all go by it. {@link io.edgeplug.vfs.VfsApply} does
 * what they say. Whatever may hang in the kernel runs on a thread that can be lost.
 */
package io.edgeplug.vfs;
